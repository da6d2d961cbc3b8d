import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings';
import { continuedCode } from '../../protocol/continuation';
import type { Attachment, EntryInput, EntryOf } from '../../protocol/entries';
import { conversationOf } from '../../protocol/reducer/timelineReducer';
import type { Grants, RunState } from '../../protocol/webviewEvents';
import { messageEntries } from '../../services/database/sessions/checkpointRows';
import type { SessionRecord } from '../../types/session';
import type { ChatMode } from '../../types/modes';
import type { Disposable } from '../../utils/disposable';
import { planText } from '../../protocol/plan';
import { phrase, t } from '../../utils/l10n';
import { storedState, type ActiveRun } from './activeRun';
import type { AgentChatExecutor } from './agentChatExecutor';
import { AgentError, messageGone, queuedGone, sessionBusy } from '../kernel/agentError';
import type { ApprovalManager } from '../approvals/approvalManager';
import type { LogStore, QueuedMessageStore, SessionStore } from '../kernel/ports';
import { SessionRuns, type Beginning, type RunHost } from './sessionRuns';
import { storedPatterns } from '../approvals/sessionGrants';
import { titleAmong, titleBeginning } from '../prompt/sessionTitle';

export interface SessionStores {
  sessions: SessionStore;
  log: LogStore;
  queued: QueuedMessageStore;
}

export interface ControllerHost extends RunHost {
  /** Folder that new sessions belong to; null without one. */
  projectPath(): string | null;
}

export interface SendInput {
  sessionId: string | null;
  text: string;
  mode: ChatMode;
  model: string | null;
  /** Attachments with their content. */
  attachments?: Attachment[];
  /** Permissions of a new session to act without a question; none by default. */
  grants?: (Pick<Grants, 'commands' | 'sensitiveEdits'> & { files?: Grants['files'] | undefined }) | undefined;
}

/** Message in other words; its attachments stay. */
export interface ResendInput extends Omit<SendInput, 'attachments' | 'grants'> {
  sessionId: string;
  /** `seq` of the message that is replaced. */
  seq: number;
}

/**
 * Serves views and the API. Stores a person's text before anything else happens: a message is always in the log or
 * waiting in the
 * session's queue.
 */
export class SessionController implements Disposable {
  private readonly runs: SessionRuns;

  constructor(
    private readonly stores: SessionStores,
    private readonly executor: Pick<AgentChatExecutor, 'run' | 'compact'>,
    private readonly approvals: Pick<ApprovalManager, 'decide' | 'questions'>,
    private readonly settings: Pick<Settings, 'getAgentConfig' | 'getModeConfig'>,
    private readonly host: ControllerHost,
  ) {
    this.runs = new SessionRuns(stores, executor, settings, host, (sessionId) => this.firstQueued(sessionId));
  }

  /** Folder that new sessions belong to; null without one. */
  get projectPath(): string | null {
    return this.host.projectPath();
  }

  /** Applies a changed number of sessions that may work at a time. */
  settingsChanged(): void {
    this.runs.limitChanged();
  }

  get onDidChangeRunState() {
    return this.runs.onDidChangeState;
  }

  /**
   * Resolves when the message is stored and its run has begun. Rejects, with nothing stored, with `sessionBusy`,
   * `sessionElsewhere` (another window runs it) or a storage error.
   */
  async send({ sessionId, text, mode, model, attachments = [], grants }: SendInput): Promise<{ sessionId: string }> {
    const { sessions, log } = this.stores;
    const message = messageEntries({ text, mode, attachments }, this.host.clock.now());
    if (sessionId !== null) {
      await this.runs.begin(sessionId, {
        prepare: async (run) => {
          await log.appendAll(sessionId, message);
          await this.use(run, mode, model);
        },
      });
      return { sessionId };
    }
    const id = randomUUID();
    await this.runs.begin(id, {
      claim: async () => {
        const title = titleAmong({ text, attachments }, await sessions.titled(titleBeginning(text)), this.host.clock.now());
        const granted = {
          auto_approve_commands: grants?.commands === true ? 1 : 0,
          auto_approve_sensitive_edits: grants?.sensitiveEdits === true ? 1 : 0,
          sensitive_file_patterns: storedPatterns(grants?.files ?? []),
        } as const;
        const record = { mode, model, title, projectPath: this.projectPath, ...granted };
        await sessions.begin(id, record, message);
        return true;
      },
      prepare: (run) => run.use(mode, model),
    });
    return { sessionId: id };
  }

