import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { isInside } from '../../../utils/files/isInside';
import { t } from '../../../utils/l10n';
import { isStorageFolder } from '../../database/sqlite/databaseFile';

export interface LeftOutFolder {
  problem: 'home' | 'storage';
  /** Reason and remedy, in the person's language. */
  text: string;
}

/** Folders that checkpoints, restores and comparisons of a window cover, and those left out. */
export interface CheckpointedFolders {
  roots: string[];
  leftOut: LeftOutFolder[];
}

/** Selects the folders whose state may be stored; `home` as `realHome` returns it. See decision 0017. */
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

/** Returns the person's home in the form of workspace folders: without links. */
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
    const text = t(
      'No checkpoints are taken of your home folder, or of one that holds it: it is more than a project. Open the folder of the project.',
    );
    return { problem: 'home', text };
  }
  if (isStorageFolder(root)) {
    const text = t(
      'No checkpoints are taken of {0}: chats and checkpoints of Ollama Copilot are in it. If it is the storage folder, choose another one in the settings; then move “sessions.sqlite*” and “objects” to a folder of their own.',
      root,
    );
    return { problem: 'storage', text };
  }
  return null;
}
