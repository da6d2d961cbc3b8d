import type { Settings } from '../config/settings';
import type { Attachment } from '../protocol/entries';
import type { RunState } from '../protocol/webviewEvents';
import { isAlive } from '../services/database/sessionRepository';
import type { ChatMode, SessionRecord } from '../types/session';
import type { Clock } from '../utils/clock';
import type { Disposable } from '../utils/disposable';
import { Emitter } from '../utils/emitter';
import { isCancelled } from '../utils/errors';
import type { Logger } from '../utils/logger';
import { ActiveRun } from './activeRun';
import { AgentError } from './agentError';
import type { AgentChatExecutor } from './agentChatExecutor';
import type { ApprovalManager } from './approvalManager';
import { deferred, type Deferred } from './deferred';
import { errorEntry, problemText } from './failure';
import { Heartbeat } from './heartbeat';
import type { LogStore, SessionStore } from './ports';
import type { RunResult } from './run';
import { RunQueue } from './runQueue';
import { titleOf } from './sessionTitle';

export interface SessionStores {
  sessions: SessionStore;
  log: LogStore;
}

export interface ControllerHost {
  clock: Clock;
  logger: Logger;
  /** Where new sessions belong; null without a folder. */
  projectPath(): string | null;
  /** A failure that could not be put into the conversation, in words for a person. */
  onProblem(userMessage: string): void;
}

export interface SendInput {
  sessionId: string | null;
  text: string;
  mode: ChatMode;
  model: string | null;
  /** With their content. */
  attachments?: Attachment[];
}

type Outcome = RunResult['outcome'] | 'stopped' | 'interrupted';

/**
 * Runs sessions: what views and the API call. What a person wrote is stored before anything else happens, a session has
 * one run at a time in all windows together, and every run ends with a `run_end` entry or a reported problem.
 */
export class SessionController implements Disposable {
  private readonly runs = new Map<string, ActiveRun>();
  private readonly queue: RunQueue;
  private readonly states: Emitter<RunState>;
  private readonly heartbeat: Heartbeat;
  private isDisposed = false;

  constructor(
    private readonly stores: SessionStores,
    private readonly executor: Pick<AgentChatExecutor, 'run'>,
    private readonly approvals: Pick<ApprovalManager, 'decide'>,
    private readonly settings: Pick<Settings, 'getAgentConfig' | 'getModeConfig'>,
    private readonly host: ControllerHost,
  ) {
    this.queue = new RunQueue(() => this.settings.getAgentConfig().maxActiveSessions);
    this.heartbeat = new Heartbeat(stores.sessions, host.clock, host.logger);
    this.states = new Emitter((error) => host.logger.error('A listener of the run state failed', error));
  }

  get onDidChangeRunState() {
    return this.states.event;
  }

  /**
   * Resolves when the message is stored and its run has begun. Rejects, with nothing stored, with `sessionBusy`,
   * `sessionElsewhere` (another window runs it) or a storage error.
   */
  async send({ sessionId, text, mode, model, attachments = [] }: SendInput): Promise<{ sessionId: string }> {
    this.assertUsable();
    const { sessions, log } = this.stores;
    const id =
      sessionId ?? (await sessions.create({ mode, model, title: titleOf(text), projectPath: this.host.projectPath() })).id;
    await this.begin(id, async (run) => {
      await log.append(id, { type: 'user_input', content: text, data: { mode, attachments } });
      run.mode = mode;
      run.model = model;
      // The message is stored: what fails from here on must not look as if it were not.
      await sessions
        .update(id, { mode, ...(model !== null && { model }) })
        .catch((error: unknown) => this.reportProblem(run, error));
    });
    return { sessionId: id };
  }

  /** Answers the last message again, from the log as it stands, with the model that is selected now. */
  async retry(sessionId: string): Promise<void> {
    this.assertUsable();
    const record = await this.stores.sessions.get(sessionId);
    if (!record) throw new AgentError('sessionNotFound', 'This chat does not exist any more. Start a new one.');
    await this.begin(sessionId, async (run) => {
      const selected = this.settings.getModeConfig(record.mode).model;
      run.mode = record.mode;
      run.model = selected === '' ? record.model : selected;
      if (run.model !== record.model) await this.stores.sessions.update(sessionId, { model: run.model });
    });
  }

  /** Resolves when the run is over; at once when there is none in this window. */
  async stop(sessionId: string): Promise<void> {
    const run = this.runs.get(sessionId);
    run?.end('stopped');
    await run?.done;
  }

  /** Rejects with `approvalGone` when the question has been settled already. */
  decideApproval(sessionId: string, approvalId: string, approve: boolean): Promise<void> {
    return this.approvals.decide(sessionId, approvalId, approve);
  }

