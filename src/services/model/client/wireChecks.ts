import type { ChatChunk, GenerateChunk, PullProgress, ReceivedToolCall, WireMetrics } from '../../../types/ollama';
import { isRecord } from '../../../utils/json';
import type { JsonObject } from './ndjson';

// Handwritten instead of a schema, because these checks run for every token. Servers and proxies differ in details, so fields of an
// unexpected type are converted. The functions return null only for a line that is not part of a response.

/** Converts a line to a chunk of a chat. Returns null if the line is not a chunk. */
export function checkChatChunk(value: JsonObject): ChatChunk | null {
  const message = value['message'] ?? ('done' in value ? { role: 'assistant' } : null);
  if (!isRecord(message)) return null;
  if (typeof message['content'] !== 'string') message['content'] = readText(message['content']);
  if (message['thinking'] !== undefined && typeof message['thinking'] !== 'string') {
    message['thinking'] = readText(message['thinking']);
  }
  const calls = message['tool_calls'];
  if (calls === null) delete message['tool_calls'];
  else if (calls !== undefined) message['tool_calls'] = (Array.isArray(calls) ? calls : [calls]).map(readToolCall);
  value['message'] = message;
  checkEnd(value);
  return value as JsonObject & ChatChunk;
}

/** Converts a line to a chunk of a completion. Returns null if the line is not a chunk. */
export function checkGenerateChunk(value: JsonObject): GenerateChunk | null {
  if (!('response' in value || 'thinking' in value || 'done' in value)) return null;
  if (typeof value['response'] !== 'string') value['response'] = readText(value['response']);
  checkEnd(value);
  return value as JsonObject & GenerateChunk;
}

/** Checks a progress line of a pull. Returns null for any other line. */
export function checkPullProgress(value: JsonObject): PullProgress | null {
  return typeof value['status'] === 'string' ? (value as JsonObject & PullProgress) : null;
}

export const metricNames = [
  ...['total_duration', 'load_duration', 'prompt_eval_count', 'prompt_eval_cached_count'],
  ...['prompt_eval_duration', 'eval_count', 'eval_duration'],
] as (keyof WireMetrics)[];

function checkEnd(value: JsonObject): void {
  if (value['done'] === false) return;
  value['done'] = /^(?:true|1)$/i.test(String(value['done']));
  if (value['done'] === false) return;
  if (typeof value['done_reason'] !== 'string') delete value['done_reason'];
  for (const name of metricNames) if (typeof value[name] !== 'number') delete value[name];
}

/** Returns the text of a field. For a list, joins the texts of its parts, because some proxies send content as a list. */
function readText(value: unknown): string {
  if (Array.isArray(value)) return value.map(readText).join('');
  if (isRecord(value)) return typeof value['text'] === 'string' ? value['text'] : '';
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

/**
 * Reads a tool call with a nested function, as Ollama sends it, or without nesting.
 * For any other format, stores the JSON of the call as arguments, without a name.
 */
function readToolCall(call: unknown): ReceivedToolCall {
  const invoked = isRecord(call) && isRecord(call['function']) ? call['function'] : call;
  if (!isRecord(call) || !isRecord(invoked) || typeof invoked['name'] !== 'string' || invoked['name'].trim() === '') {
    return { function: { name: '', arguments: typeof call === 'string' ? call : JSON.stringify(call) } };
  }
  const { name, index, arguments: given } = invoked;
  const { id } = call;
  return {
    ...((typeof id === 'string' || typeof id === 'number') && { id: String(id) }),
    function: {
      ...(typeof index === 'number' && { index }),
      name: name.trim(),
      arguments: isRecord(given) ? given : typeof given === 'string' ? given : JSON.stringify(given ?? {}),
    },
  };
}
