import type { Connection } from '../sqlite/connection';

/** Whether there may be operations that were cut off, or that ended without anybody being told. Throws `StorageError`. */
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
