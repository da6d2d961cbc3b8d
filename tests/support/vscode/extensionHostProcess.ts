import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** The extension hosts among a server's descendants, oldest first. Works where there is a `/proc`. */
export async function extensionHostPids(serverPid: number): Promise<number[]> {
  const processes = (await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(describe))).filter(
    (found) => found !== undefined,
  );
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  return processes
    .filter(({ pid, command }) => command.includes('--type=extensionHost') && descendsFrom(serverPid, pid, parents))
    .sort((a, b) => a.start - b.start)
    .map(({ pid }) => pid);
}

/** Waits until a server whose windows are closed has no extension host any more; after `patience` milliseconds they are killed. */
export async function endExtensionHosts(serverPid: number, patience = 5000): Promise<void> {
  if (!existsSync('/proc/self/stat')) return;
  const end = Date.now() + patience;
  for (let pids = await extensionHostPids(serverPid); pids.length > 0; pids = await extensionHostPids(serverPid)) {
    if (Date.now() > end) for (const pid of pids) kill(pid);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already gone.
  }
}

function descendsFrom(ancestor: number, pid: number, parents: ReadonlyMap<number, number>): boolean {
  for (let current = parents.get(pid); current !== undefined; current = parents.get(current)) {
    if (current === ancestor) return true;
  }
  return false;
}

async function describe(name: string): Promise<{ pid: number; parent: number; start: number; command: string } | undefined> {
  try {
    const status = await readFile(`/proc/${name}/stat`, 'utf8');
    const command = await readFile(`/proc/${name}/cmdline`, 'utf8');
    // The second field, the name in parentheses, may hold spaces; the fourth is the parent, the twenty-second the start.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(name), parent: Number(fields[1]), start: Number(fields[19]), command };
  } catch {
    return undefined;
  }
}
