import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { StorageCare } from '../../services/checkpoint/host/storageCare';
import type { Codebase } from '../../services/codebase/codebase';
import type { LanceSearchService } from '../../services/codebase/messages/lanceSearchService';
import type { DatabaseService } from '../../services/database/databaseService';
import { confirm } from '../confirm';
import { notifyWhile } from '../notifyProgress';
import { withVerifyProgress } from '../verifyProgress';
import type { Commands } from './register';

/** Services that the commands on stored data use. */
export interface StoredData {
  database: Pick<DatabaseService, 'backUp' | 'checkIntegrity' | 'rebuildIndex'>;
  messages: Pick<LanceSearchService, 'recreateSearchTable'>;
  codebase: Pick<Codebase, 'recreate' | 'states'>;
  care: Pick<StorageCare, 'verify' | 'heal' | 'collectGarbage'>;
}

/** Commands on the whole of what is stored. `clear` closes it, empties it and opens it again. */
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
        title: vscode.l10n.t('Back up the chat history'),
        saveLabel: vscode.l10n.t('Back Up'),
        defaultUri: vscode.Uri.file(path.join(homedir(), `ollama-copilot-${day}.sqlite`)),
        filters: { [vscode.l10n.t('SQLite database')]: ['sqlite'] },
      });
      if (target === undefined) return;
      await notifyWhile(vscode.l10n.t('Backing up the chat history…'), () => database.backUp(target.fsPath));
      const show = vscode.l10n.t('Show in Folder');
      const done = vscode.l10n.t('The chat history was backed up. Contents of files kept for undo are not part of it.');
      if ((await vscode.window.showInformationMessage(done, show)) === show)
        await vscode.commands.executeCommand('revealFileInOS', target);
    },
    verifyStorage: async () => {
      const { database, care } = await stored();
      const { report, objects } = await withVerifyProgress(async (watch) => ({
        report: await database.checkIntegrity(watch.signal),
        objects: await care.verify(watch),
      }));
      // A damaged database has told of itself by now.
      if (report.problems.length > 0) return;
      const { l10n, window } = vscode;
      const whole = l10n.t('The chat history is whole: {0} sessions with {1} entries.', report.sessions, report.entries);
      if (objects.problems.length === 0) {
        void window.showInformationMessage(`${whole} ${l10n.t('So are {0} stored contents of files.', objects.objects)}`);
        return;
      }
      const count = objects.problems.filter(({ hash }) => hash !== null).length;
      const damaged =
        count === 0
          ? l10n.t('The storage of file contents is damaged, but every content can be read.')
          : l10n.t('{0} stored contents of files are damaged.', count);
      const [heal, showLog] = [l10n.t('Store Anew from My Files'), l10n.t('Show Log')];
      const choice = await window.showWarningMessage(`${damaged} ${whole}`, heal, showLog);
      if (choice === showLog) await vscode.commands.executeCommand('ollamaCopilot.showLog');
      if (choice !== heal) return;
      const { healed, left } = await notifyWhile(l10n.t('Storing anew what is damaged…'), () => care.heal());
      if (left === 0) void window.showInformationMessage(l10n.t('What was damaged is stored anew: {0} contents.', healed));
      else
        void window.showWarningMessage(
          l10n.t(
            '{0} contents are stored anew from your files. {1} are in none of them and cannot be brought back.',
            healed,
            left,
          ),
        );
    },
    collectGarbage: async () => {
      const { care } = await stored();
      const bytes = await notifyWhile(vscode.l10n.t('Collecting what no checkpoint needs…'), () => care.collectGarbage());
      const megabytes = (bytes / 1_000_000).toLocaleString(undefined, { maximumFractionDigits: 1 });
      const text =
        bytes === 0 ? vscode.l10n.t('There is nothing to collect.') : vscode.l10n.t('{0} MB are free again.', megabytes);
      void vscode.window.showInformationMessage(text);
    },
    recreateMessagesTable: async () => {
      const { database, messages } = await stored();
      await database.rebuildIndex();
      await messages.recreateSearchTable();
      void vscode.window.showInformationMessage(
        vscode.l10n.t('The search index is being made again from the chats. Searches find everything as soon as it is done.'),
      );
    },
    recreateCodeIndex: async () => {
      const { codebase } = await stored();
      await notifyWhile(vscode.l10n.t('Indexing the workspace…'), () => codebase.recreate());
      const states = await codebase.states();
      const files = states.reduce((sum, { state }) => sum + state.files, 0);
      void vscode.window.showInformationMessage(vscode.l10n.t('The workspace is indexed: {0} files.', files));
    },
    clearAllData: async () => {
      if (!(await confirm(clearing()))) return;
      await notifyWhile(vscode.l10n.t('Deleting everything that is stored…'), clear);
      void vscode.window.showInformationMessage(vscode.l10n.t('All chats and what was kept for them are deleted.'));
    },
  };
}

const clearing = () => ({
  text: vscode.l10n.t('Delete all chats of this workspace?'),
  detail: vscode.l10n.t(
    'Every session, every checkpoint and all contents of files that are kept for undo are deleted; running chats are stopped. This cannot be undone. This holds for other windows of this workspace too. Your files stay as they are, and so do backups and settings.',
  ),
  yes: vscode.l10n.t('Delete Everything'),
});
