import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { withConnection } from '../sqlite/ownConnection';
import { copyDatabase, type DatabaseSync } from '../sqlite/sqlite';
import { stampOf } from './setAside';
import { StorageError, toStorageError } from '../sqlite/storageError';
import { temporaryName } from '../../../utils/files/temporaryName';
import { retryWhileInUseSync } from '../../../utils/files/retryWhileInUse';

/** Folder in the storage root with a copy of the database before each migration. The copies are never removed. */
const backupFolder = 'backups';

/**
 * Backs up the database before the migration from `version`, page by page in SQLite's own thread. Throws `StorageError`; do not
 * migrate then.
 */
export async function backUpBeforeMigration(
  database: DatabaseSync,
  directory: string,
  version: number,
  now: number,
): Promise<void> {
  try {
    const folder = path.join(directory, backupFolder);
    mkdirSync(folder, { recursive: true });
    const target = path.join(folder, `sessions-v${version}-${stampOf(now)}-${process.pid}.sqlite`);
    await writeAtomically(target, (partial) => copyDatabase(database, partial));
  } catch (error) {
    throw toStorageError(error);
  }
}

/**
 * Writes a consistent, compact copy of the database to `target`, replacing it. Call it in a worker. Throws `StorageError`, `ownFile` if the
 * target is the database or one of its files.
 */
export async function backUpTo(file: string, target: string, timeoutMs: number): Promise<void> {
  try {
    const own = ['', '-wal', '-shm', '.in-use'].map((suffix) => identityOf(file + suffix)).filter((one) => one !== null);
    const identity = identityOf(target);
    if (path.resolve(target) === path.resolve(file) || (identity !== null && own.includes(identity)))
      throw new StorageError('ownFile', `${target} belongs to the open database`);
    await writeAtomically(target, (partial) => {
      withConnection(file, timeoutMs, (database) => database.prepare('VACUUM INTO ?').run(partial), { readOnly: true });
    });
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Returns an id that all names of a file share; null if it does not exist. */
function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}

/** Writes a file under its final name only when complete, so that every backup file is valid. */
async function writeAtomically(target: string, write: (partial: string) => void | Promise<void>): Promise<void> {
  const partial = path.join(path.dirname(target), temporaryName());
  try {
    await write(partial);
    const descriptor = openSync(partial, 'r+');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    retryWhileInUseSync(() => renameSync(partial, target));
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
