import { mkdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import type { StorageAction } from '../../protocol/webviewEvents';
import type { OpenedServices, StorageGate } from '../../services/database/storageGate';
import { confirm } from '../../vscode/confirm';

/** Creates the handlers for recovery if the storage cannot be opened. Moving a file needs confirmation in a native dialog. */
export function storageHandlers(
  storage: StorageGate<OpenedServices>,
  /** Returns the configured storage root. */
  folder: () => string,
): Pick<HostApi, 'actOnStorage'> {
  const actions: Record<StorageAction, () => Promise<unknown>> = {
    // The state of the storage shows the result.
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
  text: vscode.l10n.t('Set the damaged chat history aside and start with an empty history?'),
  detail: vscode.l10n.t(
    'Renames sessions.sqlite, sessions.sqlite-wal and sessions.sqlite-shm in their folder. Nothing is deleted. Close all other windows first. Past chats are no longer shown, but SQLite recovery tools may still restore them.',
  ),
  yes: vscode.l10n.t('Set Aside and Start Fresh'),
});
