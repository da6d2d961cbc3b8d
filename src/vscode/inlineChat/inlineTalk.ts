import * as vscode from 'vscode';
import type { SessionController } from '../../agent/loop/sessionController';
import type { BegunRun } from '../../agent/kernel/run';
import type { AttachmentReader } from '../../agent/prompt/attachmentReader';
import type { Attachment, EntryOf } from '../../protocol/entries';
import { selectConversation } from '../../protocol/reducer/timelineReducer';
import type { RunState } from '../../protocol/webviewEvents';
import { changesOfMessage } from '../../services/review/reviewSessionBuilder';
import type { UndoOutcome } from '../../services/review/reviewTypes';
import type { PendingChanges } from '../../services/review/pendingChanges';
import type { SessionLog } from '../../services/database/log/sessionLog';
import type { PendingEditReviewService } from '../../services/review/pendingEditReviewService';
import { isAtWork } from '../../types/runState';
import { AsyncMutex } from '../../utils/asyncMutex';
import { DisposableStore } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { aboutFile, collapseSelections, fileItem, type EditorPlace } from '../editorItems';
import { showProblems } from '../review/undoMessages';
import { describeStage, answerText } from './inlineAnswer';
import type { Exchange, InlineStage, InlineThread } from './inlineThread';

/** Maximum number of lines of a file that is sent completely if nothing is selected. The model reads longer files in parts. */
const longestFile = 500;
/** Interval between updates during a run, in milliseconds. */
const pause = 100;

export interface InlineChatServices {
  attachments: Pick<AttachmentReader, 'check' | 'read'>;
  controller: Pick<SessionController, 'send' | 'resend' | 'stop' | 'runState' | 'onDidChangeRunState'>;
  changes: Pick<PendingChanges, 'list' | 'compared' | 'keep' | 'undo' | 'onDidChange'>;
  review: Pick<PendingEditReviewService, 'startReview' | 'keepMessage' | 'undoMessage'>;
  log: Pick<SessionLog, 'read' | 'onDidChange'>;
  openChat: (sessionId: string) => Promise<void>;
  logger: Logger;
}

/**
 * Inline chat: a session in Edit mode, shown in a comment thread. Its buttons only keep
 * or undo the changes of the last message.
 */
export class InlineTalk {
  private readonly store = new DisposableStore();
  private current: InlineStage | 'ask' = 'ask';
  private readonly looks = new AsyncMutex();
  private timer: NodeJS.Timeout | undefined;
  private hasOpenedChat = false;
  /** True while changes are being kept or undone. The chat must not end during this time. */
  private isAnswering = false;
  private isDisposed = false;
  /**
   * True if the session does not contain the message of this chat
   * yet. Then the last message of the session is an earlier message.
   */
  private isUnsent = true;

