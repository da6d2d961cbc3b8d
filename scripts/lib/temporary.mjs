import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Problem } from './console.mjs';
import { node } from './nodes.mjs';
import { inRoot } from './paths.mjs';

const memory = '/dev/shm';
const neededBytes = 2 ** 31;

/**
 * Runs `work` with environment variables that put its temporary files into memory if there is enough (Linux). Otherwise, or if the user has
 * chosen a folder, runs it without them. On a disk, a storage test waits for hundreds of `fsync` calls.
 */
export async function withFastFolder(work) {
  const folder = process.env.TMPDIR ? undefined : folderInMemory();
  try {
    return await work(folder === undefined ? {} : { TMPDIR: folder });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Same as `withFastFolder`, on an in-memory file system that compares names as a Mac does. */
export async function withCaselessFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'ollama-copilot-caseless-'));
  const { dev } = statSync(folder);
  const server = spawn(node, [inRoot('scripts', 'caseless', 'serve.mjs'), folder], { stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    while (server.exitCode === null && statSync(folder).dev === dev) await setTimeout(5);
    if (server.exitCode !== null)
      throw new Problem('No file system could be mounted. --case-insensitive needs root and /dev/fuse.');
    return await work({ TMPDIR: folder });
  } finally {
    if (server.exitCode === null) spawnSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

function folderInMemory() {
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize < neededBytes ? undefined : mkdtempSync(`${memory}/ollama-copilot-`);
  } catch {
    return undefined;
  }
}
