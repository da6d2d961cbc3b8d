import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings';
import { continuedCode } from '../../protocol/continuation';
import type { Attachment, EntryInput, EntryOf } from '../../protocol/entries';
import { messageTime } from '../../protocol/reducer/messageTime';
import { selectConversation } from '../../protocol/reducer/timelineReducer';
import type { RunState } from '../../protocol/webviewEvents';
import { messageEntries } from '../../services/database/sessions/checkpointRows';
import { network } from '../../services/network/network';
import type { ChatMode } from '../../types/modes';
import type { Disposable } from '../../utils/disposable';
import { planText } from '../../protocol/plan';
import { phrase, t } from '../../utils/l10n';
import { hasLoggedEnd, storedState, type ActiveRun } from './activeRun';
import type { AgentChatExecutor } from './agentChatExecutor';
import type { BegunRun } from '../kernel/run';
import { AgentError, messageGone, queuedGone, sessionBusy } from '../kernel/agentError';
import type { ApprovalManager, Decision } from '../approvals/approvalManager';
import type { LogStore, QueuedMessageStore, SessionStore } from '../kernel/ports';
import { nameUntitled, titleFor } from '../prompt/sessionNaming';
import { SessionRuns, type Beginning, type RunHost } from './sessionRuns';
import { storedPatterns, storedSandbox, type NewGrants } from '../approvals/sessionGrants';

export interface SessionStores {
  sessions: SessionStore;
  log: LogStore;
  queued: QueuedMessageStore;
}

export interface ControllerHost extends RunHost {
  /** Returns the folder of new sessions, or null if there is none. */
  projectPath(): string | null;
}

export interface SendInput {
  sessionId: string | null;
  text: string;
  mode: ChatMode;
  model: string | null;
  attachments?: Attachment[];
  /** Permissions of a new session. The default is no permissions. */
  grants?: NewGrants | undefined;
  /** True if the new session belongs to the inline chat. */
  isInline?: boolean;
}

/** Edited message. It keeps its attachments. */
export interface ResendInput extends Omit<SendInput, 'attachments' | 'grants' | 'isInline'> {
  sessionId: string;
  /** `seq` of the message to replace. */
  seq: number;
}

/** Handles requests from views and the API. Stores the user's text first, so that every message is in the log or queue. */
export class SessionController implements Disposable {
  private readonly runs: SessionRuns;

  constructor(
    private readonly stores: SessionStores,
    private readonly executor: Pick<AgentChatExecutor, 'run' | 'compact' | 'assertCanAnswer'>,
    private readonly approvals: Pick<ApprovalManager, 'decide' | 'questions'>,
    private readonly settings: Pick<Settings, 'getAgentConfig' | 'getModeConfig'>,
    private readonly host: ControllerHost,
  ) {
    this.runs = new SessionRuns(stores, executor, settings, host, (sessionId) => this.firstQueued(sessionId));
  }

  /** Folder of new sessions, or null if there is none. */
  get projectPath(): string | null {
    return this.host.projectPath();
  }

  /** Applies a changed limit of concurrent sessions. */
  settingsChanged(): void {
    this.runs.limitChanged();
  }

  get onDidChangeRunState() {
    return this.runs.onDidChangeState;
  }

  /**
   * Resolves when the message is stored and its run has started. Rejects with `sessionBusy`, with `sessionElsewhere`
   * if another window runs the session, or with a storage error. Nothing is stored after a rejection.
   */
  send({ sessionId, text, mode, model, attachments = [], grants, isInline }: SendInput): Promise<BegunRun> {
    const { sessions, log } = this.stores;
    const now = this.host.clock.now();
    const message = messageEntries({ text, mode, attachments }, now);
    if (sessionId !== null) {
      return this.runs.begin(sessionId, {
        prepare: async (run) => {
          await log.appendAll(sessionId, message);
          await this.use(run, mode, model);
          await this.orReport(run, nameUntitled(sessions, sessionId, { text, attachments }, now));
        },
      });
    }
    const id = randomUUID();
    return this.runs.begin(id, {
      claim: async () => {
        const title = await titleFor(sessions, { text, attachments }, now);
        const record = {
          mode,
          model,
          title,
          projectPath: this.projectPath,
          auto_approve_commands: grants?.commands === true ? 1 : 0,
          sandbox: grants?.sandbox === true ? storedSandbox([]) : null,
          auto_approve_sensitive_edits: grants?.sensitiveEdits === true ? 1 : 0,
          sensitive_file_patterns: storedPatterns(grants?.files ?? []),
          is_inline: isInline === true ? 1 : 0,
        } as const;
        await sessions.begin(id, record, message);
        return true;
      },
      prepare: (run) => run.use(mode, model),
    });
  }

