import { eachRecord, messageColumns } from '../log/entryFields';
import { isDamaged } from '../log/entryRows';
import { withConnection } from '../sqlite/ownConnection';
import type { DatabaseSync } from '../sqlite/sqlite';

/** Result of a check of the whole database. */
export interface IntegrityReport {
  /** SQLite's messages, at most a hundred lines. Empty if there are no problems. */
  problems: string[];
  /** Titles of chats with entries that do not match their checksums. */
  damagedChats: string[];
  sessions: number;
  entries: number;
}

/** Checks every page, index, reference and checksum. Call this in a worker. Throws `StorageError`. */
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
      const damagedChats = problems.length > 0 ? [] : chatsWithDamage(database);
      return { problems, damagedChats, sessions: count('sessions'), entries: count('messages') };
    },
    { readOnly: true },
  );
}

function chatsWithDamage(database: DatabaseSync): string[] {
  const rows = database.prepare(`SELECT ${messageColumns} FROM messages WHERE checksum IS NOT NULL`);
  const damaged = new Set<string>();
  for (const record of eachRecord(rows)) if (isDamaged(record)) damaged.add(record.session_id);
  const title = database.prepare('SELECT title FROM sessions WHERE id = ?');
  return [...damaged].map((id) => String(title.get(id)?.['title']));
}
