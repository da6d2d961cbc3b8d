import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../../../utils/disposable';
import { leaseFileName } from './databaseFile';
import { openSqlite, type DatabaseSync } from './sqlite';
import { StorageError, toStorageError } from './storageError';
import { isSystemError } from '../../../utils/errors';

/** An empty SQLite database that is never written: only the locks on it mean something, and the system drops those of a dead process. */

/**
 * Says that this window has the database of `directory` open, until it is disposed. Any number of windows may say so at once.
 * `onAlone` is called first where no other does. Throws `StorageError`, `locked` while another window has the database to itself.
 */
export function shareStorage(directory: string, onAlone?: () => void): Disposable {
  return lease(directory, (database) => {
    if (onAlone !== undefined && isAlone(database)) onAlone();
    database.exec('BEGIN; SELECT 1 FROM sqlite_schema');
  });
}

/** Takes the storage like `shareStorage`, but for this window alone. Throws `locked` while any other has the database open. */
export function claimStorage(directory: string): Disposable {
  return lease(directory, (database) => database.exec('BEGIN EXCLUSIVE'));
}

function isAlone(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

function lease(directory: string, lock: (database: DatabaseSync) => void): Disposable {
  const file = path.join(directory, leaseFileName);
  try {
    create(file);
    const database = openSqlite(file, { timeout: 5 });
    try {
      lock(database);
    } catch (error) {
      database.close();
      throw error;
    }
    return { dispose: () => database.close() };
  } catch (error) {
    const failure = toStorageError(error);
    // What is wrong with this file says nothing about the history.
    if (failure instanceof StorageError && failure.code === 'corrupt')
      throw new StorageError('io', `${leaseFileName} has content, which it never should`, { cause: error });
    throw failure;
  }
}

/**
 * Makes the file, for the system's own error if that fails: SQLite would say only that it cannot. Never opens a file that is there:
 * closing
 * it would drop SQLite's locks.
 */
function create(file: string): void {
  try {
    closeSync(openSync(file, 'wx'));
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
}
