import type { Entry } from '../entries';
import { conversationOf } from './timelineReducer';
import { undoneTurns } from './undoneTurns';

/** Returns the entries that the model may be told of: those in the conversation, without what a restore has undone. */
export function promptedOf(entries: readonly Entry[]): Entry[] {
  const conversation = conversationOf(entries);
  if (!entries.some((entry) => entry.type === 'restore' && entry.data.fromSeq !== undefined)) return conversation;
  const undone = undoneTurns(entries, conversation);
  // A summary that was undone stays so, whatever becomes of the turns around that.
  return conversation.filter(
    ({ type, seq }) => type === 'compact_undone' || (undone.by(seq) === null && !undone.staleMarkers.has(seq)),
  );
}
