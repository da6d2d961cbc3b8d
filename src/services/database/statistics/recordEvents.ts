import type { EntryInput, EntryOf } from '../../../protocol/entries';
import type { Statements } from '../sqlite/sqlite';

/** Milliseconds per day. Days are counted from the epoch, in UTC. */
export const dayMs = 86_400_000;

/** Columns of `answer_days` that contain sums. */
const sums = ['answers', 'prompt_tokens', 'answer_tokens', 'firsts', 'first_ms', 'timed_tokens', 'answer_ms'] as const;

export const addAnswerSql = `INSERT INTO answer_days (day, model, ${sums.join(', ')}) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (day, model) DO UPDATE SET ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;

/** Records the outcome of a tool call, without its content. Call this inside the write transaction of the result. */
export function noteToolEvent(statements: Statements, sessionId: string, input: EntryInput, now: number): void {
  if (input.type !== 'tool_result') return;
  const { name, status } = input.data;
  statements
    .statement(
      `INSERT INTO tool_events (session_id, tool_name, model, duration_ms, waited_ms, success, error_type, created_at)
       VALUES (?, ?, (SELECT model FROM sessions WHERE id = ?), ?, ?, ?, ?, ?)`,
    )
    .run(sessionId, name, sessionId, ...splitTimes(input.data), ...toOutcome(status), now);
}

/**
 * Returns `duration_ms` and `waited_ms`: how long a call ran and how long it waited
 * for the user. A value is null if it does not exist. A denied call did not run.
 */
export function splitTimes({
  status,
  durationMs,
  waitedMs,
}: {
  status: string;
  durationMs?: unknown;
  waitedMs?: unknown;
}): [durationMs: number | null, waitedMs: number | null] {
  const rounded = (time: unknown) => (typeof time === 'number' ? Math.round(time) : null);
  return [status === 'denied' ? null : rounded(durationMs), rounded(waitedMs)];
}

/** Returns `success` and `error_type` for a result status. */
export function toOutcome(status: string): [success: 0 | 1, errorType: string | null] {
  return status === 'success' ? [1, null] : [0, status === 'error' ? 'tool_error' : status];
}

/** Adds an answer to the statistics of its day and model. Call this inside the write transaction that closes the answer. */
export function noteAnswer(
  statements: Statements,
  data: EntryOf<'assistant_output'>['data'],
  model: string | null,
  now: number,
): void {
  const values = answerValues(data.stats);
  if (values !== null && model !== null) statements.statement(addAnswerSql).run(Math.floor(now / dayMs), model, ...values);
}

/** Returns the values for `addAnswerSql`, or null if the server sent no measurements. */
export function answerValues(stats: EntryOf<'assistant_output'>['data']['stats']): number[] | null {
  if (stats === undefined) return null;
  const { promptTokens = 0, answerTokens = 0, loadMs = 0, promptMs, answerMs } = stats;
  const isTimed = answerMs !== undefined && answerMs > 0;
  const first = promptMs === undefined ? [0, 0] : [1, Math.round(loadMs + promptMs)];
  return [promptTokens, answerTokens, ...first, isTimed ? answerTokens : 0, isTimed ? Math.round(answerMs) : 0];
}
