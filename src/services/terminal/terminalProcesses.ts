import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isProcessGone } from '../../utils/processes';

const run = promisify(execFile);
/** How long a system may take to say what runs in a terminal. Milliseconds. */
const askTimeout = 200;
/** How long a shell has to end by itself, and how often to look. Milliseconds. */
const endGrace = 300;
const lookInterval = 50;

/** Ends what the shell with this process id runs in front, if anything, whatever signals that ignores. Does nothing on Windows. */
export async function killForeground(shell: number | undefined): Promise<void> {
  if (shell === undefined || process.platform === 'win32') return;
  try {
    const group = await foregroundGroup(shell);
    // A shell leads a group of its own; at its prompt that is the one in front.
    if (group > 1 && group !== shell) process.kill(-group, 'SIGKILL');
  } catch {
    // The shell or what it ran is gone, or the system does not say.
  }
}

/** Sees to it that a shell of which the terminal has been closed ends, also where it ignores that. */
export async function endShell(shell: number | undefined): Promise<void> {
  if (shell === undefined || process.platform === 'win32') return;
  for (let waited = 0; waited < endGrace; waited += lookInterval) {
    if (isProcessGone(shell)) return;
    await sleep(lookInterval);
  }
  try {
    process.kill(shell, 'SIGKILL');
  } catch {
    // It has ended just now.
  }
}

/** The process group in front of the terminal of a process; -1 where it has none. */
async function foregroundGroup(pid: number): Promise<number> {
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-o', 'tpgid=', '-p', String(pid)], { timeout: askTimeout });
    return Number(stdout);
  }
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // proc(5): the name in parentheses may hold anything; `tpgid` is the sixth field after it.
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[5]);
}
