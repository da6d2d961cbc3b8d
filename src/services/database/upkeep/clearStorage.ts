import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../utils/clock';
import { clearingPrefix } from './clearingNotice';
import { databaseFileName } from '../sqlite/databaseFile';
import { claimed, stampOf } from './setAside';
import { toStorageError } from '../sqlite/storageError';
import { isSystemError } from '../../../utils/errors';

/**
 * Everything that is made here, except backups and databases set aside. The database goes first: then nothing refers to
 * the rest.
 */
const contents = [
  databaseFileName,
  `${databaseFileName}-wal`,
  `${databaseFileName}-shm`,
  'objects',
  'seen',
  'restoring',
  'codebase',
  'ollama-copilot.lance',
];

/**
 * Deletes what the storage root holds. All of it is moved into one folder first, which a later start removes where this one was cut
 * off. To be called on a person's choice alone, with the database closed. Throws `StorageError`: `inUse` while another window has it open.
 */
export async function clearStorage(directory: string, clock: Clock): Promise<void> {
  const claim = claimed(directory);
  try {
    const bin = path.join(directory, `${clearingPrefix}${stampOf(clock.now())}-${process.pid}`);
    await mkdir(bin);
    for (const name of contents) await rename(path.join(directory, name), path.join(bin, name)).catch(unlessMissing);
    await finishClearing(directory);
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await claim.dispose();
  }
}

/** Removes what a person has chosen to delete and a killed window had left. */
export async function finishClearing(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(clearingPrefix)) await rm(path.join(directory, name), { recursive: true, force: true });
  }
}

function unlessMissing(error: unknown): void {
  if (!isSystemError(error, 'ENOENT')) throw error;
}
