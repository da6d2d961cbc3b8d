import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { TerminalEnd } from '../../services/terminal/run/terminalPorts';
import { isProcessGone } from '../../utils/processes';

/** The news that a shell is gone may come after that of its last command's end, which then has no code. Milliseconds. */
const closingDelay = 1000;
/**
 * Milliseconds that the end may take to be reported once the shell's process is gone: the editor waits for the rest of
 * its output.
 */
const closingTimeout = 5000;
/** Milliseconds between looks whether the shell of a running command is still there. */
const lookInterval = 300;

/** A command that was typed into a terminal, and which execution it became. */
export interface BegunExecution {
  is(execution: vscode.TerminalShellExecution): boolean;
  output: AsyncIterable<string>;
}

/**
 * Finds the execution that runs in the terminal once `asked` was typed. The editor takes it for another one if the shell
 * reports a
 * different command line than it was given; the requested execution then never fires anything. Calls `onLost` if nobody
 * could read what
 * a command printed.
 */
export function begunIn(terminal: vscode.Terminal, asked: vscode.TerminalShellExecution, onLost: () => void): BegunExecution {
  // Before it begins: of what comes with its beginning nothing would be read later.
  const early = asked.read();
  const begun: BegunExecution = { is: (execution) => execution === asked, output: read() };
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
  return begun;
}

/**
 * Marks of a beginning, one of which comes first of every command; the editor separates them from the output
 * (`_onProcessData`).
 */
const beginningMarks = ['\u001b]633;C\u0007', '\u001b]133;C\u0007'];

/**
 * Reads the output of an execution that was not requested. The editor has passed on the output that came together with
 * the report of
 * its beginning before anybody can read.
 */
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
 * Tells whether an execution is another's. Other extensions type into terminals, too, such as the activation of an environment, and fish
 * and PowerShell report an empty line like a command. What is typed behind `eval` is reported as it is.
 */
export function isForeign(begun: CommandLine, asked: CommandLine): boolean {
  if (begun === asked) return false;
  const isOurs = ({ commandLine }: CommandLine) => commandLine.value.startsWith('eval ');
  return isOurs(asked) ? begun.commandLine.value !== '' && !isOurs(begun) : begun.commandLine.value === '';
}
type CommandLine = Pick<vscode.TerminalShellExecution, 'commandLine'>;

/** Resolves when the command, its shell or its terminal ends. */
export function endOf(terminal: vscode.Terminal, begun: BegunExecution): Promise<TerminalEnd> {
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
    const ended = vscode.window.onDidEndTerminalShellExecution((event) => {
      if (!begun.is(event.execution)) return;
      if (event.exitCode === undefined) later ??= setTimeout(() => finish(undefined, false), closingDelay);
      else finish(event.exitCode, false);
    });
    const closed = vscode.window.onDidCloseTerminal((other) => {
      if (other !== terminal) return;
      const { code, reason } = terminal.exitStatus ?? {};
      // A shell that was killed is said to have ended with 0.
      finish(reason === vscode.TerminalExitReason.Process && code !== 0 ? code : undefined, true);
    });
  });
}

/** Resolves when the process of the terminal's shell has ended, or the signal fires. One that is not on this machine is never seen to end. */
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
