import { randomBytes } from 'node:crypto';
import { link, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** File systems without hard links answer the attempt with one of these. */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES', 'EINVAL', 'EMLINK']);

/**
 * Writes a new file, whole or not at all, in an existing folder. Rejects with code `EEXIST` when the path is taken, also by
 * someone who was quicker: an existing file is never overwritten.
 */
export async function createAtomically(path: string, content: Buffer, signal?: AbortSignal): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeDurably(temporary, content);
    signal?.throwIfAborted();
    await link(temporary, path).catch((error: unknown) => publishWithoutLink(error, temporary, path));
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
  await syncFolder(dirname(path));
}

/** The name is taken first, so that it is ours to replace. */
async function publishWithoutLink(error: unknown, temporary: string, path: string): Promise<void> {
  if (!noLinks.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  const claim = await open(path, 'wx');
  await claim.close();
  await rename(temporary, path).catch(async (failure: unknown) => {
    await unlink(path).catch(() => undefined);
    throw failure;
  });
}

async function writeDurably(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o666);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  // Not every system lets a folder be opened; the file itself is on the disk.
  const folder = await open(path, 'r').catch(() => null);
  if (!folder) return;
  await folder.sync().catch(() => undefined);
  await folder.close();
}
