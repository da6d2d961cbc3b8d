import { openSqlite, type DatabaseSync } from './sqlite';
import { toStorageError } from './storageError';

/** Work that grows with the amount of data. It belongs in the worker; each call opens a connection of its own. Throws `StorageError`. */

/** Deletes a session with its log; returns whether there was one. */
export function deleteSession(file: string, sessionId: string, timeoutMs: number): boolean {
  return withConnection(file, timeoutMs, (database) => {
    return Number(database.prepare('DELETE FROM sessions WHERE id = ?').run(sessionId).changes) > 0;
  });
}

/** Moves what it can from the `-wal` into the database without making anyone wait. */
export function checkpoint(file: string, timeoutMs: number): void {
  withConnection(file, timeoutMs, (database) => database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get());
}

function withConnection<T>(file: string, timeoutMs: number, work: (database: DatabaseSync) => T): T {
  try {
    const database = openSqlite(file, { timeout: timeoutMs, enableForeignKeyConstraints: true });
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
