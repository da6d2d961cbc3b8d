import assert from 'node:assert/strict';
import type { OllamaDouble } from '../../support/ollama/double';
import type { ChatPage } from '../chatPage';

/** Fields of a request to `/api/chat` that the suites read. */
export interface SentChat {
  model: string;
  messages: { role: string; content: string; images?: string[] }[];
}

/** Returns the requests that ask for an answer. A request that only loads a model has no messages and is omitted. */
export function sentChats(double: OllamaDouble): SentChat[] {
  return double
    .requestsTo('/api/chat')
    .map(({ body }) => body as SentChat)
    .filter(({ messages }) => messages.length > 0);
}

export function lastSent(double: OllamaDouble): SentChat {
  return sentChats(double).at(-1) ?? assert.fail('nothing was sent');
}

/** Returns the last user message as the model received it, with all attached content. */
export function lastPrompt(double: OllamaDouble): string {
  return lastSent(double).messages.findLast(({ role }) => role === 'user')?.content ?? '';
}

/** Sends a message whose reply is `answer`, and waits until the run has finished. */
export async function answerOf(chat: ChatPage, double: OllamaDouble, message: string, answer: string): Promise<void> {
  double.script.push(answer);
  await chat.send(message);
  const [first = ''] = answer.split('\n');
  // The beginning of a long answer may be above the rendered part.
  await chat.articles('Assistant').getByText(first).last().waitFor({ state: 'attached' });
  await chat.settled();
}
