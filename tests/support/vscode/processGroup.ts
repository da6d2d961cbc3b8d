import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

const isWindows = process.platform === 'win32';
const running = new Set<ChildProcess>();

// Groups do not get the terminal's Ctrl-C, so whatever ends this process must end them.
process.once('exit', () => {
  for (const child of running) signal(groupOf(child), 'SIGKILL');
});

/** A signal that nobody handles would end this process without its `exit` event. */
function exitOnSignals(): void {
  for (const [name, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    if (process.listenerCount(name) === 0) process.on(name, () => process.exit(code));
  }
}

/** A child process that is the leader of a group of its own, so that all of its descendants can be ended with it. */
export function spawnGroup(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  exitOnSignals();
  const child = spawn(command, args, { ...options, detached: !isWindows });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Asks the group to stop, and insists after `patience` milliseconds. */
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
    // Already gone.
  }
}
