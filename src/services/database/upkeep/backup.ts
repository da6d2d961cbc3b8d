import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readFileId } from '../sqlite/openFile';
import { withConnection } from '../sqlite/ownConnection';
import { copyDatabase, type DatabaseSync } from '../sqlite/sqlite';
import { formatStamp } from './setAside';
import { StorageError, toStorageError } from '../sqlite/storageError';
import { temporaryName } from '../../../utils/files/temporaryName';
import { retryWhileInUseSync } from '../../../utils/files/retryWhileInUse';

/** Folder in the storage root with copies of replaced databases, and of databases before migrations. Copies are never deleted. */
const backupFolder = 'backups';

/**
 * Backs up the database before the migration from `version`, page by page
 * in SQLite's own thread. If it throws `StorageError`, do not migrate.
 */
export async function backUpBeforeMigration(
  database: DatabaseSync,
  directory: string,
  version: number,
  now: number,
): Promise<void> {
  await copyToBackups(database, directory, `sessions-v${version}-${formatStamp(now)}-${process.pid}.sqlite`);
}

/** Copies an open database whose file was replaced or removed. Resolves with the path of the copy. Throws `StorageError`. */
export function backUpReplaced(database: DatabaseSync, directory: string, now: number): Promise<string> {
  return copyToBackups(database, directory, `sessions-replaced-${formatStamp(now)}-${process.pid}.sqlite`);
}

async function copyToBackups(database: DatabaseSync, directory: string, name: string): Promise<string> {
  try {
    const folder = path.join(directory, backupFolder);
    mkdirSync(folder, { recursive: true });
    const target = path.join(folder, name);
    await writeAtomically(target, (partial) => copyDatabase(database, partial));
    return target;
  } catch (error) {
    throw toStorageError(error);
  }
}

/**
 * Writes a consistent, compact copy of the database to `target`. Replaces an existing file. Call this in a worker.
 * Throws `StorageError`. The code is `ownFile` if the target is the database or one of its associated files.
 */
export async function backUpTo(file: string, target: string, timeoutMs: number): Promise<void> {
  try {
    const own = ['', '-wal', '-shm', '.in-use'].map((suffix) => readFileId(file + suffix)).filter((one) => one !== null);
    const identity = readFileId(target);
    if (path.resolve(target) === path.resolve(file) || (identity !== null && own.includes(identity)))
      throw new StorageError('ownFile', `${target} belongs to the open database`);
    await writeAtomically(target, (partial) => {
      withConnection(file, timeoutMs, (database) => database.prepare('VACUUM INTO ?').run(partial), { readOnly: true });
    });
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Writes a file under a temporary name and renames it when it is complete, so that every backup file is valid. */
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
