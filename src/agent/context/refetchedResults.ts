import { activeMarker, isCompacted } from '../../protocol/context/compaction';
import type { Entry } from '../../protocol/entries';
import { sendingLimits } from '../../protocol/context/shortening';
import { selectPrompted } from '../../protocol/reducer/promptedEntries';
import type { RequestedCall } from '../kernel/requestedCall';

/** Returns whether an earlier result of the same call is no longer sent in full. Repeating such a call is not a loop. */
export function isRefetch(entries: readonly Entry[], { callId, name, input }: RequestedCall): boolean {
  const conversation = selectPrompted(entries);
  const written = JSON.stringify(input);
  const before = conversation.findLast(
    (entry) =>
      entry.type === 'tool_call' &&
      entry.data.callId !== callId &&
      entry.data.name === name &&
      JSON.stringify(entry.data.input) === written,
  );
  const result = conversation.findLast(
    (entry) => before?.type === 'tool_call' && entry.type === 'tool_result' && entry.data.callId === before.data.callId,
  );
  if (result === undefined) return false;
  return isCompacted(result, activeMarker(conversation)) || sendingLimits(conversation)(result.seq) < result.content.length;
}
