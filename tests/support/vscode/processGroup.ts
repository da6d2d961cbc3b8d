import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

const isWindows = process.platform === 'win32';
const running = new Set<ChildProcess>();

// Process groups do not receive Ctrl+C from the terminal, so they are killed when this process exits.
process.once('exit', () => {
  for (const child of running) signal(groupOf(child), 'SIGKILL');
});

/** Without a handler, a signal would end this process without the `exit` event. */
function exitOnSignals(): void {
  for (const [name, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    if (process.listenerCount(name) === 0) process.on(name, () => process.exit(code));
  }
}

/** Starts a child process that leads a new process group, so that all its descendants can be ended with it. */
export function spawnGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  exitOnSignals();
  const child = spawn(command, args, { ...options, detached: !isWindows });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Terminates the group, and kills it after `patience` milliseconds. */
export async function endGroup(child: ChildProcess, patience = 3000): Promise<void> {
  const group = groupOf(child);
  if (group !== undefined && child.exitCode === null && child.signalCode === null) {
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    signal(group, 'SIGTERM');
    const timer = setTimeout(() => signal(group, 'SIGKILL'), patience);
    await exited;
    clearTimeout(timer);
  }
  signal(group, 'SIGKILL');
}

export async function endAllGroups(): Promise<void> {
  await Promise.all([...running].map((child) => endGroup(child)));
}

function groupOf(child: ChildProcess): number | undefined {
  if (child.pid === undefined) return undefined;
  return isWindows ? child.pid : -child.pid;
}

function signal(group: number | undefined, name: NodeJS.Signals): void {
  if (group === undefined) return;
  try {
    process.kill(group, name);
  } catch {
    // The process has already exited.
  }
}
