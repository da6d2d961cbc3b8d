import { randomUUID } from 'node:crypto';

const vocabulary =
  'river stone window garden paper light table winter music number bridge letter market silver forest engine mirror ocean pocket summer'.split(
    ' ',
  );

/** Returns a prompt with this number of words. It begins with a random ID, so no cache contains it. */
export function measuringPrompt(words: number): string {
  const text = Array.from(
    { length: Math.floor(words) },
    (_one, index) => vocabulary[(index * 7 + (index >> 3)) % vocabulary.length],
  );
  return `${randomUUID()}\n${text.join(' ')}\n\nWrite a long story with these words.`;
}
