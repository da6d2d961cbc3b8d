import type { Settings } from '../../config/settings';
import type { RunState } from '../../protocol/webviewEvents';
import { Heartbeat } from '../../services/database/sessions/heartbeat';
import { network } from '../../services/network/network';
import type { SessionRecord } from '../../types/session';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { Emitter } from '../../utils/emitter';
import { isCancelled } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { ActiveRun } from './activeRun';
import type { AgentChatExecutor } from './agentChatExecutor';
import { AgentError, sessionBusy, sessionElsewhere } from '../kernel/agentError';
import { deferred, type Deferred } from '../kernel/deferred';
import { errorEntry, problemText } from '../kernel/failure';
import type { ChangeGuard, LogStore, SessionStore } from '../kernel/ports';
import type { BegunRun, RunOutcome } from '../kernel/run';
import { RunQueue } from './runQueue';

export interface RunHost {
  clock: Clock;
  logger: Logger;
  /** Shows the user a failure that could not be logged in the conversation. */
  onProblem(userMessage: string): void;
  guard?: Pick<ChangeGuard, 'runBegun' | 'runEnded'>;
  /** Resolves when no operation outside runs changes workspace files. Operations that start later wait until the runs end. */
  whenFree?(signal: AbortSignal): Promise<void>;
}

export interface Beginning {
  /** Claims the session for this window in addition to the claim in the store. */
  claim?: () => Promise<boolean>;
  /** Does the work that must succeed before the run counts as started. */
  prepare: (run: ActiveRun) => Promise<void> | void;
}

/** Status of a session after a run. The default is `idle`. After a limit, the session waits until the user continues. */
const statusAfter: Partial<Record<RunOutcome, SessionRecord['status']>> = { failed: 'error', limit: 'paused' };

/**
 * Runs of this window. A session has at most one run across all windows.
 * Each run ends with a `run_end` entry or with a reported problem.
 */
export class SessionRuns implements Disposable {
  private readonly runs = new Map<string, ActiveRun>();
  private readonly queue: RunQueue;
  private readonly states: Emitter<RunState>;
  private readonly heartbeat: Heartbeat;
  private isDisposed = false;

  constructor(
    private readonly stores: { sessions: SessionStore; log: LogStore },
    private readonly executor: Pick<AgentChatExecutor, 'run'>,
    settings: Pick<Settings, 'getAgentConfig'>,
    private readonly host: RunHost,
    /** Returns the automatic follow-up of a finished run, or null if there is none. */
    private readonly next: (sessionId: string) => Promise<Beginning | null>,
  ) {
    this.queue = new RunQueue(() => settings.getAgentConfig().maxActiveSessions);
    this.heartbeat = new Heartbeat(stores.sessions, host.clock, host.logger);
    this.states = new Emitter((error) => host.logger.error('A listener of the run state failed', error));
  }

  /** Starts more runs after the limit was raised. */
  limitChanged(): void {
    this.queue.fill();
  }

  get onDidChangeState() {
    return this.states.event;
  }

  get(sessionId: string): ActiveRun | undefined {
    return this.runs.get(sessionId);
  }

  /** Resolves when the run has started. Rejects with `sessionBusy`, `sessionElsewhere` or the error that prevented the start. */
  async begin(sessionId: string, beginning: Beginning): Promise<BegunRun> {
    const run = this.take(sessionId);
    const begun = deferred<void>();
    const ended = this.lifetime(run, beginning, begun);
    run.done = ended;
    await begun.promise;
    return { sessionId, ended };
  }

  /**
   * Does work on a session between runs. No run can start during the work, and Stop cancels it. Resolves with
   * the result of `work`, or with null if it was stopped. Rejects as `begin` does, or with the error of `work`.
   */
  async during<T>(sessionId: string, work: (run: ActiveRun) => Promise<T>): Promise<T | null> {
    const run = this.take(sessionId);
    const working = this.runBetween(run, work);
    run.done = working.then(
      () => undefined,
      () => undefined,
    );
    return working;
  }

  /** Stops the current run but no later run. Resolves when it has ended, or immediately if there is no run. */
  async stop(sessionId: string): Promise<void> {
    const run = this.runs.get(sessionId);
    run?.end('stopped');
    await run?.done;
  }

  /** Reports a problem only once per run, because a failing store fails at every step. */
  reportProblem(run: ActiveRun | null, error: unknown): void {
    this.host.logger.error('A problem outside the conversation', error);
    if (run?.isProblemReported) return;
    if (run) run.isProblemReported = true;
    this.host.onProblem(problemText(error));
  }

  assertUsable(): void {
    if (this.isDisposed) throw new AgentError('disposed', phrase('The window is closing.'));
  }

