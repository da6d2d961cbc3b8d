import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Starts a shell script that survives this process. Its standard input is a pipe that only this process writes to, so the pipe ends
 * when this process ends, even if it is killed. Not for Windows.
 */
export function startEndWatcher(script: string, env: NodeJS.ProcessEnv = process.env): ChildProcessByStdio<Writable, null, null> {
  const watcher = spawn('/bin/sh', ['-c', script, 'ollama-copilot-watch'], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env,
  });
  watcher.on('error', () => undefined);
  watcher.stdin.on('error', () => undefined);
  watcher.unref();
  return watcher;
}
