import type { EntryInput, EntryOf } from '../../../protocol/entries';
import type { Statements } from '../sqlite/sqlite';

/** Milliseconds of a day; days are counted from the epoch, in UTC. */
export const dayMs = 86_400_000;

/** The columns of `answer_days` that are summed. */
const sums = ['answers', 'prompt_tokens', 'answer_tokens', 'firsts', 'first_ms', 'timed_tokens', 'answer_ms'] as const;

export const addAnswerSql = `INSERT INTO answer_days (day, model, ${sums.join(', ')}) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (day, model) DO UPDATE SET ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`;

/** Writes down what a call came to, inside the write transaction of its result. Nothing of what it was about is kept. */
export function noteToolEvent(statements: Statements, sessionId: string, input: EntryInput, now: number): void {
  if (input.type !== 'tool_result') return;
  const { name, status, durationMs } = input.data;
  statements
    .statement(
      `INSERT INTO tool_events (session_id, tool_name, model, duration_ms, success, error_type, created_at)
       VALUES (?, ?, (SELECT model FROM sessions WHERE id = ?), ?, ?, ?, ?)`,
    )
    .run(sessionId, name, sessionId, durationMs === undefined ? null : Math.round(durationMs), ...outcomeOf(status), now);
}

/** Returns `success` and `error_type` of a result. */
export function outcomeOf(status: string): [success: 0 | 1, errorType: string | null] {
  return status === 'success' ? [1, null] : [0, status === 'error' ? 'tool_error' : status];
}

/** Adds the figures of an answer to those of its day and model, inside the write transaction that closes it. */
export function noteAnswer(
  statements: Statements,
  data: EntryOf<'assistant_output'>['data'],
  model: string | null,
  now: number,
): void {
  const values = answerValues(data.stats);
  if (values !== null && model !== null) statements.statement(addAnswerSql).run(Math.floor(now / dayMs), model, ...values);
}

/** Returns what is added to a day, in the order of `addAnswerSql`; null where the server measured nothing. */
export function answerValues(stats: EntryOf<'assistant_output'>['data']['stats']): number[] | null {
  if (stats === undefined) return null;
  const { promptTokens = 0, answerTokens = 0, loadMs = 0, promptMs, answerMs } = stats;
  const isTimed = answerMs !== undefined && answerMs > 0;
  const first = promptMs === undefined ? [0, 0] : [1, Math.round(loadMs + promptMs)];
  return [promptTokens, answerTokens, ...first, isTimed ? answerTokens : 0, isTimed ? Math.round(answerMs) : 0];
}
