import type { Entry, EntryInput } from '../../../protocol/entries';
import type { MessageRecord } from '../../../types/session';
import { computeChecksum } from './entryChecksum';
import { messageColumns } from './entryFields';
import { entryOfNew, isUnreadable } from './entryRows';
import { noteAnswer } from '../statistics/recordEvents';
import { nextRevision, insertRecord } from './logInsert';
import type { Statements } from '../sqlite/sqlite';
import { StorageError } from '../sqlite/storageError';

/** Statements that write the log. Call them inside a write transaction. */

/** Stored state of an open entry. */
export type OpenRow = {
  revision: number;
  is_open: 0 | 1;
};

/** Inserts an entry and reads it back: see `insertRecord`. Throws `StorageError` `invalid`. */
export function insertEntry(statements: Statements, sessionId: string, input: EntryInput, isOpen: boolean, now: number): Entry {
  return readable(insertRecord(statements, sessionId, input, isOpen, now));
}

export function openRow(statements: Statements, id: string): OpenRow | undefined {
  const row = statements.statement('SELECT revision, is_open FROM messages WHERE id = ?').get(id);
  return row as OpenRow | undefined;
}

export function readContent(statements: Statements, id: string): string {
  return String(statements.statement('SELECT content FROM messages WHERE id = ?').get(id)?.content);
}

/** Returns the new revision. */
export function appendText(statements: Statements, entry: Pick<Entry, 'id' | 'sessionId'>, text: string, now: number): number {
  const revision = nextRevision(statements, entry.sessionId, now);
  statements.statement('UPDATE messages SET content = content || ?, revision = ? WHERE id = ?').run(text, revision, entry.id);
  return revision;
}

/** Appends the remaining text, replaces `data` and closes the entry. */
export function closeEntry(
  statements: Statements,
  entry: Pick<Entry, 'id' | 'sessionId'>,
  rest: { text: string; data: string },
  now: number,
): Entry {
  const revision = nextRevision(statements, entry.sessionId, now);
  const row = statements
    .statement(
      `UPDATE messages SET content = content || ?, data = ?, is_open = 0, revision = ? WHERE id = ? RETURNING ${messageColumns}`,
    )
    .get(rest.text, rest.data, revision, entry.id);
  const closed = readable(sealed(statements, row));
  if (closed.type === 'assistant_output') noteAnswer(statements, closed.data, closed.model, closed.timestamp);
  return closed;
}

/** Closes the session's open entries that this window is not writing. Each entry gets a new revision. */
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
      const revision = nextRevision(statements, sessionId, now);
      const data =
        type === 'assistant_output'
          ? `CASE WHEN json_valid(data) THEN json_set(data, '$.end', 'incomplete') ELSE data END`
          : 'data';
      const row = statements
        .statement(`UPDATE messages SET is_open = 0, data = ${data}, revision = ? WHERE id = ? RETURNING ${messageColumns}`)
        .get(revision, String(id));
      return entryOfNew(sealed(statements, row));
    });
}

/** Stores the checksum of a closed row. Returns the row. */
function sealed(statements: Statements, row: unknown): MessageRecord {
  const record = row as MessageRecord;
  statements.statement('UPDATE messages SET checksum = ? WHERE id = ?').run(computeChecksum(record), record.id);
  return record;
}

/** Throws if an entry is unreadable, so that the caller's transaction is rolled back. */
function readable(record: MessageRecord): Entry {
  const entry = entryOfNew(record);
  if (isUnreadable(entry)) throw new StorageError('invalid', `An entry of type ${record.type} does not fit its schema`);
  return entry;
}
