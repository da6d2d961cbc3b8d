import type { Clock } from '../../../utils/clock';
import { messageOf, throwIfAborted } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { withTimeout } from '../../../utils/withTimeout';
import type { SandboxedCommand } from '../sandbox/sandboxPorts';
import type { AdoptedCommand, BackgroundCommands, BackgroundReport } from './backgroundCommands';
import { hiddenShell, runInChildProcess, runProgram, type ProgramToRun } from './childProcessRunner';
import type { CommandOutputs } from './commandOutputs';
import { LiveOutput } from './liveOutput';
import { OutputCollector } from './outputFormatter';
import { recordCommand } from '../recordCommand';
import { findShell } from './shellOf';
import { shellName } from './shellName';
import type { ShellToUse, TerminalEnd, TerminalExecution, TerminalHost, TerminalSession } from './terminalPorts';

export const defaultTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;
/** Milliseconds to wait for the host, which should respond within 20 s. An unresponsive host must not block a command. */
const acquireTimeoutMs = 25_000;
/** Milliseconds to wait for the exit code, which arrives after the output. On a busy machine, the delay is several seconds. */
const exitCodeWaitMs = 12_000;
/** Milliseconds without output, after the end of a command, until the output of a terminal counts as complete. */
const silenceMs = 1_000;
/** Milliseconds to wait after Ctrl+C, then after closing the terminal. The run waits no longer than the sum of both. */
const interruptGraceMs = 500;
const killGraceMs = 500;

export interface CommandRequest {
  sessionId: string;
  /** ID of the tool call that runs the command. Without an ID, live output is not reported. */
  callId?: string;
  command: string;
  /** Program to run instead of the command, without a shell and without a terminal. */
  program?: ProgramToRun;
  /** Sandbox of the program. The caller finishes it, unless the command continues in the background. */
  sandboxed?: Pick<SandboxedCommand, 'finish'>;
  cwd: string;
  /** Time limit in milliseconds, at most ten minutes. The default is two minutes. */
  timeoutMs?: number;
  signal: AbortSignal;
  /** Receives raw output as it arrives. */
  onOutput?: (text: string) => void;
}

interface CommandPrint {
  /** First 15 and last 85 lines, without control sequences. */
  output: string;
  /** Exit code. Null if the command did not exit on its own, or if the shell did not report a code. */
  exitCode: number | null;
  via: 'terminal' | 'childProcess';
  /** Name of the shell, such as `bash`, if the command ran without a terminal. */
  shell?: string;
  /** True for the first command of a terminal if the terminal displays it as the argument of `eval`. */
  isFirstEval?: boolean;
  truncatedLines: number;
  /** Number of suspected secret keys that were removed from the whole output, if any. */
  keysLeftOut?: number;
}

export interface EndedCommand extends CommandPrint {
  /** `closed` means that the terminal was closed before the command ended. */
  status: 'exited' | 'timedOut' | 'cancelled' | 'closed';
  background?: never;
}

/** A command that the user let continue in the background. */
interface ContinuedCommand extends CommandPrint {
  status: 'background';
  background: BackgroundReport;
}

export type CommandOutcome = EndedCommand | ContinuedCommand;

type Ending = Pick<EndedCommand, 'status' | 'exitCode'>;

interface Execution {
  /** Undefined if the command runs in a terminal. */
  pid?: number | undefined;
  ended: Promise<Ending>;
  isFirstEval?: boolean | undefined;
  end(): Promise<void>;
}

type BackgroundAdopter = Pick<BackgroundCommands, 'adopt'>;

/** Receivers of events from running commands. */
interface CommandFollowers {
  /** Receives the output of running commands at intervals, and offers the user actions. */
  outputs: Pick<CommandOutputs, 'begin' | 'set' | 'end'>;
  /** Takes over the commands that continue in the background. */
  background: BackgroundAdopter;
}

/**
 * Runs commands in the visible terminal of the session, or in a child process if there is no terminal. Returns the output so far
 * if the command reaches its timeout, continues in the background, or is cancelled. Returns within a second after the signal.
 */
export class TerminalManager {
  constructor(
    private readonly host: TerminalHost | undefined,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly followers?: CommandFollowers,
  ) {}

