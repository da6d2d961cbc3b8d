import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { formatNumber } from '../../types/format';
import type { ImportProgress } from '../../services/import/importMeter';
import type { ImportReport } from '../../services/import/importReport';
import type { SessionImporter } from '../../services/import/sessionImporter';
import { StorageError } from '../../services/database/sqlite/storageError';
import { importReportText, importSummary } from '../importReportText';
import { notifyCancellable, shareReporter } from '../notifyProgress';
import type { SnapshotDocuments } from '../review/snapshotDocuments';

export interface ImportSurroundings {
  importer: SessionImporter;
  documents: SnapshotDocuments;
}

/**
 * Imports sessions and shows the result. Asks for the files if none are passed. Resolves
 * with undefined if the user selects no file.
 */
export async function importSessions(
  { importer, documents }: ImportSurroundings,
  args: readonly unknown[],
): Promise<ImportReport | undefined> {
  const given = args.flat().filter((arg): arg is vscode.Uri => arg instanceof vscode.Uri && arg.scheme === 'file');
  const paths = given.length > 0 ? given.map(({ fsPath }) => fsPath) : await choose();
  if (paths.length === 0) return undefined;
  const report = await withProgress(importer, paths);
  void tell(report, documents);
  return report;
}

async function choose(): Promise<string[]> {
  const claude = path.join(process.env['CLAUDE_CONFIG_DIR'] || path.join(homedir(), '.claude'), 'projects');
  const items: (vscode.QuickPickItem & { choose: () => Promise<string[]> })[] = [
    {
      label: vscode.l10n.t('$(folder) Folder…'),
      detail: vscode.l10n.t('Folder that contains chats, including in subfolders'),
      choose: () => dialog(true),
    },
    {
      label: vscode.l10n.t('$(file) Files…'),
      detail: vscode.l10n.t('Transcripts and exported chats (.jsonl, .json), databases (.sqlite, .db)'),
      choose: () => dialog(false),
    },
  ];
  if (existsSync(claude)) {
    items.unshift({
      label: vscode.l10n.t('$(comment-discussion) Claude Code chats'),
      detail: claude,
      choose: () => Promise.resolve([claude]),
    });
  }
  const title = vscode.l10n.t('Import chats');
  const placeHolder = vscode.l10n.t('Select what to import. The files are not changed.');
  return (await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true }))?.choose() ?? [];
}

async function dialog(isFolder: boolean): Promise<string[]> {
  const picked = await vscode.window.showOpenDialog({
    canSelectFiles: !isFolder,
    canSelectFolders: isFolder,
    canSelectMany: true,
    openLabel: vscode.l10n.t('Import'),
    title: vscode.l10n.t('Import chats'),
    ...(!isFolder && {
      filters: { [vscode.l10n.t('Sessions')]: ['jsonl', 'json', 'sqlite', 'sqlite3', 'db'], [vscode.l10n.t('All files')]: ['*'] },
    }),
  });
  return (picked ?? []).map(({ fsPath }) => fsPath);
}

function withProgress(importer: SessionImporter, paths: readonly string[]): Thenable<ImportReport> {
  return notifyCancellable(vscode.l10n.t('Importing chats'), (progress, signal) => {
    const report = shareReporter(progress);
    const onRead = ({ done, total, fraction }: ImportProgress) =>
      report(fraction, vscode.l10n.t('{0} of {1}', formatNumber(done), formatNumber(total)));
    return importer.import(paths, onRead, signal);
  });
}

async function tell(report: ImportReport, documents: SnapshotDocuments): Promise<void> {
  const details = vscode.l10n.t('Show Report');
  const { text, isProblem } = importSummary(report);
  const failure = report.failure === null ? null : failureText(report.failure);
  const choice =
    failure !== null
      ? await vscode.window.showErrorMessage(`${failure} ${text}`, details)
      : isProblem
        ? await vscode.window.showWarningMessage(text, details)
        : await vscode.window.showInformationMessage(text, details);
  if (choice !== details) return;
  const name = `${vscode.l10n.t('Import report')}.md`;
  const document = await vscode.workspace.openTextDocument(documents.ofText(name, importReportText(report)));
  await vscode.window.showTextDocument(document, { preview: true });
}

function failureText({ code, message }: NonNullable<ImportReport['failure']>): string {
  return code === 'internal' ? vscode.l10n.t('The command failed: {0}', message) : new StorageError(code, message).userMessage;
}
