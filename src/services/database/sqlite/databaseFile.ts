import { closeSync, existsSync, lstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { newestVersion } from './schemaVersion';
import { openSqlite, type DatabaseSync } from './sqlite';
import { StorageError, toStorageError } from './storageError';
import { isSystemError } from '../../../utils/errors';

export const databaseFileName = 'sessions.sqlite';
/** Folder with the stored contents, next to the database. */
export const objectsFolderName = 'objects';
/** File that exists next to every database that was opened. */
export const leaseFileName = `${databaseFileName}.in-use`;

/** Identifies our databases. The bytes are `OCOP` in ASCII. */
export const applicationId = 0x4f434f50;

/**
 * Files that SQLite has open in this process. Do not open them in any other way: POSIX
 * locks belong to the process, and closing *any* descriptor of a file releases them.
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
 * Returns true if a folder with these entries is a storage folder of this product. The names alone are not
 * sufficient, because any project may contain them. Scans and searches skip storage folders. Otherwise, checkpoints
 * would store copies of earlier checkpoints and keep growing, and reading the open database would release its locks.
 */
export function isStorage(folder: string, entries: readonly { name: string }[]): boolean {
  const hasNames = [leaseFileName, databaseFileName].every((one) => entries.some(({ name }) => name === one));
  return hasNames && isSqliteFile(path.join(folder, databaseFileName));
}

/** Like `isStorage`, for a folder whose entries are not listed yet. */
export function isStorageFolder(folder: string): boolean {
  return existsSync(path.join(folder, leaseFileName)) && isSqliteFile(path.join(folder, databaseFileName));
}

/**
 * Returns true if a file is a SQLite database. Reads the file through SQLite, because it may be open in another thread.
 * See `openHere`. With the flag `immutable`, SQLite reads no `-wal` file and takes no lock (https://sqlite.org/uri.html).
 */
function isSqliteFile(file: string): boolean {
  if (readSize(file) === 0) return false;
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  try {
    const database = openSqlite(address, { readOnly: true });
    try {
      database.prepare('PRAGMA schema_version').get();
      return true;
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

/** Returns true if a file belongs to the database in a storage folder of this product. Ignores case, like some file systems. */
export function isDatabase(file: string): boolean {
  const isNamedSo = path.basename(file).toLowerCase().startsWith(databaseFileName);
  return isNamedSo && existsSync(path.join(path.dirname(file), leaseFileName));
}

/**
 * Throws `StorageError` `incomplete` if the database in a folder is missing or empty but
 * its `-wal` file or stored contents exist. Also throws if the database is a link without
 * a target. In these cases, a new database would replace data that can still be restored.
 */
export function assertComplete(directory: string): void {
  const file = path.join(directory, databaseFileName);
  if (readSize(file) > 0) return;
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true && !existsSync(file);
  const objects = path.join(directory, objectsFolderName);
  if (isLink || readSize(`${file}-wal`) > 0 || (existsSync(objects) && readdirSync(objects).length > 0))
    throw new StorageError('incomplete', `${databaseFileName} is missing or empty beside other files of the storage`);
}

function readSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * Checks if `file` can be opened for writing, without changing it. A missing or empty file can be opened if the storage is new or
 * `isFresh`. Throws `StorageError` `corrupt`, `newer`, `foreign`, `incomplete` or `locked` (retry), and system errors.
 */
export function inspectDatabaseFile(file: string, isFresh = false): void {
  if (!openHere.has(file)) {
    const header = readHeader(file);
    if (header.length === 0) {
      if (!isFresh) assertComplete(path.dirname(file));
      return;
    }
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

/** Reads synchronously, because an asynchronous read takes longer than opening the database. */
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
    if (isSystemError(error, 'ENOENT')) return Buffer.alloc(0);
    throw toStorageError(error);
  }
}

function inspectSchema(database: DatabaseSync): void {
  const tables = database
    // A virtual table can only be read if its module is loaded. Its content is in ordinary tables.
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    )
    .all();
  if (tables.length === 0) return;
  if (readPragma(database, 'application_id') !== applicationId) {
    throw new StorageError('foreign', `${databaseFileName} has tables but not our application id`);
  }
  const version = readPragma(database, 'user_version');
  if (version > newestVersion) {
    throw new StorageError('newer', `${databaseFileName} has version ${version}; this build knows up to ${newestVersion}`);
  }
  // Read the root page of every table to detect damage before the first write.
  const roots = tables.map(({ name }) => `SELECT (SELECT 1 FROM "${String(name)}" NOT INDEXED LIMIT 1)`);
  database.prepare(roots.join(' UNION ALL ')).all();
}

function readPragma(database: DatabaseSync, pragma: 'application_id' | 'user_version'): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}
