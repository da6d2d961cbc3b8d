import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Waits at a pipe that nobody but this process can write to. Is told of a group once it has begun; the next thing that the pipe can bring is
 * its end, and then this process is gone.
 */
const script = `trap '' HUP INT TERM
read -r group || exit 0
read -r nothing
kill -s TERM -- "-$group"
sleep 1
kill -s KILL -- "-$group"`;

/**
 * Starts a process that leads a group of its own, and sees to it that the group does not outlive this process, even if that is killed. On
 * Windows the system ends what was started when this process is gone, though not what that has started itself.
 */
export function startWatched<T extends ChildProcess>(start: () => T): T {
  if (process.platform === 'win32') return start();
  // Ready before there is anything to watch: between the two moments nobody would end the group.
  const watch = spawn('/bin/sh', ['-c', script, 'ollama-copilot-watch'], {
    ...{ cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  });
  watch.on('error', () => undefined);
  watch.stdin?.on('error', () => undefined);
  watch.unref();
  const end = (): void => void watch.kill('SIGKILL');
  try {
    const child = start();
    if (child.pid === undefined) end();
    else watch.stdin?.write(`${child.pid}\n`);
    return child.once('exit', end);
  } catch (error) {
    end();
    throw error;
  }
}
