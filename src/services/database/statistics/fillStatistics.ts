import { inTransaction, withConnection } from '../sqlite/ownConnection';
import type { DatabaseSync } from '../sqlite/sqlite';
import type { EntryOf } from '../../../protocol/entries';
import { addAnswerSql, answerValues, dayMs, toOutcome, splitTimes } from './recordEvents';

/** Number of `messages` row IDs per transaction. */
const slice = 5_000;
const pendingKey = 'statistics_before';

/**
 * Adds statistics for log entries from before the statistics feature existed. Works from newest to oldest in slices.
 * Each slice stores its progress, so that nothing is counted twice after an interruption. Skips imported sessions.
 */
export function addEarlierStatistics(file: string, timeoutMs: number): void {
  withConnection(file, timeoutMs, (database) => {
    // Do not wait for the write lock if there is nothing to do.
    while (isPending(database) && inTransaction(database, () => fillSlice(database)));
  });
}

function isPending(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM meta WHERE key = ?').get(pendingKey) !== undefined;
}

function fillSlice(database: DatabaseSync): boolean {
  const pending = database.prepare('SELECT value FROM meta WHERE key = ?').get(pendingKey)?.value;
  if (pending === undefined) return false;
  const last = Number(pending);
  const first = Math.max(0, last - slice);
  addTools(database, first, last);
  addAnswers(database, first, last);
  if (first > 0) database.prepare('UPDATE meta SET value = ? WHERE key = ?').run(String(first), pendingKey);
  else database.prepare('DELETE FROM meta WHERE key = ?').run(pendingKey);
  return first > 0;
}

const ownRows = `FROM messages m JOIN sessions s ON s.id = m.session_id
  WHERE m.rowid > ? AND m.rowid <= ? AND s.imported IS NULL AND json_valid(m.data)`;

function addTools(database: DatabaseSync, first: number, last: number): void {
  const rows = database.prepare(
    `SELECT m.session_id, m.tool_name, s.model, m.timestamp, json_extract(m.data, '$.status') AS status,
       json_extract(m.data, '$.durationMs') AS duration, json_extract(m.data, '$.waitedMs') AS waited ${ownRows} AND m.type = 'tool_result' AND m.tool_name IS NOT NULL`,
  );
  const insert = database.prepare(
    `INSERT INTO tool_events (session_id, tool_name, model, duration_ms, waited_ms, success, error_type, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  for (const { session_id, tool_name, model, timestamp, status, duration, waited } of rows.all(first, last)) {
    const times = splitTimes({ status: String(status), durationMs: duration, waitedMs: waited });
    insert.run(session_id ?? null, tool_name ?? null, model ?? null, ...times, ...toOutcome(String(status)), timestamp ?? 0);
  }
}

function addAnswers(database: DatabaseSync, first: number, last: number): void {
  const rows = database.prepare(
    `SELECT m.model, m.timestamp, json_extract(m.data, '$.stats') AS stats ${ownRows}
       AND m.type = 'assistant_output' AND m.is_open = 0 AND m.model IS NOT NULL AND json_type(m.data, '$.stats') = 'object'`,
  );
  const insert = database.prepare(addAnswerSql);
  for (const { model, timestamp, stats } of rows.all(first, last)) {
    const values = answerValues(JSON.parse(String(stats)) as EntryOf<'assistant_output'>['data']['stats']);
    if (values !== null) insert.run(Math.floor(Number(timestamp) / dayMs), model ?? null, ...values);
  }
}
