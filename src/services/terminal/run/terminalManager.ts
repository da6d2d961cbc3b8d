import type { Clock } from '../../../utils/clock';
import { messageOf, throwIfAborted } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { withTimeout } from '../../../utils/withTimeout';
import { hiddenShell, runInChildProcess, runProgram } from './childProcessRunner';
import { OutputCollector } from './outputFormatter';
import { shellOf } from './shellOf';
import { shellName } from './shellName';
import type { ShellToUse, TerminalEnd, TerminalExecution, TerminalHost, TerminalSession } from './terminalPorts';

export const defaultTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;
/** The host promises an answer in 20 s; a host that breaks the promise must not hold a command up. */
const acquireTimeoutMs = 25_000;
/** The end of a shell is told after that of its output, seconds later on a busy machine. */
const exitCodeWaitMs = 12_000;
/** Milliseconds of silence after the end of its command until a terminal's output counts as complete. */
const silenceMs = 1_000;
/** A command that is told to end is over for its run within a second: what is left of it after both is left behind. */
const interruptGraceMs = 500;
const killGraceMs = 500;

/** Program with the path of its file. */
export interface ProgramToRun {
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Folder to run in instead of the command's. */
  cwd?: string;
}

export interface CommandRequest {
  sessionId: string;
  command: string;
  /** Program to run in place of the command, without a shell and out of sight. */
  program?: ProgramToRun;
  /** Absolute path of an existing folder. */
  cwd: string;
  /** Milliseconds, at most ten minutes; default two minutes. */
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
  /** `closed`: its terminal was closed before it had ended. */
  status: 'exited' | 'timedOut' | 'cancelled' | 'closed';
  via: 'terminal' | 'childProcess';
  /** Name of the shell, such as `bash`, if the command ran in one without a terminal. */
  shell?: string;
  truncatedLines: number;
  /** Places in the whole output where what looks like a key was left out, if any. */
  keysLeftOut?: number;
}

interface Ending {
  status: CommandOutcome['status'];
  exitCode: number | null;
}

/** A running command: `ended` says how; `end` makes it end within a second. */
interface Execution {
  ended: Promise<Ending>;
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
    const hidden = terminal || request.program ? undefined : await shellOf(this.host, this.clock, request.signal);
    const execution = terminal ? this.startVisible(terminal, request, onOutput) : startHidden(request, onOutput, hidden);
    const { status, exitCode } = await this.settle(execution, request);
    isOver = true;
    const { text, ...left } = collector.format(status !== 'exited');
    const shell = hidden && { shell: shellName(hiddenShell(hidden.file)) };
    return { output: text, exitCode, status, via: terminal ? 'terminal' : 'childProcess', ...shell, ...left };
  }

  private async acquire(request: CommandRequest): Promise<TerminalSession | undefined> {
    if (!this.host || request.program !== undefined || !isTypeable(request.command)) return undefined;
    const giveUp = new AbortController();
    const signal = AbortSignal.any([request.signal, giveUp.signal]);
    try {
      return await withTimeout(
        this.host.acquire(request.sessionId, request.cwd, signal),
        acquireTimeoutMs,
        this.clock,
        request.signal,
      );
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
    const ended = this.readToEnd(running, onOutput);
    ended.catch(() => undefined);
    return {
      ended,
      end: async () => {
        terminal.interrupt();
        const over = ended.then(
          () => true,
          () => true,
        );
        const isOver = await withTimeout(over, interruptGraceMs, this.clock);
        if (!isOver) await this.kill(terminal);
      },
    };
  }

  /** Closes a terminal. One that the editor does not close, or not in time, does not hold up the run. */
  private async kill(terminal: TerminalSession): Promise<void> {
    const killed = terminal.kill().catch((error: unknown) => this.logger.warn(`A terminal was not closed: ${messageOf(error)}`));
    await withTimeout(killed, killGraceMs, this.clock);
  }

  /**
   * Resolves when the output or the command ends, whichever is first, and the rest of the output is read: the other may
   * never end.
   */
  private async readToEnd(running: TerminalExecution, onOutput: (text: string) => void): Promise<Ending> {
    let heard = 0;
    const read = async (): Promise<'read'> => {
      for await (const text of running.output) {
        heard += 1;
        onOutput(text);
      }
      return 'read';
    };
    const reading = read();
    const first = await Promise.race([reading, running.end]);
    if (first === 'read') return endingOf(await withTimeout(running.end, exitCodeWaitMs, this.clock));
    for (let before = -1; before !== heard;) {
      before = heard;
      if ((await withTimeout(reading, silenceMs, this.clock)) === 'read') break;
    }
    return endingOf(first);
  }

  private async settle(execution: Execution, request: CommandRequest): Promise<Ending> {
    const { signal } = request;
    const over = new AbortController();
    const timeoutMs = Math.min(request.timeoutMs ?? defaultTimeoutMs, maxTimeoutMs);
    const watch = AbortSignal.any([over.signal, signal]);
    const limit = this.clock.sleep(timeoutMs, watch).then(
      () => 'timedOut' as const,
      () => 'cancelled' as const,
    );
    try {
      const first = await Promise.race([execution.ended, limit]);
      // A signal and the end of the command may arrive together, in either order.
      if (typeof first === 'object') return signal.aborted ? { status: 'cancelled', exitCode: null } : first;
      await execution.end();
      return { status: first, exitCode: null };
    } finally {
      over.abort();
      await limit;
    }
  }
}

/**
 * Tells whether a command can be typed. A terminal takes text as key presses: a tab would complete a name, and each line of several would
 * be
 * a command of its own. A shell that is typed to expands history for `!` and `^`, may run what stands behind a `#`, and asks before `rm
 * *`
 * (zsh, even with `-f`). The editor knows a command by what its line reads on the screen: in a full line, a blank may stand before a wide
 * character that had no room there, and the output would count as that of another command.
 */
function isTypeable(command: string): boolean {
  return !/[\t\r\n]|![^\s=]|^\s*\^|(^|[\s;&|()])#|\\$|\brm\s.*\*/.test(command) && !wideCharacters.test(command);
}

/** Characters two cells wide: the blocks in which Unicode has them (`W` and `F` of UAX #11), in whole, and emoji that are pictures. */
const wideCharacters =
  /[\u1100-\u115f\u2329\u232a\u2e80-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe10-\ufe6f\uff00-\uffef\u{16fe0}-\u{1b2ff}\u{1f000}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

function startHidden(request: CommandRequest, onOutput: (text: string) => void, shell: ShellToUse | undefined): Execution {
  const child =
    request.program === undefined
      ? runInChildProcess(request.command, request.cwd, onOutput, shell)
      : runProgram(request.program, request.program.cwd ?? request.cwd, onOutput);
  child.ended.catch(() => undefined);
  const ended = child.ended.then((exitCode) => ({ status: 'exited' as const, exitCode }));
  ended.catch(() => undefined);
  return { ended, end: () => child.terminate() };
}

/** Returns how a command ended. A shell that ends with its last command, as `exit 3` makes it, closes the terminal and says how. */
function endingOf(end: TerminalEnd | undefined): Ending {
  const exitCode = end?.exitCode ?? null;
  return { status: end?.isClosed === true && exitCode === null ? 'closed' : 'exited', exitCode };
}
