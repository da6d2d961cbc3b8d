import assert from 'node:assert/strict';
import type { RawAnswer } from './rawHttp';

export type Line = Record<string, unknown>;

export const jsonType = 'application/json; charset=utf-8';
export const streamType = 'application/x-ndjson';

/** Returns the lines of a stream. Asserts that each line ends with a newline and is a JSON object. */
export function linesOf(answer: RawAnswer): Line[] {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.contentType, streamType);
  assert.ok(answer.text.endsWith('\n'), 'the last line ends with a newline');
  return answer.text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Returns a JSON response. Asserts that it does not end with a newline. */
export function jsonOf(answer: RawAnswer): Line {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.contentType, jsonType);
  assert.ok(!answer.text.endsWith('\n'), 'no newline at the end');
  return JSON.parse(answer.text) as Line;
}

const metricNames = [
  'total_duration',
  'load_duration',
  'prompt_eval_count',
  'prompt_eval_duration',
  'eval_count',
  'eval_duration',
];

/** Replaces values that differ between runs by their kind: times, ids and metrics, which must be positive integers. */
export function normalized(line: Line): Line {
  const result: Line = {};
  for (const [key, value] of Object.entries(line)) {
    if (key === 'created_at') result[key] = kindOfTime(value);
    else if (metricNames.includes(key)) assert.ok(Number.isInteger(value) && Number(value) > 0, `${key} is a positive integer`);
    else if (key === 'message') result[key] = withoutIds(value as Line);
    else result[key] = value;
  }
  return result;
}

/** Joins the content, thinking and calls of all lines. */
export function joined(lines: readonly Line[]): { content: string; thinking: string; calls: unknown[] } {
  const messages = lines.map((line) => line.message as { content: string; thinking?: string; tool_calls?: unknown[] });
  return {
    content: messages.map((message) => message.content).join(''),
    thinking: messages.map((message) => message.thinking ?? '').join(''),
    calls: messages.flatMap((message) => message.tool_calls ?? []),
  };
}

function kindOfTime(value: unknown): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(String(value)) ? 'UTC' : `not a UTC time: ${String(value)}`;
}

function withoutIds(message: Line): Line {
  if (!Array.isArray(message.tool_calls)) return message;
  const calls = message.tool_calls as Line[];
  return { ...message, tool_calls: calls.map(({ id, ...call }) => ({ ...call, id: typeof id })) };
}
