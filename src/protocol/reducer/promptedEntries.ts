import type { Entry } from '../entries';
import { selectConversation } from './timelineReducer';
import { undoneTurns } from './undoneTurns';

/** Returns the entries that the model may receive: the conversation without entries that a restore has undone. */
export function selectPrompted(entries: readonly Entry[]): Entry[] {
  const conversation = selectConversation(entries);
  if (!entries.some((entry) => entry.type === 'restore' && entry.data.fromSeq !== undefined)) return conversation;
  const undone = undoneTurns(entries, conversation);
  // An undone summary stays undone, even if a restore undid the turns around it.
  return conversation.filter(
    ({ type, seq }) => type === 'compact_undone' || (undone.by(seq) === null && !undone.staleMarkers.has(seq)),
  );
}
