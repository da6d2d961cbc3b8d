import * as vscode from 'vscode';
import { formatNumber } from '../types/format';
import type { AttachmentRef } from '../protocol/entries';
import type { Disposable } from '../utils/disposable';
import { expandBraces, GlobError } from '../utils/text/globs';
import { workspacePath } from './workspace/editorWorkspace';

/** Maximum number of listed files. */
const maxListed = 2000;
/** Delay before a growing selection is reported, in milliseconds. */
const rest = 100;

/** Range in a document. Lines count from 0; `end` is exclusive. */
export interface EditorPlace {
  document: vscode.TextDocument;
  lines: { start: number; end: number };
  /** True if nothing is selected; `lines` is then the cursor line. */
  isCursor: boolean;
}

export function fileItem(uri: vscode.Uri): AttachmentRef {
  return { kind: 'file', path: workspacePath(vscode.Uri.file(uri.path)) };
}

export function selectionItem(): AttachmentRef | null {
  const editor = activeFileEditor();
  if (!editor || editor.selection.isEmpty) return null;
  const { start, end } = editor.selection;
  // A selection that ends at the start of a line does not include that line.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { ...fileItem(editor.document.uri), kind: 'selection', startLine: start.line + 1, endLine: last + 1 };
}

/** Returns the selection of the active editor, else its file, else null. */
export function editorItem(): AttachmentRef | null {
  const editor = activeFileEditor();
  return selectionItem() ?? (editor ? fileItem(editor.document.uri) : null);
}

export function itemsInEditor(): AttachmentRef[] {
  const editor = activeFileEditor();
  const selection = selectionItem();
  if (editor === undefined) return [];
  return [{ ...fileItem(editor.document.uri), kind: 'editor' }, ...(selection === null ? [] : [selection])];
}

/** Describes the language and cursor line of an open file for the model. */
export function aboutOpenFile(path: string): string | undefined {
  const editor = activeFileEditor();
  if (editor === undefined || fileItem(editor.document.uri).path !== path) return undefined;
  return aboutFile(editor.document.languageId, editor.selection.active.line + 1);
}

/** Describes the language of a file and its cursor line, from 1, for the model. */
export function aboutFile(languageId: string, line: number): string {
  return `${languageId}, the cursor is in line ${line}`;
}

/** Returns the selected lines of the active editor, else the cursor line. Returns null without a file. */
export function placeInEditor(): EditorPlace | null {
  const editor = activeFileEditor();
  if (editor === undefined) return null;
  const { document, selection } = editor;
  const { line } = selection.active;
  const { startLine, endLine } = selectionItem() ?? {};
  if (startLine === undefined || endLine === undefined)
    return { document, lines: { start: line, end: line + 1 }, isCursor: true };
  return { document, lines: { start: startLine - 1, end: endLine }, isCursor: false };
}

/** Reports the items in the editor now and after each change. A later view calls `itemsInEditor`. */
export function watchEditorItems(listener: (items: AttachmentRef[]) => void): Disposable {
  let told: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    const items = itemsInEditor();
    const text = JSON.stringify(items);
    if (text === told) return;
    told = text;
    listener(items);
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(tell, rest);
  };
  const subscriptions = [
    vscode.window.onDidChangeActiveTextEditor(later),
    vscode.window.onDidChangeVisibleTextEditors(later),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (textEditor === activeFileEditor()) later();
    }),
  ];
  tell();
  return {
    dispose: () => {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

interface Choice extends vscode.QuickPickItem {
  item?: AttachmentRef;
}

/** Resolves with an empty list if the user cancels. */
export async function pickItems(): Promise<AttachmentRef[]> {
  const browse: Choice = { label: vscode.l10n.t('$(folder-opened) Browse…'), alwaysShow: true };
  const choice = await vscode.window.showQuickPick(choices(browse), {
    title: vscode.l10n.t('Add Context'),
    placeHolder: vscode.l10n.t('Select what to attach to the message'),
    matchOnDescription: true,
  });
  if (choice !== browse) return choice?.item ? [choice.item] : [];
  const files = await vscode.window.showOpenDialog({
    canSelectMany: true,
    openLabel: vscode.l10n.t('Attach'),
    ...(vscode.workspace.workspaceFolders?.[0] && { defaultUri: vscode.workspace.workspaceFolders[0].uri }),
  });
  return (files ?? []).map(fileItem);
}

/** Builds a glob from the user's `search.exclude` patterns; `findFiles` adds `files.exclude`. */
function searchExclude(): string | undefined {
  const patterns = vscode.workspace.getConfiguration('search').get<Record<string, unknown>>('exclude') ?? {};
  // The editor does not support nested braces.
  const excluded = Object.keys(patterns).flatMap((pattern) => (patterns[pattern] === true ? withoutBraces(pattern) : []));
  return excluded.length > 0 ? `{${excluded.join(',')}}` : undefined;
}

/**
 * Expands the braces of a pattern. Returns an empty list if the pattern is rejected; the list then includes files that searches exclude.
 */
function withoutBraces(pattern: string): string[] {
  try {
    return expandBraces(pattern);
  } catch (error) {
    if (error instanceof GlobError) return [];
    throw error;
  }
}

/** Lists the attachable files after `browse`. */
export async function choices(browse: Choice): Promise<Choice[]> {
  const found = await vscode.workspace.findFiles('**/*', searchExclude(), maxListed);
  const selection = selectionItem();
  const current = activeFileEditor()?.document.uri;
  const open = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs.map(({ input }) => input))
    .flatMap((input) => (input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri] : []));
  const openPaths = new Set(open.map(({ path }) => path));
  const others = found.filter(({ path }) => !openPaths.has(path)).sort((a, b) => a.path.localeCompare(b.path));
  const heading = (label: string): Choice => ({ label, kind: vscode.QuickPickItemKind.Separator });
  return [
    ...(selection
      ? [
          {
            label: vscode.l10n.t('$(list-selection) Selection'),
            description: `${selection.path} ${selection.startLine}–${selection.endLine}`,
            item: selection,
          },
        ]
      : []),
    ...(current
      ? [
          {
            label: vscode.l10n.t('$(file) Current file'),
            description: fileItem(current).path,
            item: fileItem(current),
          },
        ]
      : []),
    browse,
    heading(vscode.l10n.t('Open editors')),
    ...fileChoices([...new Map(open.map((uri) => [uri.path, uri])).values()]),
    heading(
      found.length < maxListed
        ? vscode.l10n.t('Files')
        : vscode.l10n.t('First {0} files. Select Browse… for other files.', formatNumber(maxListed)),
    ),
    ...fileChoices(others),
  ];
}

function fileChoices(uris: readonly vscode.Uri[]): Choice[] {
  return uris.map((uri) => {
    const item = fileItem(uri);
    return { label: item.path.split('/').at(-1) ?? item.path, description: item.path, item };
  });
}

/** Returns the editor of the active file, even if the Output panel or another document has the focus. */
function activeFileEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  if (activeTextEditor?.document.uri.scheme === 'file') return activeTextEditor;
  const input = tabGroups.activeTabGroup?.activeTab?.input;
  if (!(input instanceof vscode.TabInputText) || input.uri.scheme !== 'file') return undefined;
  return visibleTextEditors.find(({ document }) => document.uri.toString() === input.uri.toString());
}
