import { randomUUID } from 'node:crypto';
import type { Entry, EntryInput } from '../../protocol/entries';
import type { MessageRecord } from '../../types/session';
import { noteCheckpoint } from './checkpointRows';
import { isUnreadable, messageColumns, toEntry, toFields } from './entryRows';
import type { Statements } from './sqlite';
import { StorageError } from './storageError';

/** The statements that write the log. All of them run inside a write transaction. */

/** How an open entry stands in the database. */
export interface OpenRow {
  revision: number;
  is_open: 0 | 1;
}

/** Takes the session's next revision. Throws `StorageError` `notFound`. */
function advance(statements: Statements, sessionId: string, now: number): number {
  const row = statements
    .statement('UPDATE sessions SET revision = revision + 1, updated_at = max(updated_at, ?) WHERE id = ? RETURNING revision')
    .get(now, sessionId);
  if (row === undefined) throw new StorageError('notFound', `No session ${sessionId}`);
  return Number(row.revision);
}

/** `seq` and `timestamp` follow the last entry's inside the write transaction, so that two windows never give the same one. */
export function insertEntry(statements: Statements, sessionId: string, input: EntryInput, isOpen: boolean, now: number): Entry {
  const revision = advance(statements, sessionId, now);
  const last = statements.statement(lastSql).get(sessionId);
  const record: MessageRecord = {
    ...toFields(input),
    id: timeOrderedId(now),
    session_id: sessionId,
    seq: Number(last?.seq ?? 0) + 1,
    revision,
    is_open: isOpen ? 1 : 0,
    timestamp: last === undefined ? now : Math.max(now, Number(last.timestamp) + 1),
  };
  const entry = readable(record);
  statements.statement(insertSql).run(...columns.map((column) => record[column]));
  noteCheckpoint(statements, sessionId, { id: record.id, input, now });
  return entry;
}

const lastSql = 'SELECT seq, timestamp FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT 1';
const columns = messageColumns.split(', ') as (keyof MessageRecord)[];
// By position and without RETURNING: names and reading back cost as much again as the insert.
const insertSql = `INSERT INTO messages (${messageColumns}) VALUES (${columns.map(() => '?').join(', ')})`;

export function openRow(statements: Statements, id: string): OpenRow | undefined {
  const row = statements.statement('SELECT revision, is_open FROM messages WHERE id = ?').get(id);
  return row as unknown as OpenRow | undefined;
}

export function contentOf(statements: Statements, id: string): string {
  return String(statements.statement('SELECT content FROM messages WHERE id = ?').get(id)?.content);
}

/** Returns the new revision. */
export function growEntry(statements: Statements, entry: Pick<Entry, 'id' | 'sessionId'>, text: string, now: number): number {
  const revision = advance(statements, entry.sessionId, now);
  statements.statement('UPDATE messages SET content = content || ?, revision = ? WHERE id = ?').run(text, revision, entry.id);
  return revision;
}

/** Adds the rest of the text, replaces `data` and closes the entry. */
export function closeEntry(
  statements: Statements,
  entry: Pick<Entry, 'id' | 'sessionId'>,
  rest: { text: string; data: string },
  now: number,
): Entry {
  const revision = advance(statements, entry.sessionId, now);
  const row = statements
    .statement(
      `UPDATE messages SET content = content || ?, data = ?, is_open = 0, revision = ? WHERE id = ? RETURNING ${messageColumns}`,
    )
    .get(rest.text, rest.data, revision, entry.id);
  return readable(row);
}

/** Closes the session's open entries but those this window is writing; one revision each. */
export function closeAbandonedEntries(
  statements: Statements,
  sessionId: string,
  isOurs: (id: string) => boolean,
  now: number,
): Entry[] {
  const open = statements
    .statement('SELECT id, type, data FROM messages WHERE session_id = ? AND is_open = 1 ORDER BY seq')
    .all(sessionId);
  return open
    .filter(({ id }) => !isOurs(String(id)))
    .map(({ id, type }) => {
      const revision = advance(statements, sessionId, now);
      const data =
        type === 'assistant_output'
          ? `CASE WHEN json_valid(data) THEN json_set(data, '$.end', 'incomplete') ELSE data END`
          : 'data';
      const row = statements
        .statement(`UPDATE messages SET is_open = 0, data = ${data}, revision = ? WHERE id = ? RETURNING ${messageColumns}`)
        .get(revision, String(id));
      return toEntry(row as unknown as MessageRecord);
    });
}

/** What could not be read back is not written: the caller's transaction is rolled back. */
function readable(row: unknown): Entry {
  const entry = toEntry(row as MessageRecord);
  if (isUnreadable(entry))
    throw new StorageError('invalid', `An entry of type ${(row as MessageRecord).type} does not fit its schema`);
  return entry;
}

/** A UUID of version 7: the index on it grows at its end instead of everywhere. */
function timeOrderedId(now: number): string {
  const time = Math.max(0, now).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
