import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter } from '../../../utils/emitter';
import { CancelledError, messageOf, throwIfAborted } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { withTimeout } from '../../../utils/withTimeout';
import { runInChildProcess, type ChildExecution } from './childProcessRunner';
import { OutputCollector } from './outputFormatter';
import { shellOf } from './shellOf';
import type { TerminalHost } from './terminalPorts';

export const maxRunning = 8;
/** Ended ones of a session that can still be read. */
const maxKept = 20;
/** Milliseconds to wait after the start, so that a command that fails at once is reported at once. */
const firstLookMs = 1_500;
/** Milliseconds that a look waits for news if there is none since the one before it. */
const newsMs = 5_000;

export interface BackgroundRequest {
  sessionId: string;
  command: string;
  /** Absolute path of an existing folder. */
  cwd: string;
  /** Ends the command, until the run that began it is over. */
  signal: AbortSignal;
}

export interface BackgroundReport {
  id: string;
  command: string;
  pid: number | undefined;
  state: 'running' | 'exited' | 'stopped';
  /** null while it runs, and where nobody said. */
  exitCode: number | null;
  /** Milliseconds that it has run. */
  runningFor: number;
  /** All of it so far: the first 15 and the last 85 lines, cleaned of control sequences. */
  output: string;
  truncatedLines: number;
  /** Places in the whole output where what looks like a key was left out, if any. */
  keysLeftOut?: number;
}

export interface BackgroundCommand {
  id: string;
  command: string;
}

interface Kept extends BackgroundCommand {
  readonly child: ChildExecution;
  readonly collector: OutputCollector;
  readonly startedAt: number;
  /** Never rejects. */
  ended: Promise<void>;
  endedAt: number | null;
  state: BackgroundReport['state'];
  /** True if somebody has ended it. */
  isStopRequested: boolean;
  exitCode: number | null;
  /** True if there is something to tell since it was last looked at. */
  hasNews: boolean;
  /** Settles with the next news. */
  news: Promise<void>;
  tell: () => void;
}

/**
 * Commands that go on while the agent does other things: servers, watchers, long builds. Each is a process group of its own that
 * gets no input, and ends with Stop during the run that began it, when a person ends it, with its session and with the window.
 */
export class BackgroundCommands implements Disposable {
  private isDisposed = false;
  private readonly sessions = new Map<string, Map<string, Kept>>();
  private readonly changes: Emitter<{ sessionId: string; commands: BackgroundCommand[] }>;

  constructor(
    private readonly clock: Clock,
    logger: Logger,
    private readonly host?: Pick<TerminalHost, 'shellWithoutTerminal'>,
  ) {
    this.changes = new Emitter((error) => logger.error(`A listener of the background commands failed: ${messageOf(error)}`));
  }

  /** Fires with those that run now, whenever one begins or ends. */
  get onDidChange() {
    return this.changes.event;
  }

  /** Lists the commands that run, in the order in which they began. */
  running(sessionId: string): BackgroundCommand[] {
    const all = [...(this.sessions.get(sessionId)?.values() ?? [])];
    return all.filter(({ state }) => state === 'running').map(({ id, command }) => ({ id, command }));
  }

  ids(sessionId: string): string[] {
    return [...(this.sessions.get(sessionId)?.keys() ?? [])];
  }

  /** Returns the command that was started as `id`, in whichever session. */
  commandOf(id: string): string | undefined {
    for (const session of this.sessions.values()) {
      const found = session.get(id);
      if (found) return found.command;
    }
    return undefined;
  }

