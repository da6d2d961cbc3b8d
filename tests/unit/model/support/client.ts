import { OllamaClient } from '../../../../src/services/model/client/ollamaClient';
import type { ChatRequest } from '../../../../src/types/ollama';
import { silentLogger } from '../../../../src/utils/logger';
import { RecordingClock } from './recordingClock';

export const chatRequest: ChatRequest = {
  model: 'm',
  messages: [{ role: 'user', content: 'Hello' }],
  options: { num_ctx: 1024 },
  keep_alive: '30m',
  truncate: false,
  shift: false,
};

export function makeClient(
  baseUrl: string | (() => string),
  token: (origin: string) => Promise<string | undefined> = () => Promise.resolve(undefined),
): { client: OllamaClient; clock: RecordingClock } {
  const clock = new RecordingClock();
  const address = typeof baseUrl === 'string' ? () => baseUrl : baseUrl;
  return { client: new OllamaClient({ baseUrl: address, token, clock, logger: silentLogger }), clock };
}

export function chunk(content: string, rest: Record<string, unknown> = {}): Record<string, unknown> {
  return { model: 'm', created_at: '2026-11-21T03:00:00.5Z', message: { role: 'assistant', content }, done: false, ...rest };
}

export const lastChunk = chunk('', { done: true, done_reason: 'stop', eval_count: 2 });

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

/** Returns the error that a promise or stream rejects with. Fails the test if there is no error. */
export async function rejection(work: Promise<unknown> | AsyncIterable<unknown>): Promise<unknown> {
  try {
    await (work instanceof Promise ? work : collect(work));
  } catch (error) {
    return error;
  }
  throw new Error('Expected a rejection');
}
