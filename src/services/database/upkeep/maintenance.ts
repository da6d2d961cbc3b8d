import { hasFts5 } from '../sqlite/capabilities';
import { inTransaction, withConnection } from '../sqlite/ownConnection';
import { removeFromIndex } from '../search/searchIndex';

/** Work whose duration grows with the amount of data. Runs in the worker, on separate connections. Throws `StorageError`. */

/** Deletes a session with its log and index rows. Returns true if it existed. */
export function deleteSessionRows(file: string, sessionId: string, timeoutMs: number): boolean {
  return withConnection(file, timeoutMs, (database) =>
    inTransaction(database, () => {
      // If this runtime has no full-text search, the index is updated by the next runtime that has it.
      if (hasFts5()) removeFromIndex(database, sessionId);
      return Number(database.prepare('DELETE FROM sessions WHERE id = ?').run(sessionId).changes) > 0;
    }),
  );
}

/** Moves data from the `-wal` file to the database without blocking other connections. Returns true if all was moved. */
export function checkpoint(file: string, timeoutMs: number): boolean {
  return withConnection(file, timeoutMs, (database) => {
    const moved = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    // `busy` means that another window is checkpointing, so nothing was moved.
    return moved?.['busy'] === 0 && moved['log'] === moved['checkpointed'];
  });
}
