import type { Statistics } from '../../../protocol/requests/statisticsRequests';
import { inTransaction, withConnection } from '../sqlite/ownConnection';
import type { DatabaseSync } from '../sqlite/sqlite';
import { addEarlierStatistics } from './fillStatistics';
import { dayMs } from './recordEvents';

const listedSessions = 20;

/** Reads the statistics from `sinceDay` on, counted in days since the epoch. First adds the statistics of older entries. */
export function readStatistics(file: string, sinceDay: number, timeoutMs: number, readOnly: boolean): Statistics {
  if (!readOnly) addEarlierStatistics(file, timeoutMs);
  return withConnection(
    file,
    timeoutMs,
    (database) => {
      const all = (sql: string, ...values: number[]) => database.prepare(sql).all(...values);
      return {
        tokensByDay: all(
          `SELECT day, sum(prompt_tokens) AS prompt, sum(answer_tokens) AS answer FROM answer_days WHERE day >= ? GROUP BY day ORDER BY day`,
          sinceDay,
        ).map(({ day, prompt, answer }) => ({ day: formatDay(day), prompt: Number(prompt), answer: Number(answer) })),
        models: all(
          `SELECT model, sum(answers) AS answers, sum(prompt_tokens) AS prompt, sum(answer_tokens) AS answer, sum(firsts) AS firsts,
             sum(first_ms) AS first_ms, sum(timed_tokens) AS timed, sum(answer_ms) AS ms
           FROM answer_days WHERE day >= ? GROUP BY model ORDER BY sum(answer_tokens) DESC, model`,
          sinceDay,
        ).map((row) => ({
          model: String(row.model),
          answers: Number(row.answers),
          promptTokens: Number(row.prompt),
          answerTokens: Number(row.answer),
          firstTokenMs: Number(row.firsts) > 0 ? Number(row.first_ms) / Number(row.firsts) : null,
          tokensPerSecond: Number(row.ms) > 0 ? (Number(row.timed) * 1000) / Number(row.ms) : null,
        })),
        tools: all(
          `SELECT tool_name, sum(calls) AS calls, sum(successes) AS successes, sum(failures) AS failures, sum(timed) AS timed,
             sum(duration_ms) AS ms, sum(waits) AS waits, sum(waited_ms) AS waited
           FROM tool_days WHERE day >= ? GROUP BY tool_name ORDER BY sum(calls) DESC, tool_name`,
          sinceDay,
        ).map(({ tool_name, calls, successes, failures, timed, ms, waits, waited }) => ({
          tool: String(tool_name),
          calls: Number(calls),
          successes: Number(successes),
          failures: Number(failures),
          averageMs: Number(timed) > 0 ? Number(ms) / Number(timed) : null,
          averageWaitMs: Number(waits) > 0 ? Number(waited) / Number(waits) : null,
        })),
        toolsByDay: all(
          'SELECT day, sum(calls) AS calls, sum(failures) AS failures FROM tool_days WHERE day >= ? GROUP BY day ORDER BY day',
          sinceDay,
        ).map(({ day, calls, failures }) => ({ day: formatDay(day), calls: Number(calls), failures: Number(failures) })),
        sessions: readSessions(database, sinceDay * dayMs),
        edits: all(
          // Use the model that answered the message. The session contains only the last selected model, and no model for an inline chat.
          `WITH edits AS (
             SELECT f.status, coalesce(
               (SELECT m.model FROM messages m WHERE m.session_id = f.session_id AND m.seq > f.turn_seq AND m.model IS NOT NULL
                ORDER BY m.seq LIMIT 1), s.model) AS model
             FROM file_snapshots f JOIN sessions s ON s.id = f.session_id WHERE f.created_at >= ?)
           SELECT model, sum(status = 'kept') AS kept, sum(status = 'undone') AS undone, sum(status = 'pending') AS pending
           FROM edits WHERE model IS NOT NULL GROUP BY model ORDER BY count(*) DESC, model`,
          sinceDay * dayMs,
        ).map(({ model, kept, undone, pending }) => ({
          model: String(model),
          kept: Number(kept),
          undone: Number(undone),
          pending: Number(pending),
        })),
        completions: readCompletions(database, sinceDay),
        compactions: Number(
          // SQLite uses the partial index only if the condition is exactly the same.
          all(
            `SELECT count(*) AS count FROM messages WHERE type IN ('compact_marker', 'rewind', 'file_edit')
               AND type = 'compact_marker' AND timestamp >= ?`,
            sinceDay * dayMs,
          )[0]?.count ?? 0,
        ),
      };
    },
    { readOnly },
  );
}

/** Deletes all statistics. Keeps conversations and file snapshots. */
export function deleteStatistics(file: string, timeoutMs: number): void {
  withConnection(file, timeoutMs, (database) =>
    inTransaction(database, () =>
      database.exec(`DELETE FROM tool_events; DELETE FROM tool_days; DELETE FROM answer_days;
        DELETE FROM meta WHERE key = 'statistics_before' OR (key >= 'completion_day:' AND key < 'completion_day;')`),
    ),
  );
}

/** Lists the tools used by the most recently active sessions. */
function readSessions(database: DatabaseSync, since: number): Statistics['sessions'] {
  const recent = database
    .prepare('SELECT id, title FROM sessions WHERE updated_at >= ? ORDER BY updated_at DESC LIMIT ?')
    .all(since, listedSessions);
  const tools = database.prepare(
    'SELECT tool_name, count(*) AS calls FROM tool_events WHERE session_id = ? GROUP BY tool_name ORDER BY count(*) DESC, tool_name',
  );
  return recent.flatMap(({ id, title }) => {
    const used = tools.all(id ?? null).map(({ tool_name, calls }) => ({ tool: String(tool_name), calls: Number(calls) }));
    return used.length === 0 ? [] : [{ sessionId: String(id), title: String(title), tools: used }];
  });
}

function readCompletions(database: DatabaseSync, sinceDay: number): Statistics['completions'] {
  const sum = (name: string) => `sum(ifnull(json_extract(model.value, '$.${name}'), 0)) AS ${name}`;
  const row = database
    .prepare(
      `SELECT ${['shown', 'accepted', 'judged300', 'retained300'].map(sum).join(', ')}
       FROM meta, json_each(meta.value) AS model WHERE meta.key >= ? AND meta.key < 'completion_day;' AND json_valid(meta.value)`,
    )
    .get(`completion_day:${formatDay(sinceDay)}`);
  const judged = Number(row?.judged300 ?? 0);
  return {
    shown: Number(row?.shown ?? 0),
    accepted: Number(row?.accepted ?? 0),
    retained: judged > 0 ? Number(row?.retained300 ?? 0) / judged : null,
  };
}

/** Returns the ISO date of a day. */
function formatDay(day: unknown): string {
  return new Date(Number(day) * dayMs).toISOString().slice(0, 10);
}
