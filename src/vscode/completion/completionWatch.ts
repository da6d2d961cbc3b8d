import * as vscode from 'vscode';
import type { CompletionEngine } from '../../completion/completionEngine';
import type { CompletionStatistics } from '../../completion/statistics/completionStatistics';
import { DisposableStore } from '../../utils/disposable';
import { completionDocument } from './completionDocument';

/** Milliseconds without typing until the prompt is sent to the server in advance. */
const idleMs = 1000;

/** Suggestion that the editor shows. `version` and `offset` describe its document at that time. */
export interface ShownSuggestion {
  id: number;
  model: string;
  uri: string;
  version: number;
  offset: number;
  /** Text with the line endings of the document. */
  text: string;
}

export interface WatchPorts {
  engine: Pick<CompletionEngine, 'warm' | 'onDidGrow'>;
  statistics: Pick<CompletionStatistics, 'accept' | 'noteChange'>;
  /** Returns true if automatic suggestions are allowed at a cursor. */
  isOpen: (document: vscode.TextDocument, position: vscode.Position) => Promise<boolean>;
}

/**
 * Watches documents and the cursor between requests. Detects accepted text and idle time.
 * When the rest of a block arrives, shows it.
 */
export class CompletionWatch extends DisposableStore {
  private last: ShownSuggestion | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly ports: WatchPorts) {
    super();
    this.add(ports.engine.onDidGrow(() => this.showRest()));
    this.add(vscode.workspace.onDidChangeTextDocument((event) => this.note(event)));
    this.add(vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.wait(textEditor)));
    this.add({ dispose: () => clearTimeout(this.timer) });
  }

  shown(suggestion: ShownSuggestion): void {
    this.last = suggestion;
  }

  /** Records that the user accepted a whole suggestion. */
  accepted(id: number): void {
    if (this.last?.id !== id) return;
    const { model, uri, offset, text } = this.last;
    this.ports.statistics.accept(model, uri, offset, text);
    this.last = undefined;
  }

  private note({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const uri = document.uri.toString();
    for (const { rangeOffset: offset, rangeLength: removed, text } of contentChanges)
      this.ports.statistics.noteChange(uri, { offset, removed, text });
    const { last } = this;
    const [change] = contentChanges;
    if (last?.uri !== uri || change === undefined || contentChanges.length > 1) return;
    const { text, rangeOffset } = change;
    // A key press inserts one character. A longer insertion is an accepted word or line.
    const isPart = rangeOffset === last.offset && text.length > 1 && text.length < last.text.length && last.text.startsWith(text);
    if (isPart) this.ports.statistics.accept(last.model, uri, rangeOffset, text, false);
  }

  private showRest(): void {
    const editor = vscode.window.activeTextEditor;
    const { last } = this;
    if (editor === undefined || last === undefined || editor.document.uri.toString() !== last.uri) return;
    const { document, selection } = editor;
    if (document.version !== last.version || document.offsetAt(selection.active) !== last.offset) return;
    void vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
  }

  private wait(editor: vscode.TextEditor): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.warm(editor), idleMs);
  }

  private async warm(editor: vscode.TextEditor): Promise<void> {
    if (editor !== vscode.window.activeTextEditor || !editor.selection.isEmpty) return;
    const { document } = editor;
    const { version } = document;
    const { active } = editor.selection;
    if (!(await this.ports.isOpen(document, active))) return;
    if (document.version === version && editor.selection.active.isEqual(active))
      await this.ports.engine.warm(completionDocument(document, active));
  }
}