  /**
   * Replaces a message. Removes it and all later entries from the conversation, but not from the log. First stops a run of the
   * session. Rejects with `messageGone`, if the model cannot answer, or as `send` does. Then the conversation is unchanged.
   */
  async resend({ sessionId, seq, text, mode, model }: ResendInput): Promise<BegunRun> {
    this.runs.assertUsable();
    // All checks come before a run is stopped.
    const replaced = await this.messageAt(sessionId, seq);
    if (model !== null) await this.executor.assertCanAnswer(model, replaced);
    await this.stop(sessionId);
    return this.runs.begin(sessionId, {
      prepare: async (run) => {
        const message = await this.messageAt(sessionId, seq);
        const { attachments } = message.data;
        const repeats = message.content === text ? messageTime(message) : undefined;
        await this.stores.log.appendAll(sessionId, [
          { type: 'rewind', data: { fromSeq: seq } },
          ...messageEntries({ text, mode, attachments, repeats }, this.host.clock.now()),
        ]);
        await this.use(run, mode, model);
      },
    });
  }

  /** Starts the work on a plan in Agent mode. Rejects with `messageGone` if the plan no longer exists, or as `send` does. */
  async startPlan({ sessionId, seq, model }: { sessionId: string; seq: number; model: string | null }): Promise<BegunRun> {
    this.runs.assertUsable();
    const { entries } = await this.stores.log.read(sessionId, 0);
    const plan = selectConversation(entries).find((entry) => entry.seq === seq);
    if (plan?.type !== 'plan') throw messageGone();
    const text = `${t('Carry out this plan, step by step:')}\n\n${planText(plan.data.items)}`;
    return this.runs.begin(sessionId, {
      prepare: async (run) => {
        const message = { text, mode: 'agent', attachments: [], plan: plan.data } as const;
        await this.stores.log.appendAll(sessionId, messageEntries(message, this.host.clock.now()));
        await this.use(run, 'agent', model);
      },
    });
  }

  /** Answers the last message again with the current log and the selected model. Before that, logs `first`. */
  retry(sessionId: string, model: string | null = null, first?: EntryInput): Promise<void> {
    return this.again(sessionId, model, first);
  }

  /** Continues the incomplete answer at the end of the log, or starts the next step. */
  continueRun(sessionId: string, model: string | null = null): Promise<void> {
    return this.again(sessionId, model, { type: 'system_message', content: '', data: { level: 'info', code: continuedCode } });
  }

  /** Queues a message until the session's run ends. Sends it immediately if there is no run. */
  async enqueue({ sessionId, attachments = [], ...message }: SendInput & { sessionId: string }): Promise<void> {
    this.runs.assertUsable();
    const { id } = await this.stores.queued.add(sessionId, { ...message, attachments });
    const run = this.runs.get(sessionId);
    if (run?.endReason === null) {
      run.hasNewNext = true;
      return;
    }
    // A run that is being stopped starts no follow-up.
    await run?.done;
    try {
      await this.runs.begin(sessionId, this.queuedBeginning(sessionId, id));
    } catch (error) {
      // The message stays in the queue. The window that runs the session will send it.
      const isWaiting = error instanceof AgentError && ['sessionElsewhere', 'sessionBusy', 'disposed'].includes(error.code);
      if (!isWaiting) this.runs.reportProblem(null, error);
    }
  }

  /** Stops the current run and sends a queued message now. Rejects with `messageGone` if the message is no longer queued. */
  async sendQueued(sessionId: string, id: string): Promise<void> {
    const waiting = await this.stores.queued.list(sessionId);
    if (!waiting.some((message) => message.id === id)) throw queuedGone();
    await this.stop(sessionId);
    await this.runs.begin(sessionId, this.queuedBeginning(sessionId, id));
  }

