import { randomUUID } from 'node:crypto';
import type { EntryInput } from '../../../protocol/entries';
import type { MessageRecord } from '../../../types/session';
import { noteCheckpoint, withPlacedCheckpoint } from '../sessions/checkpointRows';
import { noteToolEvent } from '../statistics/recordEvents';
import { computeChecksum } from './entryChecksum';
import { messageColumns, toFields } from './entryFields';
import { linkImages } from './images';
import type { Statements } from '../sqlite/sqlite';
import { StorageError } from '../sqlite/storageError';

/** Statements that add to the log. Call them inside a write transaction. */

/** Increments the session's revision and returns it. Throws `StorageError` `notFound`. */
export function nextRevision(statements: Statements, sessionId: string, now: number): number {
  const row = statements
    .statement('UPDATE sessions SET revision = revision + 1, updated_at = max(updated_at, ?) WHERE id = ? RETURNING revision')
    .get(now, sessionId);
  if (row === undefined) throw new StorageError('notFound', `No session ${sessionId}`);
  return Number(row.revision);
}

/**
 * Inserts a row. Computes `seq` and `timestamp` from the last entry inside
 * the transaction, so that two windows never assign the same values.
 */
export function insertRecord(
  statements: Statements,
  sessionId: string,
  given: EntryInput,
  isOpen: boolean,
  now: number,
): MessageRecord {
  const input = withPlacedCheckpoint(statements, sessionId, given);
  const revision = nextRevision(statements, sessionId, now);
  const last = statements.statement(lastSql).get(sessionId);
  const fields = toFields(input);
  const record: MessageRecord = {
    ...fields,
    id: timeOrderedId(now),
    session_id: sessionId,
    seq: Number(last?.seq ?? 0) + 1,
    revision,
    is_open: isOpen ? 1 : 0,
    timestamp: last === undefined ? now : Math.max(now, Number(last.timestamp) + 1),
    checksum: isOpen ? null : computeChecksum(fields),
  };
  statements.statement(insertSql).run(...columns.map((column) => record[column]));
  noteCheckpoint(statements, sessionId, { id: record.id, input, now });
  linkImages(statements, sessionId, input);
  noteToolEvent(statements, sessionId, input, record.timestamp);
  return record;
}

const lastSql = 'SELECT seq, timestamp FROM messages WHERE session_id = ? ORDER BY seq DESC LIMIT 1';
const columns = messageColumns.split(', ') as (keyof MessageRecord)[];
// Pass values by position and without RETURNING. Otherwise the insert takes twice as long.
const insertSql = `INSERT INTO messages (${messageColumns}) VALUES (${columns.map(() => '?').join(', ')})`;

/** Creates a UUID version 7. These ids ascend with time, so the index grows only at the end. */
function timeOrderedId(now: number): string {
  const time = Math.max(0, now).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