  /** Rejects with `CancelledError` if the signal fires before the command starts. Also rejects if the shell cannot be started. */
  async run(request: CommandRequest): Promise<CommandOutcome> {
    throwIfAborted(request.signal);
    const terminal = await this.acquire(request);
    throwIfAborted(request.signal);
    const collector = new OutputCollector();
    const live = this.liveOutput(request, collector);
    let isOver = false;
    let adopted: AdoptedCommand | undefined;
    const onOutput = (text: string): void => {
      if (isOver) return;
      collector.push(text);
      live?.note();
      if (adopted) adopted.noteOutput();
      else request.onOutput?.(text);
    };
    const hidden = terminal || request.program ? undefined : await findShell(this.host, this.clock, request.signal);
    const execution = terminal ? this.startVisible(terminal, request, onOutput) : startHidden(request, onOutput, hidden);
    const recorded = recordCommand(request.sessionId, request.command, request.sandboxed !== undefined);
    const startedAt = this.clock.now();
    const { signal, continued } = this.offerActions(request, startedAt);
    const shell = hidden && { shell: shellName(hiddenShell(hidden.file)) };
    const via = terminal ? ('terminal' as const) : ('childProcess' as const);
    const place = { via, ...shell, ...(execution.isFirstEval === true && { isFirstEval: true }) };
    let ending: Ending | BackgroundAdopter | undefined;
    try {
      ending = await this.settle(execution, { ...request, signal }, continued);
    } finally {
      if (ending === undefined || !('adopt' in ending)) recorded('closed');
      live?.end();
      if (request.callId !== undefined) this.followers?.outputs.end(request.sessionId, request.callId);
    }
    if ('adopt' in ending) {
      terminal?.detach();
      const exitCode = execution.ended.then((last) => last.exitCode).catch(() => null);
      void exitCode.then(() => recorded('closed'));
      const child = { ended: exitCode, pid: execution.pid, terminate: () => execution.end() };
      const { sessionId, command, sandboxed } = request;
      adopted = ending.adopt({ sessionId, command, child, collector, startedAt, sandboxed });
      return { ...place, status: 'background', exitCode: null, ...formatOutput(adopted.report), background: adopted.report };
    }
    isOver = true;
    const { text, ...left } = collector.format(ending.status !== 'exited');
    return { ...place, ...ending, output: text, ...left };
  }

  /** Offers the user actions while a command runs. `continued` resolves when the user moves it to the background. */
  private offerActions({ sessionId, callId, signal }: CommandRequest, startedAt: number) {
    const stopped = new AbortController();
    const continued = new Promise<BackgroundAdopter>((resolve) => {
      const { followers } = this;
      if (followers === undefined || callId === undefined) return;
      const continueInBackground = () => resolve(followers.background);
      followers.outputs.begin(sessionId, callId, startedAt, { stop: () => stopped.abort(), continueInBackground });
    });
    return { signal: AbortSignal.any([signal, stopped.signal]), continued };
  }

  private liveOutput({ sessionId, callId }: CommandRequest, collector: OutputCollector): LiveOutput | undefined {
    const outputs = this.followers?.outputs;
    if (outputs === undefined || callId === undefined) return undefined;
    return new LiveOutput(collector, this.clock, (output) => outputs.set(sessionId, callId, output));
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
      isFirstEval: running.isFirstEval,
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

  /** Closes a terminal. The run does not wait for a terminal that takes too long to close. */
  private async kill(terminal: TerminalSession): Promise<void> {
    const killed = terminal.kill().catch((error: unknown) => this.logger.warn(`A terminal was not closed: ${messageOf(error)}`));
    await withTimeout(killed, killGraceMs, this.clock);
  }

  /** Resolves when the output or the command ends and the remaining output is read. The other event may never occur. */
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
    if (first === 'read') return toEnding(await withTimeout(running.end, exitCodeWaitMs, this.clock));
    for (let before = -1; before !== heard;) {
      before = heard;
      if ((await withTimeout(reading, silenceMs, this.clock)) === 'read') break;
    }
    return toEnding(first);
  }

  /** Waits until the command ends, its time limit expires, the signal fires, or the command continues in the background. */
  private async settle(
    execution: Execution,
    request: CommandRequest,
    continued: Promise<BackgroundAdopter>,
  ): Promise<Ending | BackgroundAdopter> {
    const { signal } = request;
    const over = new AbortController();
    const timeoutMs = Math.min(request.timeoutMs ?? defaultTimeoutMs, maxTimeoutMs);
    const watch = AbortSignal.any([over.signal, signal]);
    const limit = this.clock.sleep(timeoutMs, watch).then(
      () => 'timedOut' as const,
      () => 'cancelled' as const,
    );
    try {
      const first = await Promise.race([execution.ended, limit, continued]);
      if (typeof first === 'object' && 'adopt' in first) return first;
      // The signal and the end of the command may arrive at the same time, in either order.
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
 * Returns whether a command can be typed into a terminal. The terminal treats typed text as key presses. A tab completes a name,
 * and each line of a multi-line text runs as a separate command. An interactive shell expands `!` and `^` from the history and
 * may run text after `#`. zsh also asks for confirmation before `rm *`, even with `-f`. The editor identifies a command by its
 * line on the screen. A line may end with a space before a wide character that did not fit. The output would then be assigned to
 * another command.
 */
function isTypeable(command: string): boolean {
  return !/[\t\r\n]|![^\s=]|^\s*\^|(^|[\s;&|()])#|\\$|\brm\s.*\*/.test(command) && !wideCharacters.test(command);
}

/** Matches double-width characters: whole Unicode blocks that contain them (`W` and `F` of UAX #11), and pictographic emoji. */
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
  return { ended, pid: child.pid, end: () => child.terminate() };
}

function formatOutput({ output, truncatedLines, keysLeftOut }: BackgroundReport) {
  return { output, truncatedLines, ...(keysLeftOut !== undefined && { keysLeftOut }) };
}

/** Returns how a command ended. If a shell ends with its last command (`exit 3`), the terminal closes but has an exit code. */
function toEnding(end: TerminalEnd | undefined): Ending {
  const exitCode = end?.exitCode ?? null;
  return { status: end?.isClosed === true && exitCode === null ? 'closed' : 'exited', exitCode };
}