  /**
   * Says a message of the conversation in other words: it and what came after it leave the conversation and stay in the log. A run
   * of the session is stopped first. Rejects, with the conversation as it was, with `messageGone` or as `send` does.
   */
  async resend({ sessionId, seq, text, mode, model }: ResendInput): Promise<void> {
    this.runs.assertUsable();
    // Before anything is stopped for it.
    await this.messageAt(sessionId, seq);
    await this.stop(sessionId);
    await this.runs.begin(sessionId, {
      prepare: async (run) => {
        const { attachments } = (await this.messageAt(sessionId, seq)).data;
        await this.stores.log.appendAll(sessionId, [
          { type: 'rewind', data: { fromSeq: seq } },
          ...messageEntries({ text, mode, attachments }, this.host.clock.now()),
        ]);
        await this.use(run, mode, model);
      },
    });
  }

  /**
   * Begins to carry out a plan of the conversation in Agent mode. Rejects with `messageGone` if it is not part of the conversation any
   * more, or as `send` does.
   */
  async startPlan({ sessionId, seq, model }: { sessionId: string; seq: number; model: string | null }): Promise<void> {
    this.runs.assertUsable();
    const { entries } = await this.stores.log.read(sessionId, 0);
    const plan = conversationOf(entries).find((entry) => entry.seq === seq);
    if (plan?.type !== 'plan') throw messageGone();
    const text = `${t('Carry out this plan, step by step:')}\n\n${planText(plan.data.items)}`;
    await this.runs.begin(sessionId, {
      prepare: async (run) => {
        const message = { text, mode: 'agent', attachments: [], plan: plan.data } as const;
        await this.stores.log.appendAll(sessionId, messageEntries(message, this.host.clock.now()));
        await this.use(run, 'agent', model);
      },
    });
  }

  /** Answers the last message again, from the log as it stands, with the model that is selected now. `first` is logged before that. */
  retry(sessionId: string, model: string | null = null, first?: EntryInput): Promise<void> {
    return this.again(sessionId, model, first);
  }

  /** Goes on from the log as it stands: with the partial answer at its end, or with the next step. */
  continueRun(sessionId: string, model: string | null = null): Promise<void> {
    return this.again(sessionId, model, { type: 'system_message', content: '', data: { level: 'info', code: continuedCode } });
  }

  /** Keeps a message to be sent when the run of the session has done its work; sends it at once when there is none. */
  async enqueue({ sessionId, attachments = [], ...message }: SendInput & { sessionId: string }): Promise<void> {
    this.runs.assertUsable();
    const { id } = await this.stores.queued.add(sessionId, { ...message, attachments });
    const run = this.runs.get(sessionId);
    if (run) {
      run.hasNewNext = true;
      return;
    }
    try {
      await this.runs.begin(sessionId, this.queuedBeginning(sessionId, id));
    } catch (error) {
      // It is kept and can be sent from the queue; the window that runs the session will do so itself.
      const isWaiting = error instanceof AgentError && (error.code === 'sessionElsewhere' || error.code === 'sessionBusy');
      if (!isWaiting) this.runs.reportProblem(null, error);
    }
  }

