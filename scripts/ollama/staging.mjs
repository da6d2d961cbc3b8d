import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { finishMarker } from './layout.mjs';

/** Returns true if a cache folder is complete. Only its marker is checked. */
export function isComplete(folder) {
  return existsSync(path.join(folder, finishMarker));
}

/**
 * Fills a cache folder. `fill` works in a folder next to it, which is marked complete and renamed only at the end.
 * An interrupted attempt is therefore never mistaken for a complete folder. The next attempt removes its remains.
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
