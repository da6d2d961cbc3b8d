import type { ChildProcess } from 'node:child_process';
import { startEndWatcher } from './endWatcher';

/**
 * Reads the process group ID from a pipe that only this process writes to, then waits for the end of the pipe. The pipe ends when
 * this process ends. Then the script ends the group.
 */
const script = `trap '' HUP INT TERM
read -r group || exit 0
read -r nothing
kill -s TERM -- "-$group"
sleep 1
kill -s KILL -- "-$group"`;

/**
 * Starts a process that leads its own process group. Ensures that the group ends with this process, even if this process is
 * killed. On Windows, the system ends the started process, but not its child processes.
 */
export function startWithWatchdog<T extends ChildProcess>(start: () => T): T {
  if (process.platform === 'win32') return start();
  // Start the watcher first. Otherwise, the group would keep running if this process ended before the watcher starts.
  const watch = startEndWatcher(script);
  const end = (): void => void watch.kill('SIGKILL');
  try {
    const child = start();
    if (child.pid === undefined) end();
    else watch.stdin.write(`${child.pid}\n`);
    return child.once('exit', end);
  } catch (error) {
    end();
    throw error;
  }
}
