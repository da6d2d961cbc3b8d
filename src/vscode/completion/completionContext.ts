import * as vscode from 'vscode';
import type { CompletionDocument } from '../../completion/completionTypes';
import type { CompletionGate } from '../../completion/gate/completionGate';
import type { FimContext } from '../../completion/models/fimFamily';
import type { ContextKeeper } from '../../completion/prompt/contextKeeper';
import { windowLines } from '../../completion/prompt/snippetRing';
import { DisposableStore } from '../../utils/disposable';
import { workspacePath } from '../workspace/editorWorkspace';

/** Time after the last edit or cursor move until the code around the cursor is recorded, in milliseconds. */
const settledMs = 1500;
/** Maximum number of names with definitions in the prompt, and maximum number of lines per definition. */
const maxNames = 5;
const definitionLines = 12;

type Gate = Pick<CompletionGate, 'exclusionReason'>;

/** Records the code that the user views and edits, as context for suggestions. Skips excluded files. */
export class CompletionContextWatch extends DisposableStore {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly keeper: Pick<ContextKeeper, 'ring' | 'edits'>,
    private readonly gate: Gate,
  ) {
    super();
    this.add(vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.wait(textEditor, false)));
    this.add(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const editor = vscode.window.activeTextEditor;
        if (contentChanges.length > 0 && editor?.document === document) this.wait(editor, true);
      }),
    );
    this.add({ dispose: () => clearTimeout(this.timer) });
  }

  private isEdited = false;

  private wait(editor: vscode.TextEditor, isEdit: boolean): void {
    this.isEdited ||= isEdit;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const { isEdited } = this;
      this.isEdited = false;
      void this.note(editor, isEdited);
    }, settledMs);
  }

  private async note({ document, selection }: vscode.TextEditor, isEdited: boolean): Promise<void> {
    if (!(await isOpen(this.gate, document.uri)) || document.isClosed) return;
    const path = workspacePath(document.uri);
    const { line } = selection.active;
    this.keeper.ring.add(path, readLines(document, line - windowLines / 2, windowLines));
    if (isEdited) this.keeper.edits.note(path, line, readLines(document, line - 2, 5));
  }
}

/** Returns the definitions of the names before a cursor. Searches other files that completions are allowed to read. */
export async function definitionsAround({ uri, before }: CompletionDocument, gate: Gate): Promise<FimContext[]> {
  const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri);
  if (document === undefined) return [];
  const found = await Promise.all(
    namesBefore(before).map(async (offset) => {
      const position = findPosition(document, before, offset);
      const places = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
        'vscode.executeDefinitionProvider',
        document.uri,
        position,
      );
      const [place] = places ?? [];
      return place === undefined ? undefined : definitionAt(place, document, gate);
    }),
  );
  return found.filter((piece) => piece !== undefined);
}

async function definitionAt(
  place: vscode.Location | vscode.LocationLink,
  document: vscode.TextDocument,
  gate: Gate,
): Promise<FimContext | undefined> {
  const target = 'targetUri' in place ? place.targetUri : place.uri;
  const range = 'targetUri' in place ? place.targetRange : place.range;
  if (target.toString() === document.uri.toString() || !(await isOpen(gate, target))) return undefined;
  const other = await vscode.workspace.openTextDocument(target);
  return { path: workspacePath(target), text: readLines(other, range.start.line, definitionLines) };
}

/** Returns the end offsets of the distinct names in the last lines before the cursor, nearest first. */
function namesBefore(before: string): number[] {
  const start = Math.max(0, before.length - 600);
  const seen = new Map<string, number>();
  for (const match of before.slice(start).matchAll(/\b[A-Za-z_$][\w$]{2,}\b/g)) {
    seen.delete(match[0]);
    seen.set(match[0], start + match.index);
  }
  return [...seen.values()].reverse().slice(0, maxNames);
}

/** Returns the position of an offset in a text with `\n` as line endings. */
function findPosition(document: vscode.TextDocument, before: string, offset: number): vscode.Position {
  const head = before.slice(0, offset);
  const line = head.split('\n').length - 1;
  return document.validatePosition(new vscode.Position(line, offset - (head.lastIndexOf('\n') + 1)));
}

async function isOpen(gate: Gate, uri: vscode.Uri): Promise<boolean> {
  return uri.scheme === 'file' && (await gate.exclusionReason(uri.fsPath)) === null;
}

/** Returns `count` lines starting at `from`, with `\n` as line endings. */
function readLines(document: vscode.TextDocument, from: number, count: number): string {
  const first = Math.max(0, from);
  const range = new vscode.Range(first, 0, Math.min(document.lineCount, first + count), 0);
  return document.getText(document.validateRange(range)).replaceAll('\r\n', '\n');
}
