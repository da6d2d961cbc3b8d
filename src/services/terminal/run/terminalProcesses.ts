import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isProcessGone } from '../../../utils/processes';

const run = promisify(execFile);
/** Milliseconds that a system may take to say what runs in a terminal. */
const askTimeout = 200;
/** Milliseconds that a shell has to end by itself, and between looks at it. */
const endGrace = 200;
const lookInterval = 25;

/**
 * Returns the process group that the shell with this process id runs in front; undefined if there is none or nobody says, as on Windows.
 */
export async function foregroundGroup(shell: number | undefined): Promise<number | undefined> {
  if (shell === undefined || process.platform === 'win32') return undefined;
  try {
    const group = await terminalGroup(shell);
    // A shell leads a group of its own; at its prompt that is the one in front.
    return group > 1 && group !== shell ? group : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Ends a shell of which the terminal has been closed, and what it ran in front, whatever signals they ignore; the shell first, or it would
 * go on with what stands behind. It hands the hang-up on to what it runs in the background. Does nothing on Windows.
 */
export async function endShell(shell: number | undefined, foreground: number | undefined): Promise<void> {
  if (shell === undefined || process.platform === 'win32') return;
  send('SIGHUP', shell);
  for (let waited = 0; waited < endGrace && !isProcessGone(shell); waited += lookInterval) await sleep(lookInterval);
  send('SIGKILL', shell);
  if (foreground !== undefined) send('SIGKILL', -foreground);
}

/** Returns the process group in front of the terminal of a process; -1 if it has none. */
async function terminalGroup(pid: number): Promise<number> {
  if (process.platform !== 'linux') {
    // By its path: PATH may lead into the workspace.
    const { stdout } = await run('/bin/ps', ['-o', 'tpgid=', '-p', String(pid)], { timeout: askTimeout });
    return Number(stdout);
  }
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // proc(5): the name in parentheses may hold anything; `tpgid` is the sixth field after it.
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[5]);
}

function send(signal: NodeJS.Signals, target: number): void {
  try {
    process.kill(target, signal);
  } catch {
    // It has ended already.
  }
}
