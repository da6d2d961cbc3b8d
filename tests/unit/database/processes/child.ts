import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Runs a script from this folder in a child process with IPC. */
export function startChild(
  script: 'writer' | 'streamer' | 'locker' | 'opener' | 'holder' | 'searcher' | 'window' | 'collector',
  ...args: string[]
): ChildProcess {
  return fork(path.join(__dirname, `${script}.js`), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
}

/** Resolves with the child's next message. Rejects if the child exits without sending a message. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The child ended with ${String(code)}`);
    }),
  ])) as unknown[];
  return message;
}

/** Returns the exit code or the signal. Windows reports only code 1 for a process that killed itself. */
export async function exitOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode;
  const [code, signal] = (await once(child, 'exit')) as unknown[];
  return process.platform === 'win32' && code === 1 ? 'SIGKILL' : (code ?? signal);
}
