import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isInside } from '../../../utils/files/isInside';
import { t } from '../../../utils/l10n';
import { isStorageFolder } from '../../database/sqlite/databaseFile';

export interface LeftOutFolder {
  problem: 'home' | 'storage';
  /** Localized text with the reason and what to do about it. */
  text: string;
}

/** Workspace folders that checkpoints, restores and comparisons cover, and the excluded workspace folders. */
export interface CheckpointedFolders {
  roots: string[];
  leftOut: LeftOutFolder[];
}

/** Selects the folders whose state may be stored. `home` must come from `realHome`. See decision 0017. */
export function checkpointedFolders(folders: readonly { path: string }[], home: string): CheckpointedFolders {
  const roots: string[] = [];
  const leftOut: LeftOutFolder[] = [];
  for (const { path } of folders) {
    const reason = whyLeftOut(path, home);
    if (reason === null) roots.push(path);
    else leftOut.push(reason);
  }
  return { roots, leftOut };
}

/** Returns the real path of the home folder. Workspace folders are given as real paths too. */
export function realHome(): string {
  const home = homedir();
  try {
    return realpathSync.native(home);
  } catch {
    return home;
  }
}

function whyLeftOut(root: string, home: string): LeftOutFolder | null {
  if (isInside(home, root)) {
    const text = t('Checkpoints are not available for your home folder or its parent folders. Open the folder of a project.');
    return { problem: 'home', text };
  }
  if (isStorageFolder(root)) {
    const text = t(
      'Checkpoints are not available for {0} because it contains chats and checkpoints of Ollama Copilot. If it is the storage folder, choose another one in the settings, then move “sessions.sqlite*” and “objects” to it.',
      root,
    );
    return { problem: 'storage', text };
  }
  return null;
}
