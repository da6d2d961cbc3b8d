import * as vscode from 'vscode';
import type { LineProblem } from '../../completion/nextEdit/nextEdit';
import type { CompletionDocument } from '../../completion/completionTypes';
import { DisposableStore } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { completionDocument } from './completionDocument';

const visibleKey = 'ollamaCopilot.nextEditVisible';
/** Maximum distance in lines between an edit and a problem caused by the edit. */
const reach = 10;
/** Time for which an edit counts as recent, and time without typing before a request. Both are in milliseconds. */
const recentMs = 10_000;
const quietMs = 700;

export interface NextEditPorts {
  isOn: () => boolean;
  /** Returns true if completions are allowed to read a file. */
  isOpen: (document: vscode.TextDocument, position: vscode.Position) => Promise<boolean>;
  /** Resolves with the fixed line. Resolves with undefined if there is no suitable fix or no model is loaded. */
  rewrite: (document: CompletionDocument, problem: LineProblem, signal: AbortSignal) => Promise<string | undefined>;
  logger: Logger;
}

interface Proposal {
  editor: vscode.TextEditor;
  version: number;
  line: number;
  text: string;
}

/** Suggests a rewritten line if an edit caused a problem. Shows the line next to the problem. Tab or a Quick Fix applies it. */
export class NextEditWatch extends DisposableStore implements vscode.CodeActionProvider {
  private readonly drawn = this.add(
    vscode.window.createTextEditorDecorationType({
      after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorGhostText.foreground'), fontStyle: 'italic' },
    }),
  );
  private lastEdit: { uri: string; line: number; at: number } | undefined;
  private proposal: Proposal | undefined;
  private timer: NodeJS.Timeout | undefined;
  private asking: AbortController | undefined;

  constructor(private readonly ports: NextEditPorts) {
    super();
    this.add(vscode.workspace.onDidChangeTextDocument((event) => this.edited(event)));
    this.add(vscode.languages.onDidChangeDiagnostics(({ uris }) => this.look(uris)));
    this.add(vscode.window.onDidChangeActiveTextEditor(() => this.clear()));
    this.add(vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, this));
    this.add({ dispose: () => this.clear() });
  }

  async accept(): Promise<void> {
    const { proposal } = this;
    this.clear();
    if (proposal === undefined || proposal.editor.document.version !== proposal.version) return;
    const { range } = proposal.editor.document.lineAt(proposal.line);
    await proposal.editor.edit((edit) => edit.replace(range, proposal.text));
  }

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
    const { proposal } = this;
    if (proposal?.editor.document !== document || range.start.line > proposal.line || range.end.line < proposal.line) return [];
    const action = new vscode.CodeAction(vscode.l10n.t('Change to: {0}', proposal.text.trim()), vscode.CodeActionKind.QuickFix);
    action.edit = new vscode.WorkspaceEdit();
    action.edit.replace(document.uri, document.lineAt(proposal.line).range, proposal.text);
    return [action];
  }

  clear(): void {
    clearTimeout(this.timer);
    this.asking?.abort();
    if (this.proposal === undefined) return;
    this.proposal.editor.setDecorations(this.drawn, []);
    this.proposal = undefined;
    void vscode.commands.executeCommand('setContext', visibleKey, false);
  }

  private edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
    const [change] = contentChanges;
    if (change === undefined || document !== vscode.window.activeTextEditor?.document) return;
    this.lastEdit = { uri: document.uri.toString(), line: change.range.start.line, at: Date.now() };
    this.clear();
  }

  private look(uris: readonly vscode.Uri[]): void {
    const { lastEdit } = this;
    if (!this.ports.isOn() || lastEdit === undefined || Date.now() - lastEdit.at > recentMs) return;
    if (!uris.some((uri) => uri.toString() === lastEdit.uri)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => void this.propose(lastEdit.line).catch((error: unknown) => this.ports.logger.warn('No next edit', error)),
      quietMs,
    );
  }

  private async propose(editedLine: number): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || this.proposal !== undefined) return;
    const { document } = editor;
    const { version } = document;
    const problem = nearest(vscode.languages.getDiagnostics(document.uri), editedLine);
    if (problem === undefined || !(await this.ports.isOpen(document, problem.range.start))) return;
    const { line } = problem.range.start;
    this.asking?.abort();
    const controller = (this.asking = new AbortController());
    const text = await this.ports.rewrite(withoutLine(document, line), lineProblem(document, problem), controller.signal);
    if (text === undefined || controller.signal.aborted || document.version !== version) return;
    this.show({ editor, version, line, text });
  }

  private show(proposal: Proposal): void {
    const { editor, line, text } = proposal;
    this.proposal = proposal;
    const { end } = editor.document.lineAt(line).range;
    const contentText = vscode.l10n.t('→ {0} (Tab)', text.trim());
    editor.setDecorations(this.drawn, [{ range: new vscode.Range(end, end), renderOptions: { after: { contentText } } }]);
    void vscode.commands.executeCommand('setContext', visibleKey, true);
  }
}

/** Returns the nearest single-line error within ten lines of an edit. */
function nearest(problems: readonly vscode.Diagnostic[], line: number): vscode.Diagnostic | undefined {
  const distance = ({ range }: vscode.Diagnostic) => Math.abs(range.start.line - line);
  return problems
    .filter(({ severity, range }) => severity === vscode.DiagnosticSeverity.Error && range.isSingleLine)
    .filter((problem) => distance(problem) <= reach)
    .sort((one, other) => distance(one) - distance(other))[0];
}

function lineProblem(document: vscode.TextDocument, { range, message }: vscode.Diagnostic): LineProblem {
  const { text } = document.lineAt(range.start.line);
  return { line: text, from: range.start.character, to: range.end.character, message };
}

/** Returns the document without the line. The cursor is where the line was. */
function withoutLine(document: vscode.TextDocument, line: number): CompletionDocument {
  const { range } = document.lineAt(line);
  return completionDocument(document, range.start, { range, text: '' });
}
