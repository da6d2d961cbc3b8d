import * as vscode from 'vscode';
import type { CompletionEngine } from '../../completion/completionEngine';
import { DisposableStore } from '../../utils/disposable';
import { completionDocument } from './completionDocument';

/** Milliseconds without a key after which the server may read ahead. */
const idleMs = 1000;

/** Place in a document at a moment: nothing was typed since while it is the same. */
interface Place {
  uri: string;
  version: number;
  offset: number;
}

/** Follows the cursor between the editor's questions: shows the rest of a block when it has come, and warms the server when nobody types. */
export class CompletionWatch extends DisposableStore {
  private shownAt: Place | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly engine: Pick<CompletionEngine, 'warm' | 'onDidGrow'>,
    /** Tells whether something may be suggested at a cursor by itself. */
    private readonly isOpen: (document: vscode.TextDocument, position: vscode.Position) => Promise<boolean>,
  ) {
    super();
    this.add(engine.onDidGrow(() => this.showRest()));
    this.add(vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.wait(textEditor)));
    this.add({ dispose: () => clearTimeout(this.timer) });
  }

  /** Notes where a suggestion was shown. */
  shown(document: vscode.TextDocument, position: vscode.Position): void {
    this.shownAt = placeOf(document, position);
  }

  private showRest(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !isSame(placeOf(editor.document, editor.selection.active), this.shownAt)) return;
    void vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  }

  private wait(editor: vscode.TextEditor): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.warm(editor), idleMs);
  }

  private async warm(editor: vscode.TextEditor): Promise<void> {
    if (editor !== vscode.window.activeTextEditor) return;
    const { document, selection } = editor;
    const place = placeOf(document, selection.active);
    if (!selection.isEmpty || !(await this.isOpen(document, selection.active))) return;
    if (isSame(placeOf(document, editor.selection.active), place))
      await this.engine.warm(completionDocument(document, selection.active));
  }
}

function placeOf(document: vscode.TextDocument, position: vscode.Position): Place {
  return { uri: document.uri.toString(), version: document.version, offset: document.offsetAt(position) };
}

function isSame(one: Place, other: Place | undefined): boolean {
  return one.uri === other?.uri && one.version === other.version && one.offset === other.offset;
}
