import type { Connection } from '../sqlite/connection';

/** A file that the agent has changed, and nobody has answered for. */
export interface FileThatWaits {
  sessionId: string;
  /** Absolute, free of symbolic links. */
  path: string;
}

/** Lists the files that wait for an answer, of all sessions. Throws `StorageError`. */
export function filesThatWait(connection: Connection): Promise<FileThatWaits[]> {
  return connection.read(() =>
    connection
      .statement("SELECT DISTINCT session_id, path FROM file_snapshots WHERE status = 'pending'")
      .all()
      .map((row) => ({ sessionId: String(row['session_id']), path: String(row['path']) })),
  );
}
