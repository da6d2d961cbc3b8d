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
  private thread: vscode.CommentThread;
  private said: vscode.Comment[] = [];
  private exchange: Exchange | undefined;
  private box: vscode.Comment | undefined;
  private lines: LineRange;

  constructor(
    private readonly controller: vscode.CommentController,
    private readonly place: EditorPlace,
  ) {
    this.lines = place.lines;
    this.thread = this.create();
  }

  /** Lines of the thread, at their place of now. */
  get where(): EditorPlace {
    return { ...this.place, lines: this.lines };
  }

  /** Opens a text box, which takes the focus; one that is open already is opened again for that. */
  ask(): void {
    const isFirst = this.exchange === undefined;
    const name = isFirst ? vscode.l10n.t('Describe a change or ask a question') : vscode.l10n.t('Describe what to change next');
    this.box = { body: '', mode: vscode.CommentMode.Editing, author: { name }, contextValue: 'ask' };
    this.renew();
  }

  /** Closes the text box, and gives the focus back to the file. */
  closeBox(): void {
    if (this.box === undefined) return;
    this.box = undefined;
    this.renew();
    focusFile();
  }

  show(exchange: Exchange): void {
    if (JSON.stringify(exchange) === JSON.stringify(this.exchange)) return;
    const { stage, asked, answer, note } = exchange;
    // The editor names a comment once, by its first words.
    const isNew = stage !== this.exchange?.stage || asked !== this.exchange.asked;
    const [you, model] = isNew ? [] : this.said;
    const spoken = model ?? preview('Ollama Copilot');
    Object.assign(spoken, { body: answer === '' ? '' : markdown(answer), label: note });
    this.said = [you ?? { ...preview(vscode.l10n.t('You')), body: markdown(asked) }, spoken];
    this.exchange = exchange;
    this.thread.contextValue = stage;
    this.thread.range = this.range;
    this.thread.comments = this.comments;
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

  private get comments(): vscode.Comment[] {
    return this.box === undefined ? this.said : [...this.said, this.box];
  }

  /** Makes the thread anew: the editor would give one that had a text box the focus with every change of its text. */
  private renew(): void {
    this.thread.dispose();
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

/** Gives the focus back to the file, from what is gone. */
export function focusFile(): void {
  void vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
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
