import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock } from '../../../utils/clock';
import { withTimeout } from '../../../utils/withTimeout';
import { startWatched } from './groupWatch';
import type { ShellToUse } from './terminalPorts';

/** Milliseconds between asking a process to end and killing it. */
const killGraceMs = 400;
/** Milliseconds that output may follow after the shell has ended: a background process may hold the pipe for ever. */
const drainMs = 250;

export interface ChildExecution {
  /**
   * The exit code, when the shell has ended, whatever became of processes it left behind. Of one that a signal has ended it is what
   * shells give for that: 128 and the number of the signal.
   */
  readonly ended: Promise<number | null>;
  readonly pid: number | undefined;
  /** Asks the whole process group to end, then insists; settles within a second. */
  terminate(): Promise<void>;
}

/** Runs a program with these arguments and nothing between: no shell, no input. */
export function runProgram(
  { file, args, env }: { file: string; args: readonly string[]; env: NodeJS.ProcessEnv },
  cwd: string,
  onOutput: (text: string) => void,
): ChildExecution {
  const isDetached = process.platform !== 'win32';
  return executionOf(
    startWatched(() =>
      spawn(file, args, { cwd, env, detached: isDetached, windowsHide: true, stdio: ['ignore', 'pipe', 'pipe'] }),
    ),
    onOutput,
  );
}

/** Runs `command` in the user's shell without input, with stderr joined into stdout in the order of writing. */
export function runInChildProcess(
  command: string,
  cwd: string,
  onOutput: (text: string) => void,
  { file, env }: ShellToUse = { env: process.env },
): ChildExecution {
  const isWindows = process.platform === 'win32';
  const child = startWatched(() =>
    isWindows
      ? spawn(command, { cwd, env, shell: true, windowsHide: true, stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn(hiddenShell(file), ['-c', `exec 2>&1; ${command}`], {
          cwd,
          env,
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
  );
  return executionOf(child, onOutput);
}

function executionOf(
  child: ChildProcess & { stdout: Readable; stderr: Readable },
  onOutput: (text: string) => void,
): ChildExecution {
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', onOutput);
    stream.on('error', () => undefined);
  }
  const ended = endOf(child);
  return { ended, pid: child.pid, terminate: () => terminateGroup(child, ended) };
}

/** Returns the shell that runs a command without a terminal: the preferred one or that of the user, if it reads the command lines of sh. */
export function hiddenShell(preferred = ''): string {
  if (process.platform === 'win32') return process.env['ComSpec'] ?? 'cmd.exe';
  const fits = (shell: string): boolean => ['sh', 'bash', 'zsh', 'dash', 'ksh'].includes(basename(shell));
  return [preferred, process.env['SHELL'] ?? ''].find(fits) ?? '/bin/sh';
}

/** Resolves with the exit code once a process has ended and its output had a moment to follow. */
export function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    let drain: NodeJS.Timeout | undefined;
    const settle = (code: number | null): void => {
      clearTimeout(drain);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(code);
    };
    child.once('error', reject);
    const codeOf = (code: number | null, signal: NodeJS.Signals | null) =>
      code ?? (signal === null ? null : 128 + constants.signals[signal]);
    child.once('close', (code, signal) => settle(codeOf(code, signal)));
    child.once('exit', (code, signal) => {
      drain = setTimeout(() => settle(codeOf(code, signal)), drainMs);
    });
  });
}

/** Asks the group of a process to end, then insists; resolves within a second. */
export async function terminateGroup(child: ChildProcess, ended: Promise<number | null>): Promise<void> {
  const over = ended.then(
    () => undefined,
    () => undefined,
  );
  signalGroup(child, 'SIGTERM');
  await withTimeout(over, killGraceMs, systemClock);
  // Also when the shell has gone: what it started may have ignored the first signal.
  signalGroup(child, 'SIGKILL');
  await withTimeout(over, killGraceMs, systemClock);
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32')
      spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
        'error',
        () => undefined,
      );
    else process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}
