import { openSqlite, type DatabaseSync } from './sqlite';
import { toStorageError } from './storageError';

/** Runs `work` on a separate connection, as the worker does for long work. Throws `StorageError`. */
export function withConnection<T>(
  file: string,
  timeoutMs: number,
  work: (database: DatabaseSync) => T,
  { readOnly = false }: { readOnly?: boolean } = {},
): T {
  try {
    const database = openSqlite(file, { timeout: timeoutMs, enableForeignKeyConstraints: true, readOnly });
    try {
      database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
      return work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw toStorageError(error);
  }
}

/** Runs `work` in a write transaction. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // SQLite has already rolled back if the disk is full or fails.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
