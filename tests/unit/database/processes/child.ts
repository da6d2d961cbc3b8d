import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Runs one of the scripts beside this file in a process of its own; messages go over IPC. */
export function startChild(
  script: 'writer' | 'streamer' | 'locker' | 'opener' | 'holder' | 'searcher' | 'window' | 'collector',
  ...args: string[]
): ChildProcess {
  return fork(path.join(__dirname, `${script}.js`), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
}

/** The next message of the child; rejects when it ends without one. */
export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const [message] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The child ended with ${String(code)}`);
    }),
  ])) as unknown[];
  return message;
}

export async function exitOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode;
  const [code, signal] = (await once(child, 'exit')) as unknown[];
  return code ?? signal;
}
