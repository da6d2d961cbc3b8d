import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { finishMarker } from './layout.mjs';

/** Whether a folder of the cache was finished; what else is in it does not count. */
export function isComplete(folder) {
  return existsSync(path.join(folder, finishMarker));
}

/**
 * Fills a folder of the cache: `fill` works in a folder beside it, which gets its name and its finish marker only at the end.
 * An interrupted attempt is therefore never mistaken for a finished one; its remains go with the next attempt.
 */
export async function makeFolder(folder, fill) {
  dropAbandoned(folder);
  const staging = `${folder}.${process.pid}`;
  mkdirSync(staging, { recursive: true });
  try {
    await fill(staging);
    markComplete(staging);
    rmSync(folder, { recursive: true, force: true });
    renameSync(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

export function markComplete(folder) {
  writeFileSync(path.join(folder, finishMarker), `${new Date().toISOString()}\n`);
}

function dropAbandoned(folder) {
  const parent = path.dirname(folder);
  if (!existsSync(parent)) return;
  for (const name of readdirSync(parent)) {
    const [, pid] = name.startsWith(`${path.basename(folder)}.`) ? (/\.(\d+)$/.exec(name) ?? []) : [];
    if (pid && !isAlive(Number(pid))) rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
