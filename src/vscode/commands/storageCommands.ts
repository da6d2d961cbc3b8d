import * as vscode from 'vscode';
import type { StorageCare } from '../../services/checkpoint/storageCare';

/** Commands on what checkpoints have stored. */
export function storageCommands(care: () => Promise<StorageCare>): Record<string, () => Promise<void>> {
  return {
    verifyStorage: async () => {
      const verify = async () => (await care()).verify();
      const { objects, problems, files } = await during(vscode.l10n.t('Verifying stored checkpoints…'), verify);
      if (problems.length === 0) {
        const text = vscode.l10n.t('Everything is as it was stored: {0} file contents.', objects.toLocaleString());
        void vscode.window.showInformationMessage(text);
        return;
      }
      const showLog = vscode.l10n.t('Show Log');
      const text = vscode.l10n.t('Some of what is stored is damaged, of {0} files. The log names them.', files.length);
      void vscode.window.showWarningMessage(text, showLog).then((choice) => {
        if (choice === showLog) void vscode.commands.executeCommand('ollamaCopilot.showLog');
      });
    },
    collectGarbage: async () => {
      const collect = async () => (await care()).collectGarbage();
      const bytes = await during(vscode.l10n.t('Collecting what no checkpoint needs…'), collect);
      const megabytes = (bytes / 1_000_000).toLocaleString(undefined, { maximumFractionDigits: 1 });
      const text =
        bytes === 0 ? vscode.l10n.t('There is nothing to collect.') : vscode.l10n.t('{0} MB are free again.', megabytes);
      void vscode.window.showInformationMessage(text);
    },
  };
}

async function during<T>(title: string, work: () => Promise<T>): Promise<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, work);
}
