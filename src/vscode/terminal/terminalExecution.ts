import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { TerminalEnd } from '../../services/terminal/run/terminalPorts';
import { isAtPrompt } from '../../services/terminal/run/terminalProcesses';
import { isProcessGone } from '../../utils/processes';

/** Maximum time to wait for the close event after a command without an exit code, in milliseconds. */
const closingDelay = 1000;
/**
 * Maximum time to wait for the end event after the shell has exited, in milliseconds. VS
 * Code first waits for the remaining output.
 */
const closingTimeout = 5000;
/** Interval between checks whether the shell is running, in milliseconds. */
const lookInterval = 300;
/** Interval between checks whether the shell is at its prompt, in milliseconds. */
const promptInterval = 1000;
/**
 * Number of consecutive checks that must find the shell at its prompt. Before a command, VS Code may first clear the prompt with
 * Ctrl+C, and its end event can arrive seconds after the prompt on a busy machine.
 */
const promptChecks = 5;

/** Execution of a command that was typed into a terminal. */
export interface BegunExecution {
  is(execution: vscode.TerminalShellExecution): boolean;
  output: AsyncIterable<string>;
  /** Resolves when the command starts or the terminal closes. */
  started: Promise<unknown>;
}

/**
 * Finds the execution that runs after `asked` was typed. If the shell reports another command line, VS Code creates
 * another execution and fires no events for `asked`. Calls `onLost` if the first output could not be read.
 */
export function begunIn(terminal: vscode.Terminal, asked: vscode.TerminalShellExecution, onLost: () => void): BegunExecution {
  // Read before the start, because output that arrives with the start event cannot be read later.
  const early = asked.read();
  const beginning = new Promise<AsyncIterable<string>>((resolve) => {
    const settle = (output: AsyncIterable<string>) => {
      started.dispose();
      closed.dispose();
      resolve(output);
    };
    const started = vscode.window.onDidStartTerminalShellExecution((event) => {
      if (event.terminal !== terminal || isForeign(event.execution, asked)) return;
      begun.is = (execution) => execution === event.execution;
      settle(event.execution === asked ? early : heard(event.execution.read(), onLost));
    });
    const closed = vscode.window.onDidCloseTerminal((other) => {
      if (other === terminal) settle(early);
    });
  });
  async function* read(): AsyncIterable<string> {
    yield* await beginning;
  }
  const begun: BegunExecution = { is: (execution) => execution === asked, output: read(), started: beginning };
  return begun;
}

/**
 * Escape sequences that mark the start of a command. One of them precedes its output. VS Code
 * splits the output at them (`_onProcessData`).
 */
const beginningMarks = ['\u001b]633;C\u0007', '\u001b]133;C\u0007'];

/** Reads the output of an execution that this extension did not request. Output that arrives with the start event is lost. */
export async function* heard(output: AsyncIterable<string>, onLost: () => void): AsyncIterable<string> {
  let isFirst = true;
  for await (const text of output) {
    if (isFirst && !beginningMarks.some((mark) => text.startsWith(mark))) yield lost(onLost);
    isFirst = false;
    yield text;
  }
  if (isFirst) yield lost(onLost);
}

function lost(onLost: () => void): string {
  onLost();
  return `${vscode.l10n.t('[What the command printed first could not be read. It did run: run it again only if that does no harm.]')}\n`;
}

/**
 * Returns true if an execution is not the requested command. Other extensions also type into
 * terminals, for example to activate an environment. Fish and PowerShell report an empty line as a
 * command. A command inside `eval` is reported unchanged.
 */
export function isForeign(begun: CommandLine, asked: CommandLine): boolean {
  if (begun === asked) return false;
  const isOurs = ({ commandLine }: CommandLine) => commandLine.value.startsWith('eval ');
  return isOurs(asked) ? begun.commandLine.value !== '' && !isOurs(begun) : begun.commandLine.value === '';
}
type CommandLine = Pick<vscode.TerminalShellExecution, 'commandLine'>;

/**
 * Resolves when an execution ends. VS Code fires no end event if it reported an empty command line at the start (see
 * `isSubExecution` in its `extHostTerminalShellIntegration.ts`). The execution then ends when the shell waits at its prompt,
 * and the exit code is unknown.
 *
 * @param isPromptKnown True if `isAtPrompt` supports the shell.
 */
export function waitForTerminalEnd(
  terminal: vscode.Terminal,
  begun: BegunExecution,
  isPromptKnown: boolean,
): Promise<TerminalEnd> {
  return new Promise((resolve) => {
    let later: NodeJS.Timeout | undefined;
    const finish = (exitCode: number | undefined, isClosed: boolean) => {
      clearTimeout(later);
      looking.abort();
      ended.dispose();
      closed.dispose();
      resolve({ exitCode, isClosed });
    };
    const looking = new AbortController();
    void shellGone(terminal, looking.signal).then(() => {
      clearTimeout(later);
      if (!looking.signal.aborted) later = setTimeout(() => finish(undefined, true), closingTimeout);
    });
    if (isPromptKnown) {
      void begun.started
        .then(() => backAtPrompt(terminal, looking.signal))
        .then(() => looking.signal.aborted || finish(undefined, false));
    }
    const ended = vscode.window.onDidEndTerminalShellExecution((event) => {
      if (!begun.is(event.execution)) return;
      if (event.exitCode === undefined) later ??= setTimeout(() => finish(undefined, false), closingDelay);
      else finish(event.exitCode, false);
    });
    const closed = vscode.window.onDidCloseTerminal((other) => {
      if (other !== terminal) return;
      const { code, reason } = terminal.exitStatus ?? {};
      // A killed shell reports exit code 0.
      finish(reason === vscode.TerminalExitReason.Process && code !== 0 ? code : undefined, true);
    });
  });
}

/**
 * Resolves when the shell process of the terminal exits or the signal aborts. For a process on
 * another computer, the exit cannot be detected.
 */
async function shellGone(terminal: vscode.Terminal, signal: AbortSignal): Promise<void> {
  const pid = await terminal.processId;
  let wasThere = false;
  try {
    while (!signal.aborted) {
      const isThere = pid !== undefined && !isProcessGone(pid);
      if (wasThere && !isThere) return;
      wasThere = isThere;
      await sleep(lookInterval, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Resolves when the shell of the terminal has been at its prompt for several checks, or when the signal aborts. */
async function backAtPrompt(terminal: vscode.Terminal, signal: AbortSignal): Promise<void> {
  const pid = await terminal.processId;
  for (let found = 0; !signal.aborted && found < promptChecks; found = (await isAtPrompt(pid)) ? found + 1 : 0) {
    await sleep(promptInterval, undefined, { signal }).catch(() => undefined);
  }
}
