import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import type { Disposable } from '../../../utils/disposable';
import { leaseFileName } from './databaseFile';
import { openSqlite, type DatabaseSync } from './sqlite';
import { StorageError, toStorageError } from './storageError';
import { isSystemError } from '../../../utils/errors';

/** Takes locks on an empty SQLite database that is never written. When a process ends, the operating system releases its locks. */

/**
 * Marks the database in `directory` as open in this window until the result is disposed. Several
 * windows can do this at the same time. If no other window has the database open, calls `onAlone`
 * first. Throws `StorageError`. The code is `locked` while another window has exclusive access.
 */
export function shareStorage(directory: string, onAlone?: () => void): Disposable {
  return lease(directory, (database) => {
    if (onAlone !== undefined && isOnlyWindow(database)) onAlone();
    database.exec('BEGIN; SELECT 1 FROM sqlite_schema');
  });
}

/** Locks the storage exclusively. Throws `locked` while another window has the database open. */
export function claimStorage(directory: string): Disposable {
  return lease(directory, (database) => database.exec('BEGIN EXCLUSIVE'));
}

function isOnlyWindow(database: DatabaseSync): boolean {
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
    // A damaged lease file does not mean that the chat history is damaged.
    if (failure instanceof StorageError && failure.code === 'corrupt')
      throw new StorageError('io', `${leaseFileName} has content, which it never should`, { cause: error });
    throw failure;
  }
}

/**
 * Creates the file, because the system's error message is clearer than SQLite's.
 * Never opens an existing file, because closing it would release SQLite's locks.
 */
function create(file: string): void {
  try {
    closeSync(openSync(file, 'wx'));
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
  }
}
