import type { Connection } from '../sqlite/connection';

/** File with pending changes by the agent. */
export interface PendingFilePath {
  sessionId: string;
  /** Absolute path without symbolic links. */
  path: string;
}

/** Lists the files with pending changes in all sessions, most recently changed first. Throws `StorageError`. */
export function pendingFiles(connection: Connection): Promise<PendingFilePath[]> {
  return connection.read(() =>
    connection
      .statement(
        "SELECT session_id, path FROM file_snapshots WHERE status = 'pending' GROUP BY session_id, path ORDER BY max(id) DESC",
      )
      .all()
      .map((row) => ({ sessionId: String(row['session_id']), path: String(row['path']) })),
  );
}
