import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { newestVersion } from './schemaVersion';
import { openSqlite, type DatabaseSync } from './sqlite';
import { StorageError, toStorageError } from './storageError';

export const databaseFileName = 'sessions.sqlite';
/** Beside the database wherever it was ever opened. */
export const leaseFileName = `${databaseFileName}.in-use`;

/** `OCOP`: marks the file as ours. */
export const applicationId = 0x4f434f50;

/**
 * Paths this process has open. A POSIX lock belongs to the process and is lost when *any* descriptor of the file is closed, so a
 * file that SQLite has open here is never opened by other means.
 */
const openHere = new Map<string, number>();

export function markOpen(file: string): void {
  openHere.set(file, (openHere.get(file) ?? 0) + 1);
}

export function markClosed(file: string): void {
  const count = (openHere.get(file) ?? 1) - 1;
  if (count > 0) openHere.set(file, count);
  else openHere.delete(file);
}

/**
 * Whether a folder with these names in it is a storage of ours, which no scan or search enters: it would grow by being stored in itself,
 * and the database that this process has open would lose its locks.
 */
export function isStorage(entries: readonly { name: string }[]): boolean {
  return entries.some(({ name }) => name === leaseFileName);
}

/** As `isStorage`, of a folder that was not listed. */
export function isStorageFolder(folder: string): boolean {
  return existsSync(path.join(folder, leaseFileName));
}

/** Whether it is the database of a storage of ours, or one of the files that belong to it, in whatever case: some file systems do not tell them apart. */
export function isDatabase(file: string): boolean {
  return path.basename(file).toLowerCase().startsWith(databaseFileName) && isStorageFolder(path.dirname(file));
}

/**
 * Looks whether `file` may be opened for writing, without writing to it: absent and empty files may.
 * Throws `StorageError` `corrupt`, `newer` or `foreign`, `locked` where it is worth another try, or what the system says.
 */
export function inspectDatabaseFile(file: string): void {
  if (!openHere.has(file)) {
    const header = readHeader(file);
    if (header.length === 0) return;
    if (header.toString('latin1') !== magic) throw new StorageError('corrupt', `${path.basename(file)} is not a SQLite database`);
  }
  try {
    const database = openSqlite(file, { readOnly: true, timeout: 5 });
    try {
      inspectSchema(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw toStorageError(error);
  }
}

const magic = 'SQLite format 3\0';

/** At once, as SQLite itself reads right after it: by way of other threads these few bytes took longer than opening the database. */
function readHeader(file: string): Buffer {
  try {
    const descriptor = openSync(file, 'r');
    try {
      const header = Buffer.alloc(magic.length);
      return header.subarray(0, readSync(descriptor, header, 0, magic.length, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Buffer.alloc(0);
    throw toStorageError(error);
  }
}

function inspectSchema(database: DatabaseSync): void {
  const tables = database
    // A virtual table can only be read where its module is; its content is in tables of its own.
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .all();
  if (tables.length === 0) return;
  if (integerOf(database, 'application_id') !== applicationId) {
    throw new StorageError('foreign', `${databaseFileName} has tables but not our application id`);
  }
  const version = integerOf(database, 'user_version');
  if (version > newestVersion) {
    throw new StorageError('newer', `${databaseFileName} has version ${version}; this build knows up to ${newestVersion}`);
  }
  // The root pages of every table: damage there shows before the first write.
  const roots = tables.map(({ name }) => `SELECT (SELECT 1 FROM "${String(name)}" NOT INDEXED LIMIT 1)`);
  database.prepare(roots.join(' UNION ALL ')).all();
}

function integerOf(database: DatabaseSync, pragma: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}
