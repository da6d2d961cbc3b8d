import { accessSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';

const memory = '/dev/shm';
const neededBytes = 2 ** 31;

/**
 * Runs `work` with the variables that put its temporary files into memory, where there is enough of it (Linux), and without them
 * elsewhere or where the person has chosen a folder: a test of storage waits for hundreds of `fsync`s otherwise.
 */
export async function withFastFolder(work) {
  const folder = process.env.TMPDIR ? undefined : folderInMemory();
  try {
    return await work(folder === undefined ? {} : { TMPDIR: folder });
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
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