  /** Ends all runs as interrupted. Resolves when all runs are stored and released. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    const runs = [...this.runs.values()];
    for (const run of runs) run.end('interrupted');
    await Promise.all(runs.map((run) => run.done));
    await this.heartbeat.stop();
    this.states.dispose();
  }

  private take(sessionId: string): ActiveRun {
    this.assertUsable();
    if (this.runs.has(sessionId)) throw sessionBusy();
    const run = new ActiveRun(sessionId, {
      onState: (state) => this.states.fire(state),
      onWaiting: (isWaiting) => this.noteWaiting(sessionId, isWaiting),
      now: () => this.host.clock.now(),
    });
    this.runs.set(sessionId, run);
    return run;
  }

  private async runBetween<T>(run: ActiveRun, work: (run: ActiveRun) => Promise<T>): Promise<T | null> {
    const { sessionId } = run;
    let before: SessionRecord['status'] | null = null;
    try {
      const status = (await this.stores.sessions.get(sessionId))?.status;
      if (!(await this.stores.sessions.claim(sessionId))) throw sessionElsewhere();
      before = status === 'paused' || status === 'error' ? status : 'idle';
      this.heartbeat.start();
      this.states.fire(run.state);
      return await work(run);
    } catch (error) {
      if (run.endReason !== null && isCancelled(error)) return null;
      throw error;
    } finally {
      if (before !== null) await this.release(run, before);
      await this.handOver(run, run.hasNewNext);
      if (before !== null && !this.runs.has(sessionId)) this.fireIdle(sessionId);
    }
  }

  /** Executes a run from claim to release. Never rejects. Early failures reject `begun`. Later failures are shown to the user. */
  private async lifetime(run: ActiveRun, beginning: Beginning, begun: Deferred<void>): Promise<RunOutcome> {
    const { sessionId } = run;
    let isClaimed = false;
    try {
      isClaimed = await (beginning.claim?.() ?? this.stores.sessions.claim(sessionId));
      if (!isClaimed) throw sessionElsewhere();
      this.heartbeat.start();
      await beginning.prepare(run);
    } catch (error) {
      this.runs.delete(sessionId);
      if (isClaimed) await this.release(run, 'idle');
      await this.stopHeartbeatIfIdle();
      begun.reject(error);
      return 'failed';
    }
    begun.resolve();
    this.host.guard?.runBegun(sessionId);
    this.states.fire(run.state);
    const outcome = await this.work(run);
    this.host.guard?.runEnded(sessionId);
    await this.release(run, statusAfter[outcome] ?? 'idle');
    await this.handOver(run, outcome === 'done' || outcome === 'limit');
    if (!this.runs.has(sessionId)) this.fireIdle(sessionId);
    return outcome;
  }

  /** Releases the session, or starts the follow-up of the run if there is one. */
  private async handOver(run: ActiveRun, canFollow: boolean): Promise<void> {
    const next = canFollow ? await this.nextAfter(run) : null;
    this.runs.delete(run.sessionId);
    // The run may have been stopped while its follow-up was being read.
    if (next !== null && run.endReason === null) this.beginNext(run.sessionId, next);
    await this.stopHeartbeatIfIdle();
  }

  private async nextAfter(run: ActiveRun): Promise<Beginning | null> {
    for (;;) {
      run.hasNewNext = false;
      if (this.isDisposed || run.endReason !== null) return null;
      try {
        const next = await this.next(run.sessionId);
        if (next !== null || !run.hasNewNext) return next;
      } catch (error) {
        this.reportProblem(run, error);
        return null;
      }
    }
  }

  private beginNext(sessionId: string, next: Beginning): void {
    this.begin(sessionId, next).catch((error: unknown) => {
      this.fireIdle(sessionId);
      const isExpected = error instanceof AgentError && (error.code === 'messageGone' || error.code === 'disposed');
      if (!isExpected) this.reportProblem(null, error);
    });
  }

  private fireIdle(sessionId: string): void {
    this.states.fire({ sessionId, state: 'idle', activity: null });
  }

  private async work(run: ActiveRun): Promise<RunOutcome> {
    let outcome: RunOutcome = 'failed';
    let iterations: number | undefined;
    let leave: (() => void) | undefined;
    try {
      const onPosition = (position: number, behind: string[]) => run.report({ kind: 'queued', position, behind });
      leave = await this.queue.enter(run.sessionId, onPosition, run.signal);
      await this.host.whenFree?.(run.signal);
      run.report({ kind: 'connecting', since: this.host.clock.now() });
      ({ outcome, iterations } = await network.ledger.inSession(run.sessionId, () => this.executor.run(run)));
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

  /**
   * Stores the state for other windows and for the session list. Failures
   * are only logged, because the log already contains the question.
   */
  private async noteWaiting(sessionId: string, isWaiting: boolean): Promise<void> {
    try {
      await this.stores.sessions.update(sessionId, { status: isWaiting ? 'waiting_input' : 'generating' });
    } catch (error) {
      this.host.logger.warn('The state of a session could not be stored', error);
    }
  }

  private async release(run: ActiveRun, status: SessionRecord['status']): Promise<void> {
    try {
      await this.stores.sessions.release(run.sessionId, status);
    } catch (error) {
      this.reportProblem(run, error);
    }
  }

  private async stopHeartbeatIfIdle(): Promise<void> {
    if (this.runs.size === 0) await this.heartbeat.stop();
  }
}
