import path from 'node:path';
import * as vscode from 'vscode';
import type { ExportOptions } from '../../protocol/exportedSession';
import { exportExtensions, fileNameOf, type ExportFormat } from '../../services/export/exportNames';
import type { ExportRequest, SessionExporter } from '../../services/export/sessionExporter';
import type { SessionRecord } from '../../types/session';
import { withoutKeys } from '../../utils/sensitivity/keyShapes';
import { notifyCancellable } from '../notifyProgress';

/** Answers that a caller of the command may give, so that nothing is asked. */
interface Given extends Partial<ExportRequest> {
  sessionId?: string;
  /** File or, of `jsonl` and of all sessions, folder. */
  target?: vscode.Uri;
}

export interface ExportSurroundings {
  sessions: {
    get(id: string): Promise<SessionRecord | undefined>;
    list(page: { offset: number; limit: number }): Promise<{ sessions: SessionRecord[] }>;
  };
  exporter: SessionExporter;
  /** Null asks which. */
  sessionId: string | null;
}

/** Returns the session that the command was given, by its id or in its options. */
export function sessionToExport(args: readonly unknown[]): string | null {
  const [first] = args;
  return typeof first === 'string' ? first : (givenBy(args).sessionId ?? null);
}

/** Asks how and where to, unless it is given, and writes the session. Resolves with the path; undefined where it was called off. */
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
  const target = given.target?.fsPath ?? (await chooseTarget(fileNameOf(title), request.format));
  if (target === undefined) return undefined;
  await notifyCancellable(vscode.l10n.t('Exporting the session'), (_progress, signal) =>
    exporter.export(id, target, request, signal),
  );
  void tell(vscode.l10n.t('The session was exported.'), target);
  return target;
}

/** Asks how and where to, unless it is given, and writes every session into a folder. Resolves with its path. */
export async function exportAllSessions(exporter: SessionExporter, args: readonly unknown[]): Promise<string | undefined> {
  const given = givenBy(args);
  const request = await chooseRequest(given);
  const folder = request && (given.target?.fsPath ?? (await chooseFolder()));
  if (!request || folder === undefined) return undefined;
  const count = await notifyCancellable(vscode.l10n.t('Exporting all sessions'), (progress, signal) =>
    exporter.exportAll(folder, request, (done, title) => progress.report({ message: `${done} · ${title}` }), signal),
  );
  void tell(vscode.l10n.t('{0} sessions were exported.', count), folder);
  return folder;
}

function givenBy(args: readonly unknown[]): Given {
  return args.find((arg) => typeof arg === 'object' && arg !== null) ?? {};
}

async function chooseSession(sessions: ExportSurroundings['sessions']): Promise<string | undefined> {
  const { sessions: records } = await sessions.list({ offset: 0, limit: 200 });
  const items = records.map(({ id, title }) => ({ label: title || vscode.l10n.t('Untitled'), id }));
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Export session') }))?.id;
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
      detail: vscode.l10n.t('To read; attachments and changes are folded'),
      format: 'markdown',
    },
    { label: vscode.l10n.t('Web page'), detail: vscode.l10n.t('One file that runs and loads nothing'), format: 'html' },
    { label: vscode.l10n.t('JSON'), detail: vscode.l10n.t('Everything, to be imported again'), format: 'json' },
    {
      label: vscode.l10n.t('JSON lines'),
      detail: vscode.l10n.t('A folder that other programs read, to be imported again'),
      format: 'jsonl',
    },
  ];
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Export as') }))?.format;
}

async function chooseOptions(): Promise<ExportOptions | undefined> {
  const items: (vscode.QuickPickItem & { part: keyof ExportOptions })[] = [
    { label: vscode.l10n.t('What tools said'), picked: true, part: 'toolOutput' },
    { label: vscode.l10n.t('Thinking'), picked: true, part: 'thinking' },
    { label: vscode.l10n.t('Contents of files'), picked: true, part: 'fileContents' },
    {
      label: vscode.l10n.t('Secrets'),
      detail: vscode.l10n.t('Keys, and contents of files that may hold some'),
      part: 'secrets',
    },
  ];
  const title = vscode.l10n.t('What to export beside the messages');
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
    title: vscode.l10n.t('Export session'),
    saveLabel: vscode.l10n.t('Export'),
    defaultUri: start === undefined ? vscode.Uri.file(file) : vscode.Uri.joinPath(start, file),
  });
  return picked?.fsPath;
}

async function chooseFolder(): Promise<string | undefined> {
  const title = vscode.l10n.t('Export into a folder');
  const openLabel = vscode.l10n.t('Export');
  const picked = await vscode.window.showOpenDialog({ canSelectFiles: false, canSelectFolders: true, title, openLabel });
  return picked?.[0]?.fsPath;
}

async function tell(text: string, target: string): Promise<void> {
  const show = vscode.l10n.t('Show in Folder');
  if ((await vscode.window.showInformationMessage(text, show)) !== show) return;
  await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(target));
}
