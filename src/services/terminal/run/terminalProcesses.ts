import { execFile } from 'node:child_process';
import { readFile, readlink } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isProcessGone } from '../../../utils/processes';

const run = promisify(execFile);
/** Time limit for `ps` and `stty`, in milliseconds. */
const toolTimeoutMs = 200;
/** Time limit for a shell to exit on its own, and the interval between checks, in milliseconds. */
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
 * Returns whether a shell is waiting at its prompt. The shell is then in the foreground and has turned off the canonical mode of
 * its terminal (`ICANON` in termios(3)) to edit the line itself. A shell that runs a command, even `read`, leaves canonical mode
 * on. Returns false if unknown, as on Windows.
 */
export async function isAtPrompt(shell: number | undefined): Promise<boolean> {
  if (shell === undefined || process.platform === 'win32') return false;
  try {
    if ((await terminalGroup(shell)) !== shell) return false;
    const flag = process.platform === 'linux' ? '-F' : '-f';
    const { stdout } = await run('/bin/stty', [flag, await terminalFile(shell), '-a'], { timeout: toolTimeoutMs });
    return /(^|\s)-icanon\b/.test(stdout);
  } catch {
    return false;
  }
}

/**
 * Ends the shell of a closed terminal and its foreground group, even if they ignore signals. Ends the shell first, because it
 * would otherwise run the rest of its command line. The shell passes the hang-up signal on to its background processes. Does
 * nothing on Windows.
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
  if (process.platform !== 'linux') return Number(await psColumn(pid, 'tpgid'));
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // See proc(5). The name in parentheses may contain any character. `tpgid` is the sixth field after the name.
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[5]);
}

/** Returns the device file of the terminal in which a shell runs. */
async function terminalFile(shell: number): Promise<string> {
  return process.platform === 'linux' ? readlink(`/proc/${shell}/fd/0`) : `/dev/${await psColumn(shell, 'tty')}`;
}

async function psColumn(pid: number, column: 'tpgid' | 'tty'): Promise<string> {
  // Use the absolute path, because PATH may contain a folder in the workspace.
  const { stdout } = await run('/bin/ps', ['-o', `${column}=`, '-p', String(pid)], { timeout: toolTimeoutMs });
  return stdout.trim();
}

function send(signal: NodeJS.Signals, target: number): void {
  try {
    process.kill(target, signal);
  } catch {
    // The process has already ended.
  }
}
