import { randomUUID } from 'node:crypto';
import type { BackgroundCommand } from '../../../protocol/requests/runningCommands';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter } from '../../../utils/emitter';
import { CancelledError, messageOf, throwIfAborted } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { withTimeout } from '../../../utils/withTimeout';
import { recordCommand } from '../recordCommand';
import type { SandboxedCommand, SandboxReport } from '../sandbox/sandboxPorts';
import { runInChildProcess, runProgram, type ChildExecution } from './childProcessRunner';
import { OutputCollector } from './outputFormatter';
import { findShell } from './shellOf';
import type { TerminalHost } from './terminalPorts';

export const maxRunning = 8;
/** Number of ended commands per session whose output stays readable. */
const maxEnded = 20;
/** Milliseconds to wait after the start, so that an immediate failure is part of the first report. */
const startWaitMs = 1_500;
/** Milliseconds that `readOutput` waits for new output if there is none since its last call. */
const outputWaitMs = 5_000;

export interface BackgroundRequest {
  sessionId: string;
  command: string;
  /** Absolute path of an existing folder. */
  cwd: string;
  /** Prepared sandbox command to run instead of `command`. */
  sandboxed?: SandboxedCommand | undefined;
  /** Ends the command. Fires only during the run that started it. */
  signal: AbortSignal;
}

export interface RunningCommand {
  sessionId: string;
  command: string;
  child: ChildExecution;
  /** Collects the output of the command, also before `adopt`. */
  collector: OutputCollector;
  startedAt: number;
  /** Sandbox of the command. `finish` is called when the command ends. */
  sandboxed?: Pick<SandboxedCommand, 'finish'> | undefined;
}

export interface BackgroundReport {
  id: string;
  command: string;
  pid: number | undefined;
  state: 'running' | 'exited' | 'stopped';
  /** Exit code. Null while the command runs, and if the code is unknown. */
  exitCode: number | null;
  /** Run time in milliseconds. */
  runningFor: number;
  /** First 15 and last 85 lines so far, without control sequences. */
  output: string;
  truncatedLines: number;
  /** Number of suspected secret keys that were removed from the whole output, if any. */
  keysLeftOut?: number;
  /** Set after a command in the sandbox has ended. */
  sandbox?: SandboxReport;
}

/** A command that continues in the background. */
export interface AdoptedCommand {
  report: BackgroundReport;
  /** Call after each new piece of output. */
  noteOutput: () => void;
}

interface TrackedCommand
  extends Pick<BackgroundCommand, 'id' | 'command'>, Pick<RunningCommand, 'child' | 'collector' | 'startedAt'> {
  /** Resolves when the command has ended. Never rejects. */
  ended: Promise<void>;
  endedAt: number | null;
  state: BackgroundReport['state'];
  isStopRequested: boolean;
  exitCode: number | null;
  /** True if there is unreported output or an unreported end. */
  hasNews: boolean;
  /** Settles on the next output or at the end. */
  news: Promise<void>;
  resolveNews: () => void;
  sandbox?: SandboxReport;
}

/**
 * Runs servers, watchers and long builds in parallel with the agent. Each command runs in its own process group, without input. A
 * command ends when the user stops it, presses Stop during the run that started it, or closes its session or the window. This
 * class also manages the commands that the user let continue in the background. These commands keep their terminal, and Stop does
 * not end them.
 */
