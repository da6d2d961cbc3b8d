import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../utils/clock';
import { clearingPrefix } from './clearingNotice';
import { databaseFileName, objectsFolderName } from '../sqlite/databaseFile';
import { claimed, formatStamp } from './setAside';
import { toStorageError } from '../sqlite/storageError';
import { isSystemError } from '../../../utils/errors';
import { retryWhileInUse } from '../../../utils/files/retryWhileInUse';

/**
 * Everything in the storage except backups and renamed damaged databases. The database is first, because it refers to the rest.
 */
const contents = [
  databaseFileName,
  `${databaseFileName}-wal`,
  `${databaseFileName}-shm`,
  objectsFolderName,
  'seen',
  'restoring',
  'codebase',
  'ollama-copilot.lance',
];

/**
 * Deletes the content of the storage root. First moves everything to one folder, so that a
 * later start can finish an interrupted deletion. Call this only on the user's request,
 * with the database closed. Throws `StorageError` `inUse` while another window has it open.
 */
export async function clearStorage(directory: string, clock: Clock): Promise<void> {
  const claim = claimed(directory);
  try {
    const bin = path.join(directory, `${clearingPrefix}${formatStamp(clock.now())}-${process.pid}`);
    await mkdir(bin);
    for (const name of contents) {
      await retryWhileInUse(() => rename(path.join(directory, name), path.join(bin, name))).catch(unlessMissing);
    }
    await finishClearing(directory);
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await claim.dispose();
  }
}

/** Finishes interrupted deletions. */
export async function finishClearing(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(clearingPrefix))
      await retryWhileInUse(() => rm(path.join(directory, name), { recursive: true, force: true }));
  }
}

function unlessMissing(error: unknown): void {
  if (!isSystemError(error, 'ENOENT')) throw error;
}
