import type { Entry } from '../../protocol/entries';
import type { MessageRecord } from '../../types/session';
import { messageColumns, toEntry } from './entryRows';
import { openSqlite } from './sqlite';
import { StorageError, toStorageError } from './storageError';

/** A session's log as of one moment: entries in order of `seq`, and the session's revision. */
export interface LogSnapshot {
  entries: Entry[];
  revision: number;
}

/** One part of a snapshot; every part carries the same revision. */
export type LogSlice = LogSnapshot;

/** A slice stays small enough to be handed over without holding up a thread: so many entries or UTF-16 code units. */
const sliceEntries = 200;
const sliceLength = 200_000;

/**
 * Reads the entries with `revision > sinceRevision` slice by slice in one read transaction on a read-only connection of its own,
 * which is closed when the generator ends. There is at least one slice. Throws `StorageError` (`notFound` without such a session).
 */
export function* readLog(file: string, sessionId: string, sinceRevision: number, timeoutMs: number): Generator<LogSlice, void> {
  try {
    const database = openSqlite(file, { readOnly: true, timeout: timeoutMs });
    try {
      database.exec('BEGIN');
      const session = database.prepare('SELECT revision FROM sessions WHERE id = ?').get(sessionId);
      if (session === undefined) throw new StorageError('notFound', `No session ${sessionId}`);
      const revision = Number(session.revision);
      // From the beginning, the order of `seq` comes from its index; a late part is small enough to be sorted.
      const since = sinceRevision > 0 ? 'AND revision > ?' : '';
      const rows = database
        .prepare(`SELECT ${messageColumns} FROM messages WHERE session_id = ? ${since} ORDER BY seq`)
        .iterate(sessionId, ...(sinceRevision > 0 ? [sinceRevision] : []));
      let entries: Entry[] = [];
      let length = 0;
      for (const row of rows) {
        const record = row as unknown as MessageRecord;
        entries.push(toEntry(record));
        length +=
          record.content.length + record.data.length + (record.tool_input?.length ?? 0) + (record.tool_output?.length ?? 0);
        if (entries.length < sliceEntries && length < sliceLength) continue;
        yield { entries, revision };
        entries = [];
        length = 0;
      }
      yield { entries, revision };
    } finally {
      database.close();
    }
  } catch (error) {
    throw toStorageError(error);
  }
}
