import * as vscode from 'vscode';
import { movedLines } from '../../services/review/hunks';
import type { LineRange } from '../../services/review/reviewTypes';
import type { TextChange } from '../../utils/text/textChanges';
import type { EditorPlace } from '../editorItems';

/** Stage of an inline chat: running, changes pending, answered without changes, or failed. */
export type InlineStage = 'running' | 'changed' | 'answered' | 'failed';

export interface Exchange {
  stage: InlineStage;
  asked: string;
  /** Answer of the model as Markdown, or an error message. */
  answer: string;
  note: string;
}

/** Shows an inline chat as a comment thread below the lines. The last comment is the text box. */
export class InlineThread {
  /**
   * Thread, which is only created when there is content. VS Code does not remove the glyph
   * of a thread that is disposed immediately.
   */
  private thread: vscode.CommentThread | undefined;
  private said: vscode.Comment[] = [];
  private exchange: Exchange | undefined;
  private box: vscode.Comment | undefined;
  private lines: LineRange;

  constructor(
    private readonly controller: vscode.CommentController,
    private readonly place: EditorPlace,
  ) {
    this.lines = place.lines;
  }

  get where(): EditorPlace {
    return { ...this.place, lines: this.lines };
  }

  get isOpen(): boolean {
    return this.box !== undefined;
  }

  /** Opens a text box and focuses it. An open text box is closed and reopened to get the focus. */
  ask(): void {
    const isFurther = this.exchange !== undefined && this.box === undefined;
    this.box = { body: '', mode: vscode.CommentMode.Editing, author: { name: this.boxName }, contextValue: 'ask' };
    // In a new thread with other comments, the text box does not get the focus.
    if (isFurther && this.thread !== undefined) this.thread.comments = this.comments;
    else this.renew();
  }

  /** Closes the text box and focuses the file. */
  closeBox(): void {
    if (this.box === undefined) return;
    this.box = undefined;
    this.renew();
    focusFile();
  }

  show(exchange: Exchange): void {
    if (JSON.stringify(exchange) === JSON.stringify(this.exchange)) return;
    const { stage, asked, answer, note } = exchange;
    // VS Code sets the accessible name of a comment only once, from its first text.
    const isNew = stage !== this.exchange?.stage || asked !== this.exchange.asked;
    const [you, model] = isNew ? [] : this.said;
    const spoken = model ?? preview('Ollama Copilot');
    Object.assign(spoken, { body: answer === '' ? '' : markdown(answer), label: note });
    this.said = [you ?? { ...preview(vscode.l10n.t('You')), body: markdown(asked) }, spoken];
    this.exchange = exchange;
    const thread = (this.thread ??= this.create());
    thread.contextValue = stage;
    thread.range = this.range;
    thread.comments = this.comments;
  }

  move(changes: readonly TextChange[]): void {
    this.lines = movedLines(this.lines, changes);
  }

  dispose(): void {
    this.thread?.dispose();
  }

  private get boxName(): string {
    if (this.exchange === undefined) return vscode.l10n.t('Describe a change or ask a question');
    return this.exchange.stage === 'changed'
      ? vscode.l10n.t('Describe the next change')
      : vscode.l10n.t('Ask a follow-up question or describe a change');
  }

  private get range(): vscode.Range {
    const { document, isCursor } = this.place;
    const last = Math.min(Math.max(this.lines.start, this.lines.end - 1), document.lineCount - 1);
    if (isCursor) return new vscode.Range(last, 0, last, 0);
    return new vscode.Range(Math.min(this.lines.start, last), 0, last, document.lineAt(last).text.length);
  }

  private get comments(): vscode.Comment[] {
    return this.box === undefined ? this.said : [...this.said, this.box];
  }

  /** Recreates the thread. Otherwise, VS Code would focus a thread that had a text box whenever its text changes. */
  private renew(): void {
    this.thread?.dispose();
    this.thread = this.create();
  }

  private create(): vscode.CommentThread {
    const thread = this.controller.createCommentThread(this.place.document.uri, this.range, this.comments);
    return Object.assign(thread, {
      canReply: false,
      label: vscode.l10n.t('Inline chat'),
      collapsibleState: vscode.CommentThreadCollapsibleState.Expanded,
      contextValue: this.exchange?.stage ?? 'ask',
    });
  }
}

/** Moves the focus from a closed text box to the file. */
export function focusFile(): void {
  void vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
}

function preview(name: string): vscode.Comment {
  return { body: '', mode: vscode.CommentMode.Preview, author: { name } };
}

/**
 * Returns Markdown without commands and images. VS Code opens the Comments panel for a thread with text, unless
 * `supportThemeIcons` is not a boolean. This behavior is undocumented. An end-to-end test covers it.
 */
function markdown(text: string): vscode.MarkdownString {
  const shown = new vscode.MarkdownString(text.replaceAll('![', '!\u200b['));
  return Object.assign(shown, { isTrusted: false, supportHtml: false, supportThemeIcons: null });
}
