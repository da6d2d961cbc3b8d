import { mkdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import type { StorageAction } from '../../protocol/webviewEvents';
import type { OpenedThing, StorageGate } from '../../services/database/storageGate';
import { confirm } from '../../vscode/confirm';

/** The ways out when the storage does not open. Whatever moves a file is asked again in a native dialog. */
export function storageHandlers(
  storage: StorageGate<OpenedThing>,
  /** The storage root as configured now. */
  folder: () => string,
): Pick<HostApi, 'actOnStorage'> {
  const actions: Record<StorageAction, () => Promise<unknown>> = {
    // How it went is in the state.
    retry: () => storage.retry().catch(() => undefined),
    setAside: async () => {
      if (await confirm(settingAside())) await storage.setAside();
    },
    openFolder: async () => {
      await mkdir(folder(), { recursive: true }).catch(() => undefined);
      await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(folder()));
    },
    chooseFolder: async () => vscode.commands.executeCommand('workbench.action.openSettings', 'ollamaCopilot.storagePath'),
    showLog: async () => vscode.commands.executeCommand('ollamaCopilot.showLog'),
  };
  return {
    actOnStorage: async ({ action }) => {
      await actions[action]();
      return storage.state;
    },
  };
}

const settingAside = () => ({
  text: vscode.l10n.t('Set the damaged chat history aside and start with an empty one?'),
  detail: vscode.l10n.t(
    'sessions.sqlite is renamed in its folder, with sessions.sqlite-wal and sessions.sqlite-shm; nothing is deleted. Close all other windows first. Past chats are not shown any more, but tools for damaged SQLite databases may still get them out.',
  ),
  yes: vscode.l10n.t('Set Aside and Start Fresh'),
});