  constructor(
    private readonly services: InlineChatServices,
    private readonly thread: InlineThread,
    /** Session with earlier pending changes, which this chat continues. Null starts a new session. */
    private session: string | null,
    private readonly onDidChange: () => void,
    private readonly onDidEnd: () => void,
  ) {
    const { controller, changes, log } = services;
    const look = ({ sessionId }: { sessionId: string }) => sessionId === this.session && this.later();
    for (const subscription of [
      controller.onDidChangeRunState(look),
      changes.onDidChange(look),
      log.onDidChange(look),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document === this.place.document) this.thread.move(contentChanges.map(toTextChange));
      }),
      { dispose: () => clearTimeout(this.timer) },
      { dispose: () => this.thread.dispose() },
    ])
      this.store.add(subscription);
  }

  get sessionId(): string | null {
    return this.session;
  }

  get stage(): InlineStage | 'ask' {
    return this.current;
  }

  get place(): EditorPlace {
    return this.thread.where;
  }

  get box(): Pick<InlineThread, 'ask' | 'isOpen' | 'closeBox'> {
    return this.thread;
  }

  /**
   * Sends a message about the lines. Resolves when the run ends. Does nothing if the text is
   * empty or the user declines to send the file.
   */
  async send(text: string): Promise<void> {
    if (text.trim() === '' || this.current === 'running') return;
    const attachments = await this.attached();
    if (attachments === null) {
      if (!this.isDisposed) this.thread.ask();
      return;
    }
    const message = { sessionId: this.session, text, mode: 'edit', model: null, attachments, isInline: true } as const;
    await this.running(text, () => this.services.controller.send(message));
  }

  /** Undoes the changes of the last message and sends it again. */
  async regenerate(): Promise<void> {
    const { controller, changes, review } = this.services;
    const sessionId = this.session;
    const message = await this.lastMessage();
    if (sessionId === null || message === undefined || this.isUnsent || this.current === 'running') return;
    const waits = (await changes.compared(sessionId)).some(({ turns }) => [...turns.values()].includes(message.seq));
    const undo = async () => {
      await review.startReview(sessionId);
      return review.undoMessage(message.seq);
    };
    if (this.isDisposed || (waits && !(await this.answering(undo)))) return;
    const again = { sessionId, seq: message.seq, text: message.content, mode: 'edit', model: null } as const;
    await this.running(message.content, () => controller.resend(again));
  }

  /** Keeps the changes of the last message. */
  accept(): Promise<boolean> {
    const { changes, review } = this.services;
    return this.answeringLast(
      (session) => changes.keep(session, null),
      (seq) => review.keepMessage(seq),
    );
  }

  /** Stops the run and undoes the changes of the last message. If this fails, shows the reasons and returns false. */
  async discard(): Promise<boolean> {
    const { changes, review } = this.services;
    await this.stop();
    return this.answeringLast(
      (session) => changes.undo(session, null),
      (seq) => review.undoMessage(seq),
    );
  }

  async stop(): Promise<void> {
    if (this.session !== null) await this.services.controller.stop(this.session);
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    await this.store.dispose();
  }

  /** Reads and shows the state of the session. Calls run one at a time, so that no call shows an older state. */
  private refresh(): Promise<void> {
    return this.looks.runExclusive(() => this.look());
  }

  private async look(): Promise<void> {
    const { log, controller, changes, openChat } = this.services;
    const { session } = this;
    if (session === null || this.isDisposed || this.isUnsent) return;
    const { entries } = await log.read(session, 0);
    const run = await controller.runState(session);
    const conversation = selectConversation(entries);
    const begun = conversation.findLastIndex(({ type }) => type === 'user_input');
    const isPending = isOver(run) && (await changes.list(session)).length > 0;
    const pending = isPending ? changesOfMessage(await changes.compared(session), conversation[begun]?.seq ?? 0) : null;
    if (this.isDisposed || this.isUnsent) return;
    const turn = conversation.slice(begun + 1);
    const failure = turn.findLast((entry) => entry.type === 'error');
    const stage = !isOver(run) ? 'running' : pending !== null ? 'changed' : failure === undefined ? 'answered' : 'failed';
    if (this.current === 'changed' && stage === 'answered' && !this.isAnswering) {
      this.onDidEnd();
      return;
    }
    if (run.activity?.kind === 'waitingForApproval' && !this.hasOpenedChat) {
      this.hasOpenedChat = true;
      await openChat(session);
    }
    const said = failure !== undefined && stage === 'failed' ? failure.content : answerText(turn);
    const answer = said === '' && stage === 'answered' ? vscode.l10n.t('No changes were made.') : said;
    this.thread.show({ stage, asked: conversation[begun]?.content ?? '', answer, note: describeStage(stage, run, pending) });
    this.enter(stage);
  }

  /** Starts a run and resolves when it ends. Does nothing if the chat has been closed. */
  private async running(text: string, begin: () => Promise<BegunRun>): Promise<void> {
    if (this.isDisposed) return;
    const exchange: Exchange = { stage: 'running', asked: text, answer: '', note: vscode.l10n.t('Working…') };
    const before = this.current;
    const wasUnsent = this.isUnsent;
    this.isUnsent = true;
    this.thread.show(exchange);
    // Otherwise, the selection would also cover new lines while the file has the focus.
    collapseSelections(this.place.document);
    this.thread.closeBox();
    this.enter('running');
    let run: BegunRun;
    try {
      run = await begin();
    } catch (error) {
      this.isUnsent = wasUnsent;
      this.enter(before);
      this.thread.ask();
      throw error;
    }
    this.session = run.sessionId;
    this.isUnsent = false;
    this.onDidChange();
    // If the chat was closed in the meantime, it could not stop the run.
    if (this.isDisposed) await this.stop();
    await run.ended;
    await this.refresh();
  }

  /** Keeps or undoes changes. If this fails, shows the reasons and returns false. */
  private async answering(work: () => Promise<UndoOutcome | void>): Promise<boolean> {
    this.isAnswering = true;
    try {
      return showProblems(await work());
    } finally {
      this.isAnswering = false;
    }
  }

  /** Keeps or undoes the changes of the last message. Uses `all` if the session has no other changes, and `own` otherwise. */
  private async answeringLast(
    all: (sessionId: string) => Promise<UndoOutcome | void>,
    own: (seq: number) => Promise<UndoOutcome | void>,
  ): Promise<boolean> {
    const { session } = this;
    const message = this.isUnsent ? undefined : await this.lastMessage();
    if (session === null || message === undefined) return true;
    const pending = changesOfMessage(await this.services.changes.compared(session), message.seq);
    if (pending === null) return true;
    return this.answering(async () => {
      if (pending.isAll) return all(session);
      await this.services.review.startReview(session);
      return own(message.seq);
    });
  }

  private async attached(): Promise<Attachment[] | null> {
    const { document, lines, isCursor } = this.place;
    const { attachments } = this.services;
    const file = fileItem(document.uri);
    const selected = { ...file, kind: 'selection', startLine: lines.start + 1, endLine: lines.end } as const;
    const allowed = await attachments.check(isCursor ? file : selected);
    if (allowed === null) return null;
    if (!isCursor) return [await attachments.read(allowed)];
    const startLine = lines.start + 1;
    const cursor: Attachment = {
      kind: 'editor',
      path: allowed.path,
      startLine,
      content: aboutFile(document.languageId, startLine),
    };
    return document.lineCount > longestFile ? [cursor] : [await attachments.read(allowed), cursor];
  }

  private async lastMessage(): Promise<EntryOf<'user_input'> | undefined> {
    if (this.session === null) return undefined;
    const { entries } = await this.services.log.read(this.session, 0);
    return selectConversation(entries).findLast((entry): entry is EntryOf<'user_input'> => entry.type === 'user_input');
  }

  private enter(stage: InlineStage | 'ask'): void {
    if (stage === this.current) return;
    this.current = stage;
    this.onDidChange();
  }

  private later(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.refresh().catch((error: unknown) => this.services.logger.error('The inline chat could not be shown', error));
    }, pause);
  }
}

function toTextChange({ range: { start, end }, text }: vscode.TextDocumentContentChangeEvent) {
  return { startLine: start.line, startCharacter: start.character, endLine: end.line, endCharacter: end.character, text };
}

function isOver({ state }: RunState): boolean {
  return !isAtWork(state);
}
