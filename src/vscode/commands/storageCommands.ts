import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { fileSize, formatNumber } from '../../types/format';
import type { StorageCare } from '../../services/checkpoint/host/storageCare';
import type { Codebase } from '../../services/codebase/codebase';
import type { MessageSearch } from '../../services/codebase/messages/messageSearch';
import type { DatabaseService } from '../../services/database/databaseService';
import type { IntegrityReport } from '../../services/database/upkeep/integrity';
import { confirm } from '../confirm';
import { notifyWhile } from '../notifyProgress';
import { withVerifyProgress } from '../verifyProgress';
import type { Commands } from './register';

export interface StoredData {
  database: Pick<DatabaseService, 'backUp' | 'checkIntegrity' | 'rebuildIndex'>;
  messages: Pick<MessageSearch, 'recreateSearchTable'>;
  codebase: Pick<Codebase, 'recreate' | 'states'>;
  care: Pick<StorageCare, 'verify' | 'heal' | 'collectGarbage'>;
}

/** Creates the commands for all stored data. `clear` closes the storage, deletes its data and opens it again. */
export function storageCommands(
  stored: () => Promise<StoredData>,
  clear: () => Promise<void>,
): Commands<
  'backupHistory' | 'verifyStorage' | 'collectGarbage' | 'recreateMessagesTable' | 'recreateCodeIndex' | 'clearAllData'
> {
  return {
    backupHistory: async () => {
      const { database } = await stored();
      const day = new Date().toISOString().slice(0, 10);
      const target = await vscode.window.showSaveDialog({
        title: vscode.l10n.t('Back up chat history'),
        saveLabel: vscode.l10n.t('Back Up'),
        defaultUri: vscode.Uri.file(path.join(homedir(), `ollama-copilot-${day}.sqlite`)),
        filters: { [vscode.l10n.t('SQLite database')]: ['sqlite'] },
      });
      if (target === undefined) return;
      await notifyWhile(vscode.l10n.t('Backing up the chat history…'), () => database.backUp(target.fsPath));
      const show = vscode.l10n.t('Show in Folder');
      const done = vscode.l10n.t('The chat history was backed up. File contents stored for undo are not included.');
      if ((await vscode.window.showInformationMessage(done, show)) === show)
        await vscode.commands.executeCommand('revealFileInOS', target);
    },
    verifyStorage: async () => {
      const { database, care } = await stored();
      const { report, objects } = await withVerifyProgress(async (watch) => ({
        report: await database.checkIntegrity(watch.signal),
        objects: await care.verify(watch),
      }));
      // A damaged database has already been reported.
      if (report.problems.length > 0) return;
      const { l10n, window } = vscode;
      const history = historyState(report);
      if (objects.problems.length === 0) {
        const show = report.damagedChats.length > 0 ? window.showWarningMessage : window.showInformationMessage;
        void show(`${history} ${l10n.t('{0} stored file versions are intact.', formatNumber(objects.objects))}`);
        return;
      }
      const count = objects.problems.filter(({ hash }) => hash !== null).length;
      const damaged =
        count === 0
          ? l10n.t('The storage of file contents is damaged, but all contents can be read.')
          : l10n.t('{0} stored file versions are damaged.', formatNumber(count));
      const heal = l10n.t('Repair from Workspace Files');
      const showLog = l10n.t('Show Log');
      const choice = await window.showWarningMessage(`${damaged} ${history}`, heal, showLog);
      if (choice === showLog) await vscode.commands.executeCommand('ollamaCopilot.showLog');
      if (choice !== heal) return;
      const { healed, left } = await notifyWhile(l10n.t('Repairing file contents…'), () => care.heal());
      if (left === 0) void window.showInformationMessage(l10n.t('Repaired {0} file contents.', formatNumber(healed)));
      else
        void window.showWarningMessage(
          l10n.t(
            'Repaired {0} file contents. {1} are in no workspace file and cannot be repaired.',
            formatNumber(healed),
            formatNumber(left),
          ),
        );
    },
    collectGarbage: async () => {
      const { care } = await stored();
      const bytes = await notifyWhile(vscode.l10n.t('Cleaning up checkpoints…'), () => care.collectGarbage());
      const text = bytes === 0 ? vscode.l10n.t('There is nothing to clean up.') : vscode.l10n.t('Freed {0}.', fileSize(bytes));
      void vscode.window.showInformationMessage(text);
    },
    recreateMessagesTable: async () => {
      const { database, messages } = await stored();
      await database.rebuildIndex();
      await messages.recreateSearchTable();
      void vscode.window.showInformationMessage(
        vscode.l10n.t('The search index is being rebuilt. Searches may miss chats until the rebuild finishes.'),
      );
    },
    recreateCodeIndex: async () => {
      const { codebase } = await stored();
      await notifyWhile(vscode.l10n.t('Indexing the workspace…'), () => codebase.recreate());
      const states = await codebase.states();
      const files = states.reduce((sum, { state }) => sum + state.files, 0);
      void vscode.window.showInformationMessage(vscode.l10n.t('The workspace is indexed: {0} files.', formatNumber(files)));
    },
    clearAllData: async () => {
      if (!(await confirm(clearing()))) return;
      await notifyWhile(vscode.l10n.t('Deleting all chats…'), clear);
      void vscode.window.showInformationMessage(vscode.l10n.t('All chats and their stored data were deleted.'));
    },
  };
}

function historyState({ damagedChats, sessions, entries }: IntegrityReport): string {
  const { l10n } = vscode;
  if (damagedChats.length > 0)
    return l10n.t(
      'Some entries were changed on disk after they were saved. They are marked in these chats: {0}.',
      damagedChats.map((title) => vscode.l10n.t('“{0}”', title)).join(', '),
    );
  if (sessions === 1) return l10n.t('The chat history is intact: 1 chat with {0} entries.', formatNumber(entries));
  return l10n.t('The chat history is intact: {0} chats with {1} entries.', formatNumber(sessions), formatNumber(entries));
}

const clearing = () => ({
  text: vscode.l10n.t('Delete all chats of this workspace?'),
  detail: vscode.l10n.t(
    'Deletes all chats, checkpoints and file contents stored for undo, in all windows of this workspace. Running chats are stopped. This cannot be undone. Your files, backups and settings are not changed.',
  ),
  yes: vscode.l10n.t('Delete All Chats'),
});
