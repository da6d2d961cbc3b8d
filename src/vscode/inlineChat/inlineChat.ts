import * as vscode from 'vscode';
import { Emitter } from '../../utils/emitter';
import { DisposableStore } from '../../utils/disposable';
import { AppError } from '../../utils/errors';
import { placeInEditor, type EditorPlace } from '../editorItems';
import { CommentsVisibility } from './commentsVisibility';
import { InlineTalk, type InlineChatServices } from './inlineTalk';
import { focusFile, InlineThread } from './inlineThread';

const controllerId = 'ollamaCopilot.inlineChat';
/** Context key. Its value is an `InlineStage`, or `ask` in the active editor. */
const contextKey = 'ollamaCopilot.inlineChat';

class NoFileError extends AppError {
  readonly code = 'noFile';
}

/** Manages the inline chat of a window. Only one is open at a time. */
export class InlineChat {
  private readonly store = new DisposableStore();
  private readonly comments = this.store.add(vscode.comments.createCommentController(controllerId, vscode.l10n.t('Inline chat')));
  private readonly visibility = new CommentsVisibility();
  private readonly sessions: Emitter<string | null>;
  private talk: InlineTalk | undefined;
  /** Session of the last inline chat. Its changes can become pending again, for example, by `Ctrl+Z` after *Discard*. */
  private left: string | null = null;
  private told: string | null = null;
  private stage = '';

  constructor(private readonly services: InlineChatServices) {
    this.sessions = new Emitter((error) => services.logger.error('A listener of the inline chat failed', error));
    this.store.add(vscode.window.onDidChangeActiveTextEditor(() => this.tell()));
    this.store.add({ dispose: () => this.close() });
  }

  /** Session whose changes the editor shows, even after the inline chat was closed. */
  get sessionId(): string | null {
    return this.talk?.sessionId ?? this.left;
  }

  get onDidChangeSession() {
    return this.sessions.event;
  }

  /** Opens the text box. If a keyboard shortcut passes a text (`given`), sends the text and resolves when the run ends. */
  async open(given: unknown): Promise<void> {
    const talk = await this.talkAt(placeInEditor());
    if (typeof given === 'string') await talk.send(given);
    else if (talk.stage !== 'running') await this.visibility.afterAsking(() => talk.box.ask());
  }

  /** Sends the text in the text box. VS Code passes it as a comment. */
  async send(comment: unknown): Promise<void> {
    const { talk } = this;
    const text = typeof comment === 'object' && comment !== null && 'body' in comment ? comment.body : undefined;
    const words = typeof text === 'string' ? text : (text as vscode.MarkdownString | undefined)?.value;
    if (talk === undefined || words === undefined) return;
    if (words.trim() === '') await this.cancel();
    else await talk.send(words);
  }

  async accept(): Promise<void> {
    if (await this.talk?.accept()) await this.close();
  }

  async discard(): Promise<void> {
    if (await this.talk?.discard()) await this.close();
  }

  async regenerate(): Promise<void> {
    await this.talk?.regenerate();
  }

  async stop(): Promise<void> {
    await this.talk?.stop();
  }

  /** Opens a text box below the last answer. */
  async followUp(): Promise<void> {
    const { talk } = this;
    if (talk === undefined || talk.stage === 'ask' || talk.stage === 'running') return;
    await this.visibility.afterAsking(() => talk.box.ask());
  }

  /**
   * Closes only the text box if changes are pending or an answer is shown. Otherwise, closes the inline chat. Also
   * closes it if `target` is a thread without pending changes.
   */
  async cancel(target?: unknown): Promise<void> {
    const { talk } = this;
    const isThread = typeof target === 'object' && target !== null && 'comments' in target;
    if (talk?.stage === 'changed' || (talk?.stage !== 'ask' && talk?.box.isOpen === true && !isThread)) {
      talk.box.closeBox();
      return;
    }
    await this.close();
    focusFile();
  }

  /** Stops the run and closes the inline chat. Changes stay pending in the session and visible in the editor. */
  async close(): Promise<void> {
    const { talk } = this;
    if (talk === undefined) return;
    this.talk = undefined;
    this.left = talk.sessionId ?? this.left;
    this.visibility.restore();
    this.tell();
    await talk.stop();
    await talk.dispose();
  }

  async dispose(): Promise<void> {
    await this.store.dispose();
  }

  private async talkAt(place: EditorPlace | null): Promise<InlineTalk> {
    if (place === null)
      throw new NoFileError('No file', vscode.l10n.t('Open a file to use inline chat. Save an untitled file first.'));
    const { talk } = this;
    if (talk !== undefined && (talk.stage === 'running' || isWithin(place, talk.place))) return talk;
    await this.close();
    const pending = await this.pendingSession();
    // The shortcut can be pressed again in the meantime.
    if (this.talk !== undefined) return this.talk;
    const thread = new InlineThread(this.comments, place);
    this.talk = new InlineTalk(
      this.services,
      thread,
      pending,
      () => this.tell(),
      () => void this.close().catch((error: unknown) => this.services.logger.error('The inline chat could not be closed', error)),
    );
    this.tell();
    return this.talk;
  }

  /** Returns the session of the last inline chat if it has pending changes, and null otherwise. */
  private async pendingSession(): Promise<string | null> {
    const { left } = this;
    return left === null || (await this.services.changes.list(left)).length === 0 ? null : left;
  }

  /** Notifies listeners and updates the context key. */
  private tell(): void {
    const { sessionId, talk } = this;
    if (sessionId !== this.told) {
      this.told = sessionId;
      this.sessions.fire(sessionId);
    }
    const active = vscode.window.activeTextEditor?.document.uri;
    const isHere =
      active === undefined || active.scheme === 'comment' || active.toString() === talk?.place.document.uri.toString();
    const stage = talk !== undefined && isHere ? talk.stage : '';
    if (stage === this.stage) return;
    this.stage = stage;
    void vscode.commands.executeCommand('setContext', contextKey, stage);
  }
}

function isWithin({ document, lines }: EditorPlace, other: EditorPlace): boolean {
  return (
    document === other.document &&
    lines.start >= other.lines.start &&
    lines.end <= Math.max(other.lines.end, other.lines.start + 1)
  );
}
