import { hasFts5 } from '../sqlite/capabilities';
import { inTransaction, withConnection } from '../sqlite/ownConnection';
import { forgetSession } from '../search/searchIndex';

/** Work that grows with the amount of data. It belongs in the worker; each call opens a connection of its own. Throws `StorageError`. */

/** Deletes a session with its log and what the index has of it; returns whether there was one. */
export function deleteSession(file: string, sessionId: string, timeoutMs: number): boolean {
  return withConnection(file, timeoutMs, (database) =>
    inTransaction(database, () => {
      // Without full-text search the index is left to the next runtime that has it.
      if (hasFts5()) forgetSession(database, sessionId);
      return Number(database.prepare('DELETE FROM sessions WHERE id = ?').run(sessionId).changes) > 0;
    }),
  );
}

/** Moves what it can from the `-wal` into the database without making anyone wait; returns whether that was all there was at the time. */
export function checkpoint(file: string, timeoutMs: number): boolean {
  return withConnection(file, timeoutMs, (database) => {
    const moved = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    // Where another window is about the same, it is busy and moves nothing.
    return moved?.['busy'] === 0 && moved['log'] === moved['checkpointed'];
  });
}
