import * as vscode from 'vscode';
import type { AttachmentRef } from '../protocol/entries';
import type { Disposable } from '../utils/disposable';
import { workspacePath } from './workspace/editorWorkspace';

/** Time until a growing selection is reported, in milliseconds. */
const rest = 100;

/** Range in a document. Lines are 0-based. `end` is exclusive. */
export interface EditorPlace {
  document: vscode.TextDocument;
  lines: { start: number; end: number };
  /** True if nothing is selected. `lines` is then the cursor line. */
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

/** Returns the selection of the active editor, or its file if nothing is selected. Returns null without an editor. */
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

/** Describes the language of a file and its 1-based cursor line for the model. */
export function aboutFile(languageId: string, line: number): string {
  return `${languageId}, the cursor is in line ${line}`;
}

/** Returns the selected lines of the active editor, or the cursor line if nothing is selected. Returns null without a file. */
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

/** Moves the cursor to the start of each selection in a document, so that the next key replaces no lines. */
export function collapseSelections(document: vscode.TextDocument): void {
  for (const editor of vscode.window.visibleTextEditors) {
    if (editor.document !== document || editor.selections.every(({ isEmpty }) => isEmpty)) continue;
    editor.selections = editor.selections.map(({ start }) => new vscode.Selection(start, start));
  }
}

/** Reports the items in the editor immediately and after each change. A view that opens later calls `itemsInEditor`. */
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

/** Returns the editor of the active file. Also works if the Output panel or another document has the focus. */
export function activeFileEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors, tabGroups } = vscode.window;
  if (activeTextEditor?.document.uri.scheme === 'file') return activeTextEditor;
  const input = tabGroups.activeTabGroup?.activeTab?.input;
  if (!(input instanceof vscode.TabInputText) || input.uri.scheme !== 'file') return undefined;
  return visibleTextEditors.find(({ document }) => document.uri.toString() === input.uri.toString());
}
