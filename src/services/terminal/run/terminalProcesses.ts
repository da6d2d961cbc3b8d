import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isProcessGone } from '../../../utils/processes';

const run = promisify(execFile);
/** Time limit for `ps`, in milliseconds. */
const psTimeoutMs = 200;
/** Time limit for a shell to end by itself, and the interval between checks, in milliseconds. */
const endGraceMs = 200;
const pollIntervalMs = 25;

/** Returns the foreground process group of a shell. Returns undefined if there is none or if it is unknown, as on Windows. */
export async function foregroundGroup(shell: number | undefined): Promise<number | undefined> {
  if (shell === undefined || process.platform === 'win32') return undefined;
  try {
    const group = await terminalGroup(shell);
    // The shell leads its own group, which is in the foreground at the prompt.
    return group > 1 && group !== shell ? group : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Ends the shell of a closed terminal and its foreground group, even if they ignore signals.
 * Ends the shell first, because it would otherwise run the rest of its command line. The
 * shell passes the hang-up on to its background processes. Does nothing on Windows.
 */
export async function endShell(shell: number | undefined, foreground: number | undefined): Promise<void> {
  if (shell === undefined || process.platform === 'win32') return;
  send('SIGHUP', shell);
  for (let waited = 0; waited < endGraceMs && !isProcessGone(shell); waited += pollIntervalMs) await sleep(pollIntervalMs);
  send('SIGKILL', shell);
  if (foreground !== undefined) send('SIGKILL', -foreground);
}

/** Returns the foreground process group of the terminal in which a process runs, or -1 without a terminal. */
async function terminalGroup(pid: number): Promise<number> {
  if (process.platform !== 'linux') {
    // Use the absolute path, because PATH may contain a folder of the workspace.
    const { stdout } = await run('/bin/ps', ['-o', 'tpgid=', '-p', String(pid)], { timeout: psTimeoutMs });
    return Number(stdout);
  }
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // See proc(5). The name in parentheses may contain any character. `tpgid` is the sixth field after the name.
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[5]);
}

function send(signal: NodeJS.Signals, target: number): void {
  try {
    process.kill(target, signal);
  } catch {
    // The process has already ended.
  }
}