export class BackgroundCommands implements Disposable {
  private isDisposed = false;
  private readonly sessions = new Map<string, Map<string, TrackedCommand>>();
  private readonly changes: Emitter<{ sessionId: string; commands: BackgroundCommand[] }>;

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly host?: Pick<TerminalHost, 'shellWithoutTerminal'>,
  ) {
    this.changes = new Emitter((error) => logger.error(`A listener of the background commands failed: ${messageOf(error)}`));
  }

  /** Fires with the running and stopped commands of a session whenever a command starts or ends. */
  get onDidChange() {
    return this.changes.event;
  }

  /** Lists the running commands in their start order. */
  running(sessionId: string): BackgroundCommand[] {
    return this.listed(sessionId).filter(({ isStopped }) => isStopped !== true);
  }

  /** Lists the running commands and the stopped commands in their start order. */
  listed(sessionId: string): BackgroundCommand[] {
    const all = [...(this.sessions.get(sessionId)?.values() ?? [])].filter(({ state }) => state !== 'exited');
    return all.map(({ id, command, state }) => ({ id, command, ...(state === 'stopped' && { isStopped: true as const }) }));
  }

  ids(sessionId: string): string[] {
    return [...(this.sessions.get(sessionId)?.keys() ?? [])];
  }

  /** Returns the command line that was started with this `id`, in any session. */
  findCommand(id: string): string | undefined {
    for (const session of this.sessions.values()) {
      const found = session.get(id);
      if (found) return found.command;
    }
    return undefined;
  }

  /** Resolves after the command has ended or has run for `startWaitMs`. Rejects if the shell cannot be started. */
  async start({ sessionId, command, cwd, sandboxed, signal }: BackgroundRequest): Promise<BackgroundReport> {
    if (signal.aborted) await sandboxed?.finish({ exitCode: null, output: '' });
    throwIfAborted(signal);
    const shell = sandboxed ? undefined : await findShell(this.host, this.clock, signal);
    const collector = new OutputCollector();
    const onOutput = (text: string): void => {
      collector.push(text);
      signalNews(kept);
    };
    const child = sandboxed
      ? runProgram(sandboxed.program, sandboxed.program.cwd ?? cwd, onOutput)
      : runInChildProcess(command, cwd, onOutput, shell);
    const recorded = recordCommand(sessionId, command, sandboxed !== undefined);
    child.ended.then(
      () => recorded('closed'),
      () => recorded('failed'),
    );
    const startedAt = this.clock.now();
    const { kept, ended } = this.follow({ sessionId, command, child, collector, startedAt, sandboxed });
    const onAbort = () => void this.end(kept);
    signal.addEventListener('abort', onAbort, { once: true });
    // Wait here, so that `start` rejects if the shell cannot be started.
    try {
      await withTimeout(ended, startWaitMs, this.clock, signal);
    } catch (error) {
      this.sessions.get(sessionId)?.delete(kept.id);
      this.announce(sessionId);
      throw error;
    }
    throwIfAborted(signal);
    return this.createReport(kept);
  }

  /** Takes over a running command. From now on, no signal or time limit ends it. Its `child.ended` must not reject. */
  adopt(running: RunningCommand): AdoptedCommand {
    const { kept } = this.follow(running);
    return { report: this.createReport(kept), noteOutput: () => signalNews(kept) };
  }

  /**
   * Returns a report. If there is nothing new, first waits up to
   * `outputWaitMs`. Resolves to undefined if the command does not exist.
   */
  async readOutput(sessionId: string, id: string, signal: AbortSignal): Promise<BackgroundReport | undefined> {
    const kept = this.sessions.get(sessionId)?.get(id);
    if (!kept) return undefined;
    if (kept.state === 'running' && !kept.hasNews) {
      await withTimeout(kept.news, outputWaitMs, this.clock, signal);
      throwIfAborted(signal);
    }
    return this.createReport(kept);
  }

  /** Resolves when the command has ended, or immediately if it does not exist. Rejects with `CancelledError` if the window closes first. */
  async whenEnded(sessionId: string, id: string): Promise<void> {
    await this.sessions.get(sessionId)?.get(id)?.ended;
    if (this.isDisposed) throw new CancelledError();
  }

  /** Stops the command. Resolves within a second, when the command has ended. */
  async stop(sessionId: string, id: string): Promise<void> {
    const kept = this.sessions.get(sessionId)?.get(id);
    if (kept) await this.end(kept);
  }

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

  private follow({ sessionId, command, child, collector, startedAt, sandboxed }: RunningCommand) {
    const kept: TrackedCommand = {
      id: `terminal-${randomUUID().slice(0, 4)}`,
      command,
      child,
      collector,
      startedAt,
      endedAt: null,
      ended: Promise.resolve(),
      state: 'running',
      isStopRequested: false,
      exitCode: null,
      hasNews: false,
      news: Promise.resolve(),
      resolveNews: () => undefined,
    };
    resetNews(kept);
    const unsealed = (error: unknown): undefined => {
      this.logger.error('A sandbox could not be cleaned up', error);
    };
    const ended = child.ended.then(async (exitCode) => {
      const sandbox = await sandboxed?.finish({ exitCode, output: collector.format(false).text }).catch(unsealed);
      if (sandbox) kept.sandbox = sandbox;
      kept.exitCode = exitCode;
      kept.state = kept.isStopRequested ? 'stopped' : 'exited';
      kept.endedAt = this.clock.now();
      signalNews(kept);
      this.announce(sessionId);
    });
    // If the process could not start, only this call ends the sandbox.
    child.ended.catch(() => sandboxed?.finish({ exitCode: null, output: '' }).catch(unsealed));
    kept.ended = ended.catch(() => undefined);
    this.track(sessionId, kept);
    return { kept, ended };
  }

  private track(sessionId: string, kept: TrackedCommand): void {
    const session = this.sessions.get(sessionId) ?? new Map<string, TrackedCommand>();
    this.sessions.set(sessionId, session.set(kept.id, kept));
    const ended = [...session.values()].filter(({ state }) => state !== 'running');
    for (const { id } of ended.slice(0, Math.max(0, ended.length - maxEnded))) session.delete(id);
    this.announce(sessionId);
  }

  private async end(kept: TrackedCommand): Promise<void> {
    if (kept.state !== 'running') return;
    kept.isStopRequested = true;
    await kept.child.terminate();
  }

  private announce(sessionId: string): void {
    this.changes.fire({ sessionId, commands: this.listed(sessionId) });
  }

  private createReport(kept: TrackedCommand): BackgroundReport {
    kept.hasNews = false;
    resetNews(kept);
    const { text, ...left } = kept.collector.format(kept.state === 'running');
    const { id, command, state, exitCode } = kept;
    const runningFor = (kept.endedAt ?? this.clock.now()) - kept.startedAt;
    return {
      id,
      command,
      pid: kept.child.pid,
      state,
      exitCode,
      runningFor,
      output: text,
      ...left,
      ...(kept.sandbox && { sandbox: kept.sandbox }),
    };
  }
}

function signalNews(kept: TrackedCommand): void {
  kept.hasNews = true;
  kept.resolveNews();
}

function resetNews(kept: TrackedCommand): void {
  kept.news = new Promise((resolve) => {
    kept.resolveNews = resolve;
  });
}
