import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { withConnection } from '../sqlite/ownConnection';
import { copyDatabase, type DatabaseSync } from '../sqlite/sqlite';
import { stampOf } from './setAside';
import { toStorageError } from '../sqlite/storageError';

/** Folder in the storage root with a copy of the database from before each migration. Nothing in it is ever removed. */
const backupFolder = 'backups';

/**
 * Keeps the database as it is before it is migrated from `version`, page by page on a thread of SQLite's own. Throws `StorageError`; then
 * nothing may be migrated.
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
    await wholeOrNothing(target, (partial) => copyDatabase(database, partial));
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Writes the database as of one moment, without free pages, to `target`, which it replaces. It belongs in a worker. Throws `StorageError`. */
export async function backUpTo(file: string, target: string, timeoutMs: number): Promise<void> {
  try {
    await wholeOrNothing(target, (partial) => {
      withConnection(file, timeoutMs, (database) => database.prepare('VACUUM INTO ?').run(partial), { readOnly: true });
    });
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Writes a file under its final name only when it is complete, so that whatever bears the name of a backup is one. */
async function wholeOrNothing(target: string, write: (partial: string) => void | Promise<void>): Promise<void> {
  const partial = `${target}.partial`;
  rmSync(partial, { force: true });
  try {
    await write(partial);
    const descriptor = openSync(partial, 'r+');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, target);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
