import { activeMarker, isCompacted } from '../../protocol/context/compaction';
import type { Entry } from '../../protocol/entries';
import { sendingLimits } from '../../protocol/context/shortening';
import { promptedOf } from '../../protocol/reducer/promptedEntries';
import type { RequestedCall } from '../kernel/requestedCall';

/** Tells whether a call was made before with a result that is not sent whole any more: making it again brings that back, and is no loop. */
export function isBroughtBack(entries: readonly Entry[], { callId, name, input }: RequestedCall): boolean {
  const conversation = promptedOf(entries);
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