  /** Summarizes old entries. Stop keeps the finished part. Resolves with false if no entry is old enough. Rejects as `send` does. */
  async compact(sessionId: string, model: string | null): Promise<boolean> {
    const isMade = await this.runs.during(sessionId, async (run) => {
      const record = await this.stores.sessions.get(sessionId);
      run.use(record?.mode ?? run.mode, model ?? record?.model ?? null);
      return network.ledger.inSession(sessionId, () => this.executor.compact(run));
    });
    return isMade !== false;
  }

  /** Undoes a summary, so that requests contain the original entries again. Rejects with `sessionBusy` during a run. */
  async undoCompaction(sessionId: string, markerSeq: number): Promise<void> {
    this.runs.assertUsable();
    if (this.runs.get(sessionId) !== undefined) throw sessionBusy();
    await this.stores.log.append(sessionId, { type: 'compact_undone', data: { markerSeq } });
  }

  /** Changes the model for the next steps of the session's run. */
  async changeModel(sessionId: string, model: string): Promise<void> {
    const run = this.runs.get(sessionId);
    if (run !== undefined) await this.use(run, run.mode, model);
  }

  /** Stops the current run of a session in this window and resolves when it has ended. Does not stop runs that start later. */
  stop(sessionId: string): Promise<void> {
    return this.runs.stop(sessionId);
  }

  /** Decides an approval. Rejects with `approvalGone` if it was already decided or withdrawn. */
  decideApproval(sessionId: string, approvalId: string, approve: boolean, decision?: Decision): Promise<void> {
    return this.approvals.decide(sessionId, approvalId, approve, decision);
  }

  /** Answers a question. An empty answer skips it. Rejects with `approvalGone` if the question is no longer open. */
  answerQuestion(sessionId: string, questionId: string, answer: string): Promise<void> {
    return this.approvals.questions.answer(sessionId, questionId, answer);
  }

  async runState(sessionId: string): Promise<RunState> {
    const own = this.runs.get(sessionId);
    if (own) return own.state;
    const record = await this.stores.sessions.get(sessionId);
    const state = record ? storedState(record, this.host.clock.now()) : 'idle';
    const isOver = record !== undefined && state === 'interrupted' && (await hasLoggedEnd(this.stores.log, record));
    return { sessionId, state: isOver ? 'idle' : state, activity: null };
  }

  /** Ends all runs as interrupted. Resolves when all runs are stored and released. */
  dispose(): Promise<void> {
    return this.runs.dispose();
  }

  private async again(sessionId: string, model: string | null, first?: EntryInput): Promise<void> {
    this.runs.assertUsable();
    const record = await this.stores.sessions.get(sessionId);
    if (!record) throw new AgentError('sessionNotFound', phrase('This chat no longer exists. Start a new chat.'));
    await this.runs.begin(sessionId, {
      prepare: async (run) => {
        const selected = this.settings.getModeConfig(record.mode).model;
        run.use(record.mode, model ?? (selected === '' ? record.model : selected));
        if (first) await this.stores.log.append(sessionId, first);
        if (run.model !== record.model) await this.stores.sessions.update(sessionId, { model: run.model });
      },
    });
  }

  private async firstQueued(sessionId: string): Promise<Beginning | null> {
    const [first] = await this.stores.queued.list(sessionId);
    return first ? this.queuedBeginning(sessionId, first.id) : null;
  }

  private queuedBeginning(sessionId: string, id: string): Beginning {
    return {
      prepare: async (run) => {
        const message = await this.stores.queued.send(sessionId, id);
        if (!message) throw queuedGone();
        await this.use(run, message.mode, message.model);
      },
    };
  }

  private async messageAt(sessionId: string, seq: number): Promise<EntryOf<'user_input'>> {
    const { entries } = await this.stores.log.read(sessionId, 0);
    const message = selectConversation(entries).find((entry) => entry.seq === seq);
    if (message?.type === 'user_input') return message;
    throw messageGone();
  }

  /** Applies the mode and the model of a stored message to a run. */
  private async use(run: ActiveRun, mode: ChatMode, model: string | null): Promise<void> {
    run.use(mode, model);
    await this.orReport(run, this.stores.sessions.update(run.sessionId, { mode, ...(model !== null && { model }) }));
  }

  /** Reports a failure instead of rejecting, because the message is already stored. */
  private orReport(run: ActiveRun, work: Promise<void>): Promise<void> {
    return work.catch((error: unknown) => this.runs.reportProblem(run, error));
  }
}
