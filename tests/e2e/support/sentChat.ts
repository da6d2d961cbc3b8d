import assert from 'node:assert/strict';
import type { OllamaDouble } from '../../support/ollama/double';
import type { ChatPage } from '../chatPage';

/** What the suites read of a request to `/api/chat`. */
export interface SentChat {
  model: string;
  messages: { role: string; content: string; images?: string[] }[];
}

/** Returns the requests that asked for an answer: a load has no messages. */
export function sentChats(double: OllamaDouble): SentChat[] {
  return double
    .requestsTo('/api/chat')
    .map(({ body }) => body as SentChat)
    .filter(({ messages }) => messages.length > 0);
}

export function lastSent(double: OllamaDouble): SentChat {
  return sentChats(double).at(-1) ?? assert.fail('nothing was sent');
}

/** Returns the last message of a person as the model was given it, with what goes with it. */
export function lastPrompt(double: OllamaDouble): string {
  return lastSent(double).messages.findLast(({ role }) => role === 'user')?.content ?? '';
}

/** Sends a message, which is answered with these words, and waits until that is done. */
export async function answerOf(chat: ChatPage, double: OllamaDouble, message: string, answer: string): Promise<void> {
  double.script.push(answer);
  await chat.send(message);
  const [first = ''] = answer.split('\n');
  // The beginning of a long answer may be above what is drawn.
  await chat.articles('Assistant').getByText(first).last().waitFor({ state: 'attached' });
  await chat.settled();
}
