import type { EntryOf } from '../entries';

/** Returns the time to show for a message, in milliseconds since the epoch. A repeated message has the time of the first one. */
export function messageTime({ data, timestamp }: EntryOf<'user_input'>): number {
  return data.repeats ?? timestamp;
}
