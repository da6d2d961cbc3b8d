import { realpathSync } from 'node:fs';
import * as vscode from 'vscode';
import type { ReviewDocument, ReviewEditor, TextChange, TextChanged } from '../../services/review/reviewPorts';
import type { ReviewPlace } from '../../services/review/reviewTypes';
import type { Disposable } from '../../utils/disposable';
import { Emitter } from '../../utils/emitter';
import type { Logger } from '../../utils/logger';
import { openUri } from '../workspace/openFiles';

const reasons = { [vscode.TextDocumentChangeReason.Undo]: 'undo', [vscode.TextDocumentChangeReason.Redo]: 'redo' } as const;

/** Implements `ReviewEditor` with VS Code's documents. Documents are identified by their real paths. */
export class VscodeReviewEditor implements ReviewEditor, Disposable {
  private readonly changed: Emitter<TextChanged>;
  private readonly moved: Emitter<ReviewPlace | undefined>;
  private readonly subscriptions: vscode.Disposable[];
  /** Real path of each path in VS Code. If a symbolic link gets a new target, the change takes effect in the next window. */
  private readonly realPaths = new Map<string, string>();

  constructor(logger: Logger) {
    const onError = (error: unknown) => logger.error('A listener of the editor failed', error);
    this.changed = new Emitter(onError);
    this.moved = new Emitter(onError);
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument((event) => this.textChanged(event)),
      vscode.window.onDidChangeActiveTextEditor(() => this.moved.fire(this.cursor())),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.moved.fire(this.cursor());
      }),
    ];
  }

  get onDidChangeText() {
    return this.changed.event;
  }

  get onDidMoveCursor() {
    return this.moved.event;
  }

  /** Returns the real path of a document, or undefined if it is not a file. */
  realPath({ uri }: Pick<vscode.TextDocument, 'uri'>): string | undefined {
    if (uri.scheme !== 'file') return undefined;
    const known = this.realPaths.get(uri.fsPath);
    if (known !== undefined) return known;
    try {
      const real = realpathSync.native(uri.fsPath);
      this.realPaths.set(uri.fsPath, real);
      return real;
    } catch {
      return uri.fsPath;
    }
  }

  document(path: string): ReviewDocument | undefined {
    const document = this.find(path);
    return document && { text: document.getText(), version: document.version, isDirty: document.isDirty };
  }

  visible(): string[] {
    const { activeTextEditor: active, visibleTextEditors: all } = vscode.window;
    const editors = active === undefined ? all : [active, ...all.filter((editor) => editor !== active)];
    return [...new Set(editors.flatMap(({ document }) => this.realPath(document) ?? []))];
  }

  cursor(): ReviewPlace | undefined {
    const editor = vscode.window.activeTextEditor;
    const path = editor && this.realPath(editor.document);
    return editor && path !== undefined ? { path, line: editor.selection.active.line } : undefined;
  }

  async edit(path: string, version: number, changes: readonly TextChange[]): Promise<boolean> {
    const document = this.find(path);
    if (document?.version !== version) return false;
    const wasDirty = document.isDirty;
    const editor = vscode.window.visibleTextEditors.find((one) => one.document === document);
    if (!(await (editor === undefined ? applied(document, changes) : editedIn(editor, changes)))) return false;
    if (!wasDirty) await document.save();
    return true;
  }

  async show({ path, line }: ReviewPlace): Promise<void> {
    const uri = openUri(path);
    const shown = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
    const at = new vscode.Position(line, 0);
    const editor = await vscode.window.showTextDocument(uri, {
      selection: new vscode.Range(at, at),
      ...(shown?.viewColumn !== undefined && { viewColumn: shown.viewColumn }),
    });
    editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
    this.changed.dispose();
    this.moved.dispose();
  }

  private find(path: string): vscode.TextDocument | undefined {
    return vscode.workspace.textDocuments.find((document) => !document.isClosed && this.realPath(document) === path);
  }

  private textChanged({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    if (contentChanges.length === 0) return;
    const path = this.realPath(document);
    if (path === undefined) return;
    const changes = contentChanges.map(({ range: { start, end }, text }) => ({
      startLine: start.line,
      startCharacter: start.character,
      endLine: end.line,
      endCharacter: end.character,
      text,
    }));
    this.changed.fire({ path, changes, version: document.version, reason: reason === undefined ? 'other' : reasons[reason] });
  }
}

function toRange({ startLine, startCharacter, endLine, endCharacter }: TextChange): vscode.Range {
  return new vscode.Range(startLine, startCharacter, endLine, endCharacter);
}

/** Applies the changes as one undo step. */
async function editedIn(editor: vscode.TextEditor, changes: readonly TextChange[]): Promise<boolean> {
  return editor.edit((edit) => {
    for (const change of changes) edit.replace(toRange(change), change.text);
  });
}

async function applied({ uri }: vscode.TextDocument, changes: readonly TextChange[]): Promise<boolean> {
  const edit = new vscode.WorkspaceEdit();
  for (const change of changes) edit.replace(uri, toRange(change), change.text);
  return vscode.workspace.applyEdit(edit);
}
