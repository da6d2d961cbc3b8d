import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { canMount } from '../unit/checkpoint/support/smallDisk';

const server = path.join(__dirname, '../../../scripts/caseless/serve.mjs');
const isMac = process.platform === 'darwin';

export interface CaselessDisk {
  folder: string;
  unmount(): void;
}

/** Returns true on macOS and wherever FUSE is permitted. Otherwise reports `what` as not tested. */
export function hasCaselessDisk(what: string): boolean {
  const isThere = isMac || (existsSync('/dev/fuse') && canMount());
  if (!isThere) process.stderr.write(`Not tested, because mount is refused: ${what}\n`);
  return isThere;
}

/**
 * Returns a folder whose file system ignores case and Unicode normalization in names. On macOS it is a normal folder, elsewhere a file
 * system in memory.
 */
export async function mountCaselessDisk(): Promise<CaselessDisk> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-caseless-'));
  if (isMac) return { folder, unmount: () => rmSync(folder, { recursive: true }) };
  const { dev } = statSync(folder);
  const child = spawn(process.execPath, [server, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  while (statSync(folder).dev === dev) {
    if (child.exitCode !== null) throw new Error(`${server} ended with exit code ${child.exitCode}`);
    await wait(5);
  }
  return {
    folder,
    unmount: () => {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
