import { lstat, open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../utils/clock';
import { databaseFileName } from '../sqlite/databaseFile';
import { StorageError, toStorageError } from '../sqlite/storageError';
import { claimStorage } from '../sqlite/storageLease';
import { isSystemError } from '../../../utils/errors';
import { retryWhileInUse } from '../../../utils/files/retryWhileInUse';

/** The database is renamed last, so that it keeps its path if renaming is interrupted. */
const suffixes = ['-wal', '-shm', ''];

/** Returns a fingerprint of the state of the database file. Returns null if there is no file. */
export async function createFingerprint(directory: string): Promise<string | null> {
  try {
    const { ino, size, mtimeNs } = await stat(path.join(directory, databaseFileName), { bigint: true });
    return `${ino} ${size} ${mtimeNs}`;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw toStorageError(error);
  }
}

/**
 * Renames the damaged database and, if they exist, its `-wal` and `-shm` files within their folder. Renames either all of
 * them or none. Returns the new path. Deletes and overwrites nothing. Call this only on the user's request. Throws
 * `StorageError`: `inUse` while another window has the database open, `changed` if the file is no longer the damaged one.
 */
export async function setAside(directory: string, damaged: string | null, clock: Clock): Promise<string> {
  const claim = claimed(directory);
  try {
    if ((await createFingerprint(directory)) !== damaged)
      throw new StorageError('changed', 'The database is not the file that was found damaged');
    const from = path.join(directory, databaseFileName);
    const to = await freeName(`${from}.damaged-${formatStamp(clock.now())}`);
    const moved: string[] = [];
    try {
      for (const suffix of suffixes) {
        if (await isMissing(from + suffix)) continue;
        await retryWhileInUse(() => rename(from + suffix, to + suffix));
        moved.push(suffix);
      }
    } catch (error) {
      for (const suffix of moved.reverse()) await rename(to + suffix, from + suffix);
      throw error;
    }
    await syncFolder(directory);
    return to;
  } catch (error) {
    throw toStorageError(error);
  } finally {
    await claim.dispose();
  }
}

/** Claims the storage. Throws `StorageError` `inUse` while another window has the database open. */
export function claimed(directory: string) {
  try {
    return claimStorage(directory);
  } catch (error) {
    if (error instanceof StorageError && error.code === 'locked')
      throw new StorageError('inUse', 'Another window has the database open', { cause: error });
    throw error;
  }
}

async function freeName(wanted: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    const taken = await Promise.all(suffixes.map(async (suffix) => !(await isMissing(name + suffix))));
    if (!taken.includes(true)) return name;
  }
}

async function isMissing(file: string): Promise<boolean> {
  try {
    // Use `lstat`, because a link without a target must also be renamed.
    await lstat(file);
    return false;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return true;
    throw error;
  }
}

/** Formats a time as `20260131-235959`, in UTC. */
export function formatStamp(time: number): string {
  return new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}

async function syncFolder(directory: string): Promise<void> {
  // Some systems cannot open folders.
  const folder = await open(directory, 'r').catch(() => null);
  if (folder === null) return;
  await folder.sync().catch(() => undefined);
  await folder.close();
}
