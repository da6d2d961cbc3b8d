import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import type { AttachmentReader } from '../../agent/prompt/attachmentReader';
import type { AttachmentRef } from '../../protocol/entries';
import type { HostApi } from '../../protocol/hostApi';
import { asOnDisk } from '../../services/files/diskSpelling';
import { AppError, messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { applyToFile } from '../../vscode/applyToFile';
import type { CodeProposals } from '../../vscode/codeProposals';
import { confirm } from '../../vscode/confirm';
import { isEmptyNow } from '../../vscode/emptyItems';
import { fileItem, selectionItem } from '../../vscode/editorItems';
import { insertAtCursor } from '../../vscode/insertAtCursor';
import { mentionItems } from '../../vscode/mentionItems';
import { pickContext } from '../../vscode/pickContext';
import { workspacePath, workspaceUri } from '../../vscode/workspace/editorWorkspace';
import { noResult } from '../noResult';

type EditorApi = Pick<
  HostApi,
  | 'openFile'
  | 'findFiles'
  | 'openLink'
  | 'runCommand'
  | 'reportViewError'
  | 'addContext'
  | 'completeMention'
  | 'attachMention'
  | 'attachFiles'
  | 'insertAtCursor'
  | 'applyToFile'
>;

class CannotOpenError extends AppError {
  readonly code = 'cannotOpen';
}

/** Asks whether to open a file outside the workspace. Resolves with its URI if the user agrees, and with null otherwise. */
async function fileOutside(path: string): Promise<vscode.Uri | null> {
  const uri = vscode.Uri.file(path);
  if (vscode.workspace.getWorkspaceFolder(uri)) return uri;
  const text = vscode.l10n.t('Open {0}?', path);
  const detail = vscode.l10n.t('The file is outside the workspace.');
  return (await confirm({ text, detail, yes: vscode.l10n.t('Open'), isHarmless: true })) ? uri : null;
}

/** Returns the path of a file in the form that entries use. Returns null if the workspace has no such file. */
async function fileOfWorkspace(path: string): Promise<string | null> {
  const uri = isAbsolute(path) ? vscode.Uri.file(path) : workspaceUri(path);
  if (uri === undefined || (isAbsolute(path) && !vscode.workspace.getWorkspaceFolder(uri))) return null;
  const file = await asOnDisk(uri.fsPath);
  const isFile = await stat(file).then(
    (stats) => stats.isFile(),
    () => false,
  );
  return isFile ? workspacePath(vscode.Uri.file(file)) : null;
}

/**
 * Normalizes a URL as a browser does, so that the displayed URL is the
 * one that opens: `https://good\@evil` becomes `https://good/@evil`.
 */
function webLink(url: string): string {
  if (!URL.canParse(url))
    throw new CannotOpenError('Not a link', vscode.l10n.t('This link cannot be opened because it is not a valid address.'));
  const { protocol, href } = new URL(url);
  if (protocol === 'http:' || protocol === 'https:') return href;
  throw new CannotOpenError(`Refused to open a ${protocol} link`, vscode.l10n.t('Only web links can be opened.'));
}

/** Commands of VS Code that the view can run. */
const editorCommands: Readonly<Record<string, string>> = {
  openFolder: 'workbench.action.files.openFolder',
  manageTrust: 'workbench.trust.manage',
};

export function editorHandlers(
  logger: Logger,
  attachments: Pick<AttachmentReader, 'checkAll'>,
  proposals: Pick<CodeProposals, 'show'>,
  lastTerminal: () => unknown,
): EditorApi {
  /** Checks files and selections. Other items are read when the message is sent. */
  const attach = async (items: readonly AttachmentRef[]) => {
    const isRead = ({ kind }: AttachmentRef) => kind === 'file' || kind === 'selection';
    const checked = await attachments.checkAll(items.filter(isRead));
    return { ...checked, items: [...items.filter((item) => !isRead(item)), ...checked.items] };
  };
  return {
    addContext: async () => attach(await pickContext(lastTerminal)),
    completeMention: async ({ kind, query }) => ({ items: await mentionItems(kind, query) }),
    attachMention: async ({ item }) => {
      const wanted = item ?? selectionItem();
      if (wanted === null) return { items: [], problems: [vscode.l10n.t('Nothing is selected in the editor.')] };
      const [checked, isEmpty] = await Promise.all([attach([wanted]), isEmptyNow(wanted, lastTerminal)]);
      return { ...checked, ...(isEmpty && { isEmpty }) };
    },
    attachFiles: async ({ uris }) => {
      const items: AttachmentRef[] = [];
      const problems: string[] = [];
      for (const text of uris) {
        const uri = parseUri(text);
        if (uri !== null && isFile(uri)) items.push(fileItem(uri));
        else problems.push(vscode.l10n.t('{0} cannot be attached because it is not a file on this computer.', text));
      }
      const checked = await attachments.checkAll(items);
      return { items: checked.items, problems: [...problems, ...checked.problems] };
    },
    insertAtCursor: noResult(({ text }) => insertAtCursor(text)),
    applyToFile: noResult(({ text }) => applyToFile(text, proposals)),
    openFile: noResult(async ({ path, startLine, endLine }) => {
      const uri = isAbsolute(path) ? await fileOutside(path) : workspaceUri(path);
      if (uri === null) return;
      if (!uri) throw new CannotOpenError(`Outside the workspace: ${path}`, vscode.l10n.t('{0} is not in this workspace.', path));
      try {
        const editor = await vscode.window.showTextDocument(uri, { preview: true });
        if (startLine !== undefined) showLines(editor, startLine - 1, (endLine ?? startLine) - 1);
      } catch (error) {
        throw new CannotOpenError(messageOf(error), vscode.l10n.t('Could not open {0}. The file may have been moved.', path), {
          cause: error,
        });
      }
    }),
    findFiles: async ({ paths }) => ({ found: await Promise.all(paths.map(fileOfWorkspace)) }),
    openLink: noResult(async ({ url }) => {
      const link = webLink(url);
      const detail = vscode.l10n.t('The link is from a message. The website can see that you opened it.');
      const isAgreed = await confirm({ text: link, detail, yes: vscode.l10n.t('Open'), isHarmless: true });
      if (isAgreed) await vscode.env.openExternal(vscode.Uri.parse(link, true));
    }),
    runCommand: noResult(({ command }) => vscode.commands.executeCommand(editorCommands[command] ?? `ollamaCopilot.${command}`)),
    reportViewError: noResult(({ message, stack }) => logger.error(`In the view: ${message}`, stack ?? '')),
  };
}

function parseUri(text: string): vscode.Uri | null {
  try {
    return vscode.Uri.parse(text);
  } catch {
    return null;
  }
}

/** Returns true for files. VS Code can also pass dropped files with the scheme of a remote window. */
function isFile({ scheme }: vscode.Uri): boolean {
  return scheme === 'file' || scheme === 'vscode-remote';
}

/**
 * Shows lines (0-based) with the cursor in the first line. Does not select them, because a
 * selection is sent with the next message.
 */
function showLines(editor: vscode.TextEditor, first: number, last: number): void {
  editor.selection = new vscode.Selection(first, 0, first, 0);
  editor.revealRange(new vscode.Range(first, 0, last, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
