import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { terminateGroup } from '../../terminal/run/childProcessRunner';
import { startWithWatchdog } from '../../terminal/run/groupWatch';

/** Git executable, with arguments that override settings, and its environment. */
export interface PlainGit {
  git: string;
  overrules: readonly string[];
  env: NodeJS.ProcessEnv;
}

export interface GitCall {
  signal: AbortSignal;
  input?: string;
  /** Encoding of input and output. `latin1` preserves every byte of a path. */
  encoding?: 'utf8' | 'latin1';
  /** Additional environment variables. */
  env?: NodeJS.ProcessEnv;
  /** Time limit in milliseconds. */
  maxMs?: number;
}

/** Default time limit of one call, in milliseconds. */
const defaultMaxMs = 20_000;
/** Output limit of one call, in bytes. */
const maxOutputBytes = 64 * 1024 * 1024;

export class GitFailure extends Error {
  constructor(
    code: number | null,
    readonly stderr: string,
  ) {
    super(`git ended with ${code}: ${stderr.slice(0, 2_000)}`);
  }
}

/** Runs Git and returns its output. Rejects if Git fails or is canceled, but only after its processes have ended. */
export async function runGit(git: PlainGit, args: readonly string[], call: GitCall): Promise<string> {
  const { signal, input = '', encoding = 'utf8', env = {}, maxMs = defaultMaxMs } = call;
  const tooMuch = new AbortController();
  const until = AbortSignal.any([signal, tooMuch.signal, AbortSignal.timeout(maxMs)]);
  until.throwIfAborted();
  const child = startWithWatchdog(() =>
    spawn(git.git, [...git.overrules, ...args], {
      env: { ...git.env, ...env },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: 'pipe',
    }),
  );
  let size = 0;
  const read = (stream: Readable) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutputBytes) tooMuch.abort();
      else chunks.push(chunk);
    });
    return () => Buffer.concat(chunks).toString(encoding);
  };
  const output = read(child.stdout);
  const errors = read(child.stderr);
  const ended = once(child, 'close').then(([code]) => code as number | null);
  let stopped: Promise<void> | undefined;
  const stop = () => void (stopped = terminateGroup(child, ended));
  until.addEventListener('abort', stop, { once: true });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input, encoding);
  try {
    const code = await ended;
    until.throwIfAborted();
    if (code !== 0) throw new GitFailure(code, errors());
    return output();
  } finally {
    until.removeEventListener('abort', stop);
    await stopped;
  }
}

export const splitOutput = (text: string) => text.split('\n').filter((line) => line !== '');
