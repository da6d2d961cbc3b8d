import type { ChatChunk, GenerateChunk, PullProgress, WireToolCall } from '../../../types/ollama';
import type { JsonObject } from './ndjson';
import { StreamError } from './ollamaErrors';

// Handwritten instead of a schema, because these checks run for every token.

/** Checks a chunk of a chat. Throws `StreamError` `malformedError`. */
export function checkChatChunk(value: JsonObject): ChatChunk {
  const message = value['message'] as Partial<ChatChunk['message']> | null | undefined;
  if (typeof message !== 'object' || message === null) throw malformedError('a chat chunk without a message');
  message.content ??= '';
  if (typeof message.content !== 'string') throw malformedError('a chat chunk whose content is no text');
  if (message.thinking !== undefined && typeof message.thinking !== 'string') throw malformedError('thinking that is no text');
  if (message.tool_calls === null) delete message.tool_calls;
  if (message.tool_calls !== undefined) checkToolCalls(message.tool_calls);
  return value as JsonObject & ChatChunk;
}

/** Checks a chunk of a completion. Throws `StreamError` `malformedError`. */
export function checkGenerateChunk(value: JsonObject): GenerateChunk {
  value['response'] ??= '';
  if (typeof value['response'] !== 'string') throw malformedError('a generate chunk whose response is no text');
  return value as JsonObject & GenerateChunk;
}

/** Checks a progress line of a pull. Throws `StreamError` `malformedError`. */
export function checkPullProgress(value: JsonObject): PullProgress {
  if (typeof value['status'] !== 'string') throw malformedError('a progress line without a status');
  return value as JsonObject & PullProgress;
}

function checkToolCalls(calls: unknown): void {
  if (!Array.isArray(calls)) throw malformedError('tool_calls that are no list');
  for (const call of calls as Partial<WireToolCall>[]) {
    const invoked = call?.function as Partial<WireToolCall['function']> | undefined;
    if (typeof invoked?.name !== 'string') throw malformedError('a tool call without a name');
    // A call without arguments may have null.
    invoked.arguments ??= {};
    if (typeof invoked.arguments !== 'object' || Array.isArray(invoked.arguments)) {
      throw malformedError('a tool call whose arguments are no object');
    }
  }
}

function malformedError(what: string): StreamError {
  return new StreamError(`The server sent ${what}`, 'malformed');
}
