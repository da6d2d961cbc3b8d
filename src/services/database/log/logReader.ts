import type { Entry } from '../../../protocol/entries';
import { eachRecord, messageColumns } from './entryFields';
import { toEntry } from './entryRows';
import { openSqlite, type DatabaseSync } from '../sqlite/sqlite';
import { StorageError, toStorageError } from '../sqlite/storageError';

/** Consistent snapshot of a session's log: entries in `seq` order, and the session's revision. */
export interface LogSnapshot {
  entries: Entry[];
  revision: number;
}

/** Part of the log that starts at a turn: a user input in the conversation, or the first entry. */
export interface LogPage extends LogSnapshot {
  /** True if there are earlier entries. */
  hasEarlier: boolean;
}

/** Range to read: the changes after a revision, or the last complete turns. If `before` is not null, reads only turns before it. */
export type LogRange = { sinceRevision: number } | { before: number | null; limit: number };

/** Part of a page. All parts of a page have the same revision. */
export type LogSlice = LogPage;

/** Maximum entries and UTF-16 code units per slice, so that transferring a slice does not block a thread. */
const sliceEntries = 200;
const sliceLength = 200_000;
/** Size in bytes above which a page ends with the current turn, regardless of the number of entries. */
const pageBytes = 2_000_000;

/**
 * Reads a range in slices, in one read transaction on a separate read-only connection. The connection closes
 * when the generator ends. Yields at least one slice. Throws `StorageError` (`notFound` for an unknown session).
 */
export function* readLog(file: string, sessionId: string, range: LogRange, timeoutMs: number): Generator<LogSlice, void> {
  try {
    const database = openSqlite(file, { readOnly: true, timeout: timeoutMs });
    try {
      database.exec('BEGIN');
      const session = database.prepare('SELECT revision FROM sessions WHERE id = ?').get(sessionId);
      if (session === undefined) throw new StorageError('notFound', `No session ${sessionId}`);
      const revision = Number(session.revision);
      const { sql, values, hasEarlier } = createSelection(database, sessionId, range);
      const statement = database.prepare(`SELECT ${messageColumns} FROM messages WHERE session_id = ? ${sql} ORDER BY seq`);
      let entries: Entry[] = [];
      let length = 0;
      for (const record of eachRecord(statement, sessionId, ...values)) {
        entries.push(toEntry(record));
        length +=
          record.content.length + record.data.length + (record.tool_input?.length ?? 0) + (record.tool_output?.length ?? 0);
        if (entries.length < sliceEntries && length < sliceLength) continue;
        yield { entries, revision, hasEarlier };
        entries = [];
        length = 0;
      }
      yield { entries, revision, hasEarlier };
    } finally {
      database.close();
    }
  } catch (error) {
    throw toStorageError(error);
  }
}

interface Selection {
  sql: string;
  values: number[];
  hasEarlier: boolean;
}

function createSelection(database: DatabaseSync, sessionId: string, range: LogRange): Selection {
  if ('sinceRevision' in range) {
    // When reading from the beginning, use the index that is ordered by `seq`. A later part is small enough to sort.
    const { sinceRevision } = range;
    return sinceRevision > 0
      ? { sql: 'AND revision > ?', values: [sinceRevision], hasEarlier: false }
      : { sql: '', values: [], hasEarlier: false };
  }
  const before = range.before ?? Number.MAX_SAFE_INTEGER;
  const first = firstOfPage(database, sessionId, before, range.limit);
  return { sql: 'AND seq >= ? AND seq < CAST(? AS INTEGER)', values: [first, before], hasEarlier: first > 1 };
}

/**
 * Returns the first `seq` of a page. Goes back until `limit` entries or `pageBytes` are reached, then on to a user input that
 * no rewind in this range removed. Later rewinds only remove whole turns at the end, so the page still starts at a turn.
 */
function firstOfPage(database: DatabaseSync, sessionId: string, before: number, limit: number): number {
  const rows = database
    .prepare(
      `SELECT seq, type, octet_length(content) + octet_length(data) + ifnull(octet_length(tool_output), 0) AS bytes,
         CASE WHEN type = 'rewind' AND json_valid(data) THEN json_extract(data, '$.fromSeq') END AS fromSeq
       FROM messages WHERE session_id = ? AND seq < CAST(? AS INTEGER) ORDER BY seq DESC`,
    )
    .iterate(sessionId, before);
  let first: number | null = null;
  let rewoundFrom = Infinity;
  let count = 0;
  let length = 0;
  for (const row of rows) {
    const seq = Number(row['seq']);
    count += 1;
    length += Number(row['bytes']);
    if (first !== null && (count > limit || length > pageBytes)) return first;
    if (typeof row['fromSeq'] === 'number') rewoundFrom = Math.min(rewoundFrom, row['fromSeq']);
    if (row['type'] === 'user_input' && seq < rewoundFrom) first = seq;
  }
  return 1;
}
