import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../../utils/clock';
import { assertComplete, databaseFileName } from './databaseFile';
import { StorageError, toStorageError } from './storageError';
import { isSystemError } from '../../../utils/errors';
import { retryWhileInUse } from '../../../utils/files/retryWhileInUse';

/** Files to copy. The database is the last one, so that the copy is complete if the database exists. */
const files = [`${databaseFileName}-wal`, `${databaseFileName}-shm`, databaseFileName];
const lockName = `${databaseFileName}.copying`;
/** Milliseconds without progress after which a lock is treated as abandoned. */
const staleAfterMs = 30_000;

/**
 * Copies the database from its former location if there is none at the new location. Only reads the source. Several
 * windows may call this at the same time. Returns true if this call made the copy. `prepare` may change the copy before
 * it is moved to its final path. Throws `StorageError`. The code is `incomplete` if one of the locations has only parts
 * of a database. In this case, do not open the database, because a new database would prevent the copy forever.
 */
export async function copyFromFormerLocation(
  oldDirectory: string | null,
  directory: string,
  clock: Clock,
  prepare: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  if (oldDirectory === null || path.resolve(oldDirectory) === path.resolve(directory)) return false;
  try {
    if (!(await isMissing(path.join(directory, databaseFileName)))) return false;
    const lock = path.join(directory, lockName);
    // An interrupted copy leaves its lock, and possibly a `-wal` file without a database.
    if (await isMissing(lock)) assertComplete(directory);
    assertComplete(oldDirectory);
    if (await isMissing(path.join(oldDirectory, databaseFileName))) return false;
    await mkdir(directory, { recursive: true });
    await acquire(lock, clock);
    try {
      // Another window may have made the copy in the meantime.
      if (!(await isMissing(path.join(directory, databaseFileName)))) return false;
      await copyUnchanged(oldDirectory, lock);
      await prepare(lock);
      for (const name of files) {
        if (!(await isMissing(path.join(lock, name))))
          await retryWhileInUse(() => rename(path.join(lock, name), path.join(directory, name)));
        else await rm(path.join(directory, name), { force: true });
      }
      return true;
    } finally {
      await rm(lock, { recursive: true, force: true });
    }
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Acquires a lock by creating a folder. This is atomic on all systems. */
async function acquire(lock: string, clock: Clock): Promise<void> {
  let progress = '';
  for (let idleMs = 0; ; idleMs += 100) {
    try {
      await mkdir(lock);
      return;
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error;
    }
    const now = JSON.stringify(await Promise.all(files.map((name) => readStamp(path.join(lock, name)))));
    if (now !== progress) idleMs = 0;
    progress = now;
    if (idleMs >= staleAfterMs) {
      // Rename the folder first, so that only one of the waiting windows removes it.
      const aside = `${lock}-${randomUUID()}`;
      await rename(lock, aside).then(
        () => rm(aside, { recursive: true, force: true }),
        () => undefined,
      );
      idleMs = 0;
    }
    await clock.sleep(100);
  }
}

/** Copies the files consistently. Retries if they change during the copy. */
async function copyUnchanged(from: string, to: string): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const before = await Promise.all(files.map((name) => readStamp(path.join(from, name))));
    for (const [index, name] of files.entries()) {
      await rm(path.join(to, name), { force: true });
      if (before[index] !== null) await copyDurably(path.join(from, name), path.join(to, name));
    }
    const after = await Promise.all(files.map((name) => readStamp(path.join(from, name))));
    if (JSON.stringify(before) === JSON.stringify(after)) return;
  }
  throw new StorageError('locked', 'The old database kept changing while it was copied');
}

async function copyDurably(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return;
    throw error;
  }
  const handle = await open(to, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readStamp(file: string): Promise<string | null> {
  try {
    const { size, mtimeNs } = await stat(file, { bigint: true });
    return `${size} ${mtimeNs}`;
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

async function isMissing(file: string): Promise<boolean> {
  return (await readStamp(file)) === null;
}