  /** Sends a waiting message now, stopping a run for it. Rejects with `messageGone` when it does not wait any more. */
  async sendQueued(sessionId: string, id: string): Promise<void> {
    const waiting = await this.stores.queued.list(sessionId);
    if (!waiting.some((message) => message.id === id)) throw queuedGone();
    await this.stop(sessionId);
    await this.runs.begin(sessionId, this.queuedBeginning(sessionId, id));
  }

  /**
   * Lets a summary stand for what is old, now; Stop ends it and keeps what is done. Resolves with false if nothing is old enough. Rejects as
   * `send` does.
   */
  async compact(sessionId: string, model: string | null): Promise<boolean> {
    const isMade = await this.runs.during(sessionId, async (run) => {
      const record = await this.stores.sessions.get(sessionId);
      run.use(record?.mode ?? run.mode, model ?? record?.model ?? null);
      return this.executor.compact(run);
    });
    return isMade !== false;
  }

  /** Takes a summary back: what it stood for is sent again. Rejects with `sessionBusy` while a run is at work. */
  async undoCompaction(sessionId: string, markerSeq: number): Promise<void> {
    this.assertIdle(sessionId);
    await this.stores.log.append(sessionId, { type: 'compact_undone', data: { markerSeq } });
  }

  /** Lets the run of a session go on with another model from its next step. */
  async changeModel(sessionId: string, model: string): Promise<void> {
    const run = this.runs.get(sessionId);
    if (run !== undefined) await this.use(run, run.mode, model);
  }

  /** Resolves when the session has no run in this window. */
  async stop(sessionId: string): Promise<void> {
    while (this.runs.get(sessionId)) await this.runs.stop(sessionId);
  }

  /** Rejects with `approvalGone` when the question has been settled already. */
  decideApproval(sessionId: string, approvalId: string, approve: boolean, always = false): Promise<void> {
    return this.approvals.decide(sessionId, approvalId, approve, always);
  }

  /** Answers a question; an empty answer leaves it to the agent. Rejects with `approvalGone` when the question has been settled already. */
  answerQuestion(sessionId: string, questionId: string, answer: string): Promise<void> {
    return this.approvals.questions.answer(sessionId, questionId, answer);
  }

  async runState(sessionId: string): Promise<RunState> {
    const own = this.runs.get(sessionId);
    if (own) return own.state;
    const record = await this.stores.sessions.get(sessionId);
    const state = record ? storedState(record, this.host.clock.now()) : 'idle';
    const isOver = record !== undefined && state === 'interrupted' && (await this.hasEnded(record));
    return { sessionId, state: isOver ? 'idle' : state, activity: null };
  }

  /** Tells whether the log says that the last run has ended: its window may have died before it could release the session. */
  private async hasEnded({ id, revision }: SessionRecord): Promise<boolean> {
    return (await this.stores.log.read(id, revision - 1)).entries.at(-1)?.type === 'run_end';
  }

  /** Ends every run as interrupted and resolves when all of them are stored and released. */
  dispose(): Promise<void> {
    return this.runs.dispose();
  }

  private assertIdle(sessionId: string): void {
    this.runs.assertUsable();
    if (this.runs.get(sessionId) !== undefined) throw sessionBusy();
  }

  private async again(sessionId: string, model: string | null, first?: EntryInput): Promise<void> {
    this.runs.assertUsable();
    const record = await this.stores.sessions.get(sessionId);
    if (!record) throw new AgentError('sessionNotFound', phrase('This chat does not exist any more. Start a new one.'));
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
    const message = conversationOf(entries).find((entry) => entry.seq === seq);
    if (message?.type === 'user_input') return message;
    throw messageGone();
  }

  /** Applies mode and model of a message that is stored already: a failure is only reported, lest it look as if the message were lost. */
  private async use(run: ActiveRun, mode: ChatMode, model: string | null): Promise<void> {
    run.use(mode, model);
    await this.stores.sessions
      .update(run.sessionId, { mode, ...(model !== null && { model }) })
      .catch((error: unknown) => this.runs.reportProblem(run, error));
  }
}
