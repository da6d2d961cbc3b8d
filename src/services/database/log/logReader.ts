import type { Entry } from '../../../protocol/entries';
import { eachRecord, messageColumns } from './entryFields';
import { toEntry } from './entryRows';
import { openSqlite, type DatabaseSync } from '../sqlite/sqlite';
import { StorageError, toStorageError } from '../sqlite/storageError';

/** A session's log as of one moment: entries in order of `seq`, and the session's revision. */
export interface LogSnapshot {
  entries: Entry[];
  revision: number;
}

/** A stretch of the log that begins with a turn: at a user input that is in the conversation, or with the first entry. */
export interface LogPage extends LogSnapshot {
  /** True if there are entries before these. */
  hasEarlier: boolean;
}

/** Range to read: changes after a revision, or the last whole turns, before `seq` unless it is null. */
export type LogRange = { sinceRevision: number } | { before: number | null; limit: number };

/** Part of a page; all parts of a page carry the same revision. */
export type LogSlice = LogPage;

/** A slice stays small enough to be handed over without holding up a thread: so many entries or UTF-16 code units. */
const sliceEntries = 200;
const sliceLength = 200_000;
/** A page ends with the turn that brings it over this many bytes, however few entries that are. */
const pageBytes = 2_000_000;

/**
 * Reads the entries of a range slice by slice in one read transaction on a read-only connection of its own, which is closed when
 * the generator ends. There is at least one slice. Throws `StorageError` (`notFound` without such a session).
 */
export function* readLog(file: string, sessionId: string, range: LogRange, timeoutMs: number): Generator<LogSlice, void> {
  try {
    const database = openSqlite(file, { readOnly: true, timeout: timeoutMs });
    try {
      database.exec('BEGIN');
      const session = database.prepare('SELECT revision FROM sessions WHERE id = ?').get(sessionId);
      if (session === undefined) throw new StorageError('notFound', `No session ${sessionId}`);
      const revision = Number(session.revision);
      const { sql, values, hasEarlier } = selectionOf(database, sessionId, range);
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

function selectionOf(database: DatabaseSync, sessionId: string, range: LogRange): Selection {
  if ('sinceRevision' in range) {
    // From the beginning, the order of `seq` comes from its index; a late part is small enough to be sorted.
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
 * Goes back from `before` until there are `limit` entries, to the earliest user input among them that no rewind among them took out;
 * further only to find one. What later rewinds take out is a turn's end and all that follows it, so a page's beginning stays one.
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
