import type { Clock } from '../../utils/clock';
import { messageOf, throwIfAborted } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { runInChildProcess } from './childProcessRunner';
import { OutputCollector } from './outputFormatter';
import type { TerminalHost, TerminalSession } from './ports';

export const defaultTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;
/** The host promises an answer in 5 s; a host that breaks the promise must not hold a command up. */
const acquireTimeoutMs = 7_000;
const exitCodeWaitMs = 1_000;
const interruptGraceMs = 500;

export interface CommandRequest {
  sessionId: string;
  command: string;
  /** Absolute path of an existing folder. */
  cwd: string;
  /** At most ten minutes; default two. */
  timeoutMs?: number;
  signal: AbortSignal;
  /** Raw output as it comes. */
  onOutput?: (text: string) => void;
}

export interface CommandOutcome {
  /** The first 15 and last 85 lines, cleaned of control sequences. */
  output: string;
  /** null when the command did not end by itself or the shell did not say. */
  exitCode: number | null;
  status: 'exited' | 'timedOut' | 'cancelled';
  via: 'terminal' | 'childProcess';
  truncatedLines: number;
}

/** A running command: `ended` gives its exit code; `end` makes it end within a second. */
interface Execution {
  ended: Promise<number | null>;
  end(): Promise<void>;
}

/**
 * Runs commands in the session's visible terminal, or in a child process where there is none. Never waits for ever: it
 * comes back with what was seen so far when the time is up, and within a second of the signal.
 */
export class TerminalManager {
  constructor(
    private readonly host: TerminalHost | undefined,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Rejects with `CancelledError` when the signal has fired before the command began, else with what kept the shell from starting. */
  async run(request: CommandRequest): Promise<CommandOutcome> {
    throwIfAborted(request.signal);
    const terminal = await this.acquire(request);
    throwIfAborted(request.signal);
    const collector = new OutputCollector();
    let isOver = false;
    const onOutput = (text: string): void => {
      if (isOver) return;
      collector.push(text);
      request.onOutput?.(text);
    };
    const execution = terminal ? this.startVisible(terminal, request, onOutput) : startHidden(request, onOutput);
    const { status, exitCode } = await this.settle(execution, request);
    isOver = true;
    const { text, truncatedLines } = collector.format();
    return { output: text, exitCode, status, via: terminal ? 'terminal' : 'childProcess', truncatedLines };
  }

  private async acquire(request: CommandRequest): Promise<TerminalSession | undefined> {
    if (!this.host || !isTypeable(request.command)) return undefined;
    const giveUp = new AbortController();
    const signal = AbortSignal.any([request.signal, giveUp.signal]);
    try {
      return await Promise.race([
        this.host.acquire(request.sessionId, request.cwd, signal),
        this.clock.sleep(acquireTimeoutMs, signal).then(() => undefined),
      ]);
    } catch (error) {
      throwIfAborted(request.signal);
      this.logger.warn(`No visible terminal, running in the background: ${messageOf(error)}`);
      return undefined;
    } finally {
      giveUp.abort();
    }
  }

  private startVisible(terminal: TerminalSession, request: CommandRequest, onOutput: (text: string) => void): Execution {
    const running = terminal.execute(request.command, request.signal);
    const read = async (): Promise<number | null> => {
      for await (const text of running.output) onOutput(text);
      // Shell integration may never say how the command ended.
      const patience = new AbortController();
      const code = await Promise.race([
        running.exitCode,
        this.clock.sleep(exitCodeWaitMs, patience.signal).catch(() => undefined),
      ]);
      patience.abort();
      return code ?? null;
    };
    const ended = read();
    ended.catch(() => undefined);
    running.exitCode.catch(() => undefined);
    return {
      ended,
      end: async () => {
        terminal.interrupt();
        const patience = new AbortController();
        const isOver = await Promise.race([
          ended.then(
            () => true,
            () => true,
          ),
          this.clock.sleep(interruptGraceMs, patience.signal).then(
            () => false,
            () => false,
          ),
        ]);
        patience.abort();
        if (!isOver) terminal.kill();
      },
    };
  }

  private async settle(
    execution: Execution,
    request: CommandRequest,
  ): Promise<{ status: CommandOutcome['status']; exitCode: number | null }> {
    const { signal } = request;
    const over = new AbortController();
    const timeoutMs = Math.min(request.timeoutMs ?? defaultTimeoutMs, maxTimeoutMs);
    const watch = AbortSignal.any([over.signal, signal]);
    const limit = this.clock.sleep(timeoutMs, watch).then(
      () => 'timedOut' as const,
      () => 'cancelled' as const,
    );
    try {
      const first = await Promise.race([execution.ended.then((exitCode) => ({ exitCode })), limit]);
      if (typeof first === 'object') {
        // A signal and the end of the command may arrive together, in either order.
        return signal.aborted ? { status: 'cancelled', exitCode: null } : { status: 'exited', exitCode: first.exitCode };
      }
      await execution.end();
      return { status: first, exitCode: null };
    } finally {
      over.abort();
      await limit;
    }
  }
}

/**
 * A terminal takes text as key presses: a tab would complete a name, and each line of several would be a command of its
 * own. A shell that is typed to puts history in for `!` and `^`, and may run what stands behind a `#`.
 */
function isTypeable(command: string): boolean {
  return !/[\t\r\n]|![^\s=]|^\s*\^|(^|[\s;&|()])#|\\$/.test(command);
}

function startHidden(request: CommandRequest, onOutput: (text: string) => void): Execution {
  const child = runInChildProcess(request.command, request.cwd, onOutput);
  child.ended.catch(() => undefined);
  return { ended: child.ended, end: () => child.terminate() };
}