  /** Resolves when it has ended or has been seen to run for a moment. Rejects with what kept the shell from starting. */
  async start({ sessionId, command, cwd, signal }: BackgroundRequest): Promise<BackgroundReport> {
    throwIfAborted(signal);
    const shell = await shellOf(this.host, this.clock, signal);
    const collector = new OutputCollector();
    const onOutput = (text: string): void => {
      collector.push(text);
      note(kept);
    };
    const child = runInChildProcess(command, cwd, onOutput, shell);
    const kept: Kept = {
      ...{ id: `terminal-${randomUUID().slice(0, 4)}`, command, child, collector, startedAt: this.clock.now() },
      ...{
        endedAt: null,
        ended: Promise.resolve(),
        state: 'running',
        isStopRequested: false,
        exitCode: null,
        hasNews: false,
        news: Promise.resolve(),
        tell: () => undefined,
      },
    };
    renew(kept);
    const onAbort = () => void this.end(kept);
    signal.addEventListener('abort', onAbort, { once: true });
    const ended = child.ended.then((exitCode) => {
      kept.exitCode = exitCode;
      kept.state = kept.isStopRequested ? 'stopped' : 'exited';
      kept.endedAt = this.clock.now();
      note(kept);
      this.announce(sessionId);
    });
    kept.ended = ended.catch(() => undefined);
    // Before it counts as begun: a shell that cannot be started is the caller's to tell of.
    try {
      this.keep(sessionId, kept);
      await withTimeout(ended, firstLookMs, this.clock, signal);
    } catch (error) {
      this.sessions.get(sessionId)?.delete(kept.id);
      this.announce(sessionId);
      throw error;
    }
    throwIfAborted(signal);
    return this.reportOf(kept);
  }

  /** Waits for a moment where there is nothing new; undefined where there is no such command. */
  async look(sessionId: string, id: string, signal: AbortSignal): Promise<BackgroundReport | undefined> {
    const kept = this.sessions.get(sessionId)?.get(id);
    if (!kept) return undefined;
    if (kept.state === 'running' && !kept.hasNews) {
      await withTimeout(kept.news, newsMs, this.clock, signal);
      throwIfAborted(signal);
    }
    return this.reportOf(kept);
  }

  /** Resolves at once where there is no such command. Rejects with `CancelledError` where it ends with the window. */
  async whenEnded(sessionId: string, id: string): Promise<void> {
    await this.sessions.get(sessionId)?.get(id)?.ended;
    if (this.isDisposed) throw new CancelledError();
  }

  /** Resolves when it has ended, within a second. */
  async stop(sessionId: string, id: string): Promise<void> {
    const kept = this.sessions.get(sessionId)?.get(id);
    if (kept) await this.end(kept);
  }

  /** Ends all of a session and forgets them. */
  async endSession(sessionId: string): Promise<void> {
    const session = this.sessions.get(sessionId);
    await Promise.all([...(session?.values() ?? [])].map((kept) => this.end(kept)));
    this.sessions.delete(sessionId);
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
    await Promise.all([...this.sessions.keys()].map((sessionId) => this.endSession(sessionId)));
    this.changes.dispose();
  }

  private keep(sessionId: string, kept: Kept): void {
    const session = this.sessions.get(sessionId) ?? new Map<string, Kept>();
    this.sessions.set(sessionId, session.set(kept.id, kept));
    const ended = [...session.values()].filter(({ state }) => state !== 'running');
    for (const { id } of ended.slice(0, Math.max(0, ended.length - maxKept))) session.delete(id);
    this.announce(sessionId);
  }

  private async end(kept: Kept): Promise<void> {
    if (kept.state !== 'running') return;
    kept.isStopRequested = true;
    await kept.child.terminate();
  }

  private announce(sessionId: string): void {
    this.changes.fire({ sessionId, commands: this.running(sessionId) });
  }

  private reportOf(kept: Kept): BackgroundReport {
    kept.hasNews = false;
    renew(kept);
    const { text, ...left } = kept.collector.format(kept.state === 'running');
    const { id, command, state, exitCode } = kept;
    const runningFor = (kept.endedAt ?? this.clock.now()) - kept.startedAt;
    return { id, command, pid: kept.child.pid, state, exitCode, runningFor, output: text, ...left };
  }
}

function note(kept: Kept): void {
  kept.hasNews = true;
  kept.tell();
}

function renew(kept: Kept): void {
  kept.news = new Promise((resolve) => {
    kept.tell = resolve;
  });
}
