import * as vscode from 'vscode';
import { movedLines } from '../../services/review/hunks';
import type { LineRange } from '../../services/review/reviewTypes';
import type { TextChange } from '../../utils/text/textChanges';
import type { EditorPlace } from '../editorItems';

/** Stage of an inline chat: a run is at work, its changes are pending, it answered in words, or it failed. */
export type InlineStage = 'running' | 'changed' | 'answered' | 'failed';

/** Last message of an inline chat and what came of it. */
export interface Exchange {
  stage: InlineStage;
  /** Words of the person. */
  asked: string;
  /** Words of the model, as Markdown, or of an error. */
  answer: string;
  /** Says in a few words how it stands. */
  note: string;
}

/** Shows an inline chat in the editor: a comment thread below the lines, whose last comment is the text box while there is one. */
export class InlineThread {
  private readonly thread: vscode.CommentThread;
  private readonly asked = preview(vscode.l10n.t('You'));
  private readonly answer = preview('Ollama Copilot');
  private exchange: Exchange | undefined;
  private box: vscode.Comment | undefined;
  private lines: LineRange;

  constructor(
    controller: vscode.CommentController,
    private readonly place: EditorPlace,
  ) {
    this.lines = place.lines;
    this.thread = controller.createCommentThread(place.document.uri, this.range, []);
    Object.assign(this.thread, {
      canReply: false,
      label: vscode.l10n.t('Inline chat'),
      collapsibleState: vscode.CommentThreadCollapsibleState.Expanded,
    });
  }

  /** Lines of the thread, at their place of now. */
  get where(): EditorPlace {
    return { ...this.place, lines: this.lines };
  }

  get isAsking(): boolean {
    return this.box !== undefined;
  }

  /** Opens a text box, which takes the focus; one that is open already is opened again for that. */
  ask(): void {
    const isFirst = this.exchange === undefined;
    const name = isFirst ? vscode.l10n.t('Describe a change or ask a question') : vscode.l10n.t('Describe what to change next');
    this.box = { body: '', mode: vscode.CommentMode.Editing, author: { name }, contextValue: 'ask' };
    this.draw();
  }

  closeBox(): void {
    if (this.box === undefined) return;
    this.box = undefined;
    this.draw();
  }

  show(exchange: Exchange): void {
    if (JSON.stringify(exchange) === JSON.stringify(this.exchange)) return;
    this.exchange = exchange;
    this.asked.body = markdown(exchange.asked);
    this.answer.body = exchange.answer === '' ? '' : markdown(exchange.answer);
    this.answer.label = exchange.note;
    this.draw();
  }

  /** Follows a change of the document. */
  move(changes: readonly TextChange[]): void {
    this.lines = movedLines(this.lines, changes);
  }

  dispose(): void {
    this.thread.dispose();
  }

  private get range(): vscode.Range {
    const { document, isCursor } = this.place;
    const last = Math.min(Math.max(this.lines.start, this.lines.end - 1), document.lineCount - 1);
    if (isCursor) return new vscode.Range(last, 0, last, 0);
    return new vscode.Range(Math.min(this.lines.start, last), 0, last, document.lineAt(last).text.length);
  }

  private draw(): void {
    const { exchange, thread, box } = this;
    thread.contextValue = exchange?.stage ?? 'ask';
    thread.range = this.range;
    thread.comments = [...(exchange === undefined ? [] : [this.asked, this.answer]), ...(box === undefined ? [] : [box])];
  }
}

function preview(name: string): vscode.Comment {
  return { body: '', mode: vscode.CommentMode.Preview, author: { name } };
}

/**
 * Returns text that runs no command and loads no image. The editor opens its Comments panel for a thread with text, unless the flag for icons is no
 * boolean; that is documented nowhere, so an end-to-end test guards it.
 */
function markdown(text: string): vscode.MarkdownString {
  const shown = new vscode.MarkdownString(text.replaceAll('![', '!\u200b['));
  return Object.assign(shown, { isTrusted: false, supportHtml: false, supportThemeIcons: null });
}
