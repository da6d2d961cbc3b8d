import type { EntryOf } from '../entries';

/** Returns the time to show for a message, in milliseconds since the epoch. A repeated message keeps the time of the original. */
export function messageTime({ data, timestamp }: EntryOf<'user_input'>): number {
  return data.repeats ?? timestamp;
}
