import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';

/** Returns the extension hosts among a server's descendants, oldest first. Works only on systems with `/proc`. */
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

/** Waits until a server without open windows has no extension host any more. Kills the hosts after `patience` milliseconds. */
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
    // The process has already exited.
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
    // The second field is the name in parentheses, which may contain spaces. The 4th field is the parent, the 22nd the start time.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(name), parent: Number(fields[1]), start: Number(fields[19]), command };
  } catch {
    return undefined;
  }
}
