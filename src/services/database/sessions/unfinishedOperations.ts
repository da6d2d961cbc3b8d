import type { Connection } from '../sqlite/connection';

/** Resolves with true if operations may have been interrupted, or have finished but were not reported. Throws `StorageError`. */
export function hasUnfinished(connection: Connection): Promise<boolean> {
  return connection.read(
    () =>
      connection
        .statement(
          `SELECT 1 FROM operations
           WHERE state = 'running' OR (state = 'done' AND finished_at IS NULL AND session_id IN (SELECT id FROM sessions))`,
        )
        .get() !== undefined,
  );
}
