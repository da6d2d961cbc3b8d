import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock } from '../../../utils/clock';
import { withTimeout } from '../../../utils/withTimeout';
import { cmdLine } from './cmdLine';
import { startWithWatchdog } from './groupWatch';
import { endTree } from './processTree';
import type { ShellToUse } from './terminalPorts';

/** Milliseconds between SIGTERM and SIGKILL. */
const killGraceMs = 400;
/** Milliseconds to wait for output after the shell has ended. A background process may keep the pipe open indefinitely. */
const drainMs = 250;

export interface ProgramToRun {
  file: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Working directory to use instead of `cwd` in the request. */
  cwd?: string;
}

export interface ChildExecution {
  /**
   * Exit code of the shell. Does not wait for background processes. After
   * a signal, the code is 128 plus the signal number, as in shells.
   */
  readonly ended: Promise<number | null>;
  readonly pid: number | undefined;
  /** Sends SIGTERM to the whole process group, then SIGKILL. Settles within a second. */
  terminate(): Promise<void>;
}

/** Runs a program directly, without a shell and without input. */
export function runProgram(
  { file, args, env }: Omit<ProgramToRun, 'cwd'>,
  cwd: string,
  onOutput: (text: string) => void,
): ChildExecution {
  const isDetached = process.platform !== 'win32';
  return createExecution(
    startWithWatchdog(() =>
      spawn(file, args, { cwd, env, detached: isDetached, windowsHide: true, stdio: ['ignore', 'pipe', 'pipe'] }),
    ),
    onOutput,
  );
}

/** Runs `command` in the user's shell without input. Merges stdout and stderr in the order in which they are written. */
export function runInChildProcess(
  command: string,
  cwd: string,
  onOutput: (text: string) => void,
  { file, env }: ShellToUse = { env: process.env },
): ChildExecution {
  const isWindows = process.platform === 'win32';
  const child = startWithWatchdog(() =>
    isWindows
      ? spawn(cmdLine(command), { cwd, env, shell: hiddenShell(), windowsHide: true, stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn(hiddenShell(file), ['-c', `exec 2>&1; ${command}`], {
          cwd,
          env,
          detached: true,
          stdio: ['ignore', 'pipe', 'pipe'],
        }),
  );
  return createExecution(child, onOutput);
}

function createExecution(
  child: ChildProcess & { stdout: Readable; stderr: Readable },
  onOutput: (text: string) => void,
): ChildExecution {
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', onOutput);
    stream.on('error', () => undefined);
  }
  const ended = waitForExit(child);
  return { ended, pid: child.pid, terminate: () => terminateGroup(child, ended) };
}

/** Returns the first of these shells that is compatible with sh: `preferred`, the user's shell, `/bin/sh`. On Windows, returns cmd. */
export function hiddenShell(preferred = ''): string {
  if (process.platform === 'win32') return process.env['ComSpec'] ?? 'cmd.exe';
  const fits = (shell: string): boolean => ['sh', 'bash', 'zsh', 'dash', 'ksh'].includes(basename(shell));
  return [preferred, process.env['SHELL'] ?? ''].find(fits) ?? '/bin/sh';
}

/**
 * Resolves with the exit code after the process has ended and its
 * remaining output was read. Waits at most `drainMs` for the output.
 */
export function waitForExit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    let drain: NodeJS.Timeout | undefined;
    const settle = (code: number | null): void => {
      clearTimeout(drain);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(code);
    };
    child.once('error', reject);
    const toExitCode = (code: number | null, signal: NodeJS.Signals | null) =>
      code ?? (signal === null ? null : 128 + constants.signals[signal]);
    child.once('close', (code, signal) => settle(toExitCode(code, signal)));
    child.once('exit', (code, signal) => {
      drain = setTimeout(() => settle(toExitCode(code, signal)), drainMs);
    });
  });
}

/** Sends SIGTERM to the process group, then SIGKILL. On Windows, ends the process tree. Resolves within a second. */
export async function terminateGroup(child: ChildProcess, ended: Promise<number | null>): Promise<void> {
  const over = ended.then(
    () => undefined,
    () => undefined,
  );
  if (process.platform === 'win32') {
    const isEnded = child.pid === undefined ? over : endTree(child.pid).then(() => over);
    await withTimeout(isEnded, 2 * killGraceMs, systemClock);
    return;
  }
  signalGroup(child, 'SIGTERM');
  await withTimeout(over, killGraceMs, systemClock);
  // Needed even after the shell has ended, because its child processes may have ignored SIGTERM.
  signalGroup(child, 'SIGKILL');
  await withTimeout(over, killGraceMs, systemClock);
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has already ended.
  }
}
