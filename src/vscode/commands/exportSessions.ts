import path from 'node:path';
import * as vscode from 'vscode';
import { formatNumber } from '../../types/format';
import type { ExportOptions } from '../../protocol/exportedSession';
import { exportExtensions, createFileName, type ExportFormat } from '../../services/export/exportNames';
import type { ExportRequest, SessionExporter } from '../../services/export/sessionExporter';
import type { SessionRecord } from '../../types/session';
import { withoutKeys } from '../../utils/sensitivity/keyShapes';
import { notifyCancellable } from '../notifyProgress';

/** Arguments of the command. Each argument replaces a question to the user. */
interface Given extends Partial<ExportRequest> {
  sessionId?: string;
  /** Target file. For `jsonl` and for all sessions, a folder. */
  target?: vscode.Uri;
}

export interface ExportSurroundings {
  sessions: {
    get(id: string): Promise<SessionRecord | undefined>;
    list(page: { offset: number; limit: number }): Promise<{ sessions: SessionRecord[] }>;
  };
  exporter: SessionExporter;
  /** Session to export. Null asks the user. */
  sessionId: string | null;
}

/** Returns the session passed to the command. */
export function sessionToExport(args: readonly unknown[]): string | null {
  const [first] = args;
  return typeof first === 'string' ? first : (givenBy(args).sessionId ?? null);
}

/** Exports a session and asks for missing options. Resolves with the path, or with undefined if the user cancels. */
export async function exportSession(
  { sessions, exporter, sessionId }: ExportSurroundings,
  args: readonly unknown[],
): Promise<string | undefined> {
  const given = givenBy(args);
  const id = sessionId ?? (await chooseSession(sessions));
  const request = id && (await chooseRequest(given));
  if (!id || !request) return undefined;
  const whole = (await sessions.get(id))?.title ?? '';
  const title = request.options.secrets ? whole : withoutKeys(whole);
  const target = given.target?.fsPath ?? (await chooseTarget(createFileName(title), request.format));
  if (target === undefined) return undefined;
  await notifyCancellable(vscode.l10n.t('Exporting chat'), (_progress, signal) => exporter.export(id, target, request, signal));
  void tell(vscode.l10n.t('The chat was exported.'), target);
  return target;
}

/** Exports all sessions to a folder and resolves with its path. Asks for missing options. */
export async function exportAllSessions(exporter: SessionExporter, args: readonly unknown[]): Promise<string | undefined> {
  const given = givenBy(args);
  const request = await chooseRequest(given);
  const folder = request && (given.target?.fsPath ?? (await chooseFolder()));
  if (!request || folder === undefined) return undefined;
  const count = await notifyCancellable(vscode.l10n.t('Exporting all chats'), (progress, signal) =>
    exporter.exportAll(folder, request, (done, title) => progress.report({ message: `${done} · ${title}` }), signal),
  );
  void tell(vscode.l10n.t('{0} chats were exported.', formatNumber(count)), folder);
  return folder;
}

function givenBy(args: readonly unknown[]): Given {
  return args.find((arg) => typeof arg === 'object' && arg !== null) ?? {};
}

async function chooseSession(sessions: ExportSurroundings['sessions']): Promise<string | undefined> {
  const { sessions: records } = await sessions.list({ offset: 0, limit: 200 });
  const items = records.map(({ id, title }) => ({ label: title || vscode.l10n.t('Untitled'), id }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Export chat') }))?.id;
}

async function chooseRequest({ format, options }: Given): Promise<ExportRequest | undefined> {
  const chosen = format ?? (await chooseFormat());
  const parts = chosen && (options ?? (await chooseOptions()));
  return chosen && parts && { format: chosen, options: parts };
}

async function chooseFormat(): Promise<ExportFormat | undefined> {
  const items: (vscode.QuickPickItem & { format: ExportFormat })[] = [
    {
      label: vscode.l10n.t('Markdown'),
      detail: vscode.l10n.t('Easy to read, with attachments and changes collapsed'),
      format: 'markdown',
    },
    { label: vscode.l10n.t('Web page'), detail: vscode.l10n.t('One file without scripts or external content'), format: 'html' },
    { label: vscode.l10n.t('JSON'), detail: vscode.l10n.t('All data. Can be imported again.'), format: 'json' },
    {
      label: vscode.l10n.t('JSON lines'),
      detail: vscode.l10n.t('Folder that other programs can read. Can be imported again.'),
      format: 'jsonl',
    },
  ];
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Export as') }))?.format;
}

async function chooseOptions(): Promise<ExportOptions | undefined> {
  const items: (vscode.QuickPickItem & { part: keyof ExportOptions })[] = [
    { label: vscode.l10n.t('Tool output'), picked: true, part: 'toolOutput' },
    { label: vscode.l10n.t('Thinking'), picked: true, part: 'thinking' },
    { label: vscode.l10n.t('File contents'), picked: true, part: 'fileContents' },
    {
      label: vscode.l10n.t('Secrets'),
      detail: vscode.l10n.t('Keys, and the contents of files that may contain secrets'),
      part: 'secrets',
    },
  ];
  const title = vscode.l10n.t('Select what to export in addition to messages');
  const chosen = await vscode.window.showQuickPick(items, { title, canPickMany: true });
  if (chosen === undefined) return undefined;
  const has = (part: keyof ExportOptions) => chosen.some((item) => item.part === part);
  return { toolOutput: has('toolOutput'), thinking: has('thinking'), fileContents: has('fileContents'), secrets: has('secrets') };
}

async function chooseTarget(name: string, format: ExportFormat): Promise<string | undefined> {
  if (format === 'jsonl') {
    const folder = await chooseFolder();
    return folder === undefined ? undefined : path.join(folder, name);
  }
  const start = vscode.workspace.workspaceFolders?.[0]?.uri;
  const file = `${name}${exportExtensions[format]}`;
  const picked = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export chat'),
    saveLabel: vscode.l10n.t('Export'),
    defaultUri: start === undefined ? vscode.Uri.file(file) : vscode.Uri.joinPath(start, file),
  });
  return picked?.fsPath;
}

async function chooseFolder(): Promise<string | undefined> {
  const title = vscode.l10n.t('Export to folder');
  const openLabel = vscode.l10n.t('Export');
  const picked = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, title, openLabel });
  return picked?.[0]?.fsPath;
}

async function tell(text: string, target: string): Promise<void> {
  const show = vscode.l10n.t('Show in Folder');
  if ((await vscode.window.showInformationMessage(text, show)) !== show) return;
  await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(target));
}
