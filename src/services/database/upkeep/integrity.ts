import { withConnection } from '../sqlite/ownConnection';

/** Result of a check of the whole database. */
export interface IntegrityReport {
  /** SQLite's messages, at most a hundred lines; empty if there are none. */
  problems: string[];
  sessions: number;
  entries: number;
}

/** Checks every page, index and reference. Call it in a worker. Throws `StorageError`. */
export function checkIntegrity(file: string, timeoutMs: number): IntegrityReport {
  return withConnection(
    file,
    timeoutMs,
    (database) => {
      const lines = database
        .prepare('PRAGMA integrity_check(100)')
        .all()
        .map(({ integrity_check: line }) => String(line));
      const dangling = database
        .prepare('PRAGMA foreign_key_check')
        .all()
        .slice(0, 100)
        .map(
          ({ table, rowid, parent }) =>
            `${String(table)} ${String(rowid)} refers to a row of ${String(parent)} that is not there`,
        );
      const count = (table: 'sessions' | 'messages') =>
        Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
      const problems = [...lines.filter((line) => line !== 'ok'), ...dangling];
      return { problems, sessions: count('sessions'), entries: count('messages') };
    },
    { readOnly: true },
  );
}