  async runState(sessionId: string): Promise<RunState> {
    const own = this.runs.get(sessionId);
    if (own) return own.state;
    const record = await this.stores.sessions.get(sessionId);
    return { sessionId, state: record ? stateOf(record, this.host.clock.now()) : 'idle', activity: null };
  }

  /** Ends every run as interrupted and resolves when all of them are stored and released. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    const runs = [...this.runs.values()];
    for (const run of runs) run.end('interrupted');
    await Promise.all(runs.map((run) => run.done));
    await this.heartbeat.stop();
    this.states.dispose();
  }

  /** Takes the session for a run; `prepare` does what must have succeeded before the run counts as begun. */
  private async begin(sessionId: string, prepare: (run: ActiveRun) => Promise<void>): Promise<void> {
    this.assertUsable();
    if (this.runs.has(sessionId)) {
      throw new AgentError(
        'sessionBusy',
        'This chat is still working on the last message. Stop it first, or wait until it is done.',
      );
    }
    const run = new ActiveRun(sessionId, {
      onState: (state) => this.states.fire(state),
      onWaiting: (isWaiting) => this.stores.sessions.update(sessionId, { status: isWaiting ? 'waiting_input' : 'generating' }),
      now: () => this.host.clock.now(),
    });
    this.runs.set(sessionId, run);
    const begun = deferred<void>();
    run.done = this.lifetime(run, prepare, begun);
    await begun.promise;
  }

  /** The whole life of a run. Never rejects: what fails before it has begun is told to `begun`, what fails later to the person. */
  private async lifetime(run: ActiveRun, prepare: (run: ActiveRun) => Promise<void>, begun: Deferred<void>): Promise<void> {
    let isClaimed = false;
    try {
      isClaimed = await this.stores.sessions.claim(run.sessionId);
      if (!isClaimed)
        throw new AgentError(
          'sessionElsewhere',
          'Another window is working on this chat. Continue there, or wait until it is done.',
        );
      this.heartbeat.start();
      await prepare(run);
    } catch (error) {
      this.runs.delete(run.sessionId);
      if (isClaimed) await this.release(run, 'idle');
      await this.restIfIdle();
      begun.reject(error);
      return;
    }
    begun.resolve();
    this.states.fire(run.state);
    const outcome = await this.work(run);
    await this.release(run, outcome === 'failed' ? 'error' : 'idle');
    this.runs.delete(run.sessionId);
    await this.restIfIdle();
    this.states.fire({ sessionId: run.sessionId, state: 'idle', activity: null });
  }

  private async work(run: ActiveRun): Promise<Outcome> {
    let outcome: Outcome = 'failed';
    let iterations: number | undefined;
    let leave: (() => void) | undefined;
    try {
      leave = await this.queue.enter((position) => run.report({ kind: 'queued', position }), run.signal);
      run.report({ kind: 'connecting', since: this.host.clock.now() });
      ({ outcome, iterations } = await this.executor.run(run));
    } catch (error) {
      if (run.endReason !== null && isCancelled(error)) outcome = run.endReason;
      else await this.reportFailure(run, error);
    } finally {
      leave?.();
    }
    try {
      await this.stores.log.append(run.sessionId, {
        type: 'run_end',
        data: { outcome, ...(iterations !== undefined && { iterations }) },
      });
    } catch (error) {
      this.reportProblem(run, error);
    }
    return outcome;
  }

  private async reportFailure(run: ActiveRun, error: unknown): Promise<void> {
    this.host.logger.error('A run failed', error);
    try {
      await this.stores.log.append(run.sessionId, errorEntry(error));
    } catch (failure) {
      this.host.logger.error('The failure could not be stored', failure);
      this.reportProblem(run, error);
    }
  }

  /** Once a run: a store that fails fails at every step that follows. */
  private reportProblem(run: ActiveRun, error: unknown): void {
    this.host.logger.error('A problem outside the conversation', error);
    if (run.isProblemTold) return;
    run.isProblemTold = true;
    this.host.onProblem(problemText(error));
  }

  private async release(run: ActiveRun, status: SessionRecord['status']): Promise<void> {
    try {
      await this.stores.sessions.release(run.sessionId, status);
    } catch (error) {
      this.reportProblem(run, error);
    }
  }

  private async restIfIdle(): Promise<void> {
    if (this.runs.size === 0) await this.heartbeat.stop();
  }

  private assertUsable(): void {
    if (this.isDisposed) throw new AgentError('disposed', 'The window is closing.');
  }
}

function stateOf(record: SessionRecord, now: number): RunState['state'] {
  if (record.status !== 'generating' && record.status !== 'waiting_input') return 'idle';
  return isAlive(record, now) ? 'elsewhere' : 'interrupted';
}
