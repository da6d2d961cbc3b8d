import type { ChatChunk, GenerateChunk, PullProgress, WireToolCall } from '../../../types/ollama';
import type { JsonObject } from './ndjson';
import { StreamError } from './ollamaErrors';

// The checks of chunks are written by hand because they run for every token.

/**
 * Checks a chunk of a chat.
 * @throws StreamError `malformed`
 */
export function checkChatChunk(value: JsonObject): ChatChunk {
  const message = value['message'] as Partial<ChatChunk['message']> | null | undefined;
  if (typeof message !== 'object' || message === null) throw malformed('a chat chunk without a message');
  message.content ??= '';
  if (typeof message.content !== 'string') throw malformed('a chat chunk whose content is no text');
  if (message.thinking !== undefined && typeof message.thinking !== 'string') throw malformed('thinking that is no text');
  if (message.tool_calls === null) delete message.tool_calls;
  if (message.tool_calls !== undefined) checkToolCalls(message.tool_calls);
  return value as JsonObject & ChatChunk;
}

/**
 * Checks a chunk of a completion.
 * @throws StreamError `malformed`
 */
export function checkGenerateChunk(value: JsonObject): GenerateChunk {
  value['response'] ??= '';
  if (typeof value['response'] !== 'string') throw malformed('a generate chunk whose response is no text');
  return value as JsonObject & GenerateChunk;
}

/**
 * Checks a line of a pull.
 * @throws StreamError `malformed`
 */
export function checkPullProgress(value: JsonObject): PullProgress {
  if (typeof value['status'] !== 'string') throw malformed('a progress line without a status');
  return value as JsonObject & PullProgress;
}

function checkToolCalls(calls: unknown): void {
  if (!Array.isArray(calls)) throw malformed('tool_calls that are no list');
  for (const call of calls as Partial<WireToolCall>[]) {
    const invoked = call?.function as Partial<WireToolCall['function']> | undefined;
    if (typeof invoked?.name !== 'string') throw malformed('a tool call without a name');
    // A call without arguments may carry null.
    invoked.arguments ??= {};
    if (typeof invoked.arguments !== 'object' || Array.isArray(invoked.arguments)) {
      throw malformed('a tool call whose arguments are no object');
    }
  }
}

function malformed(what: string): StreamError {
  return new StreamError(`The server sent ${what}`, 'malformed');
}
