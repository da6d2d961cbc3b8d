import { activeMarker, isCompacted } from '../../protocol/context/compaction';
import type { Entry, EntryOf } from '../../protocol/entries';
import { sendingLimits } from '../../protocol/context/shortening';
import { selectPrompted } from '../../protocol/reducer/promptedEntries';
import type { RequestedCall } from '../kernel/requestedCall';
import type { ToolResult } from '../tools/kernel/tool';

/** Minimum length in characters. Shorter results are sent again. */
const minLength = 400;

/** Replaces a reading result with a reference if the prompt already contains the same result. The view shows the full text. */
export function dedupeResult(result: ToolResult, call: RequestedCall, entries: readonly Entry[]): ToolResult {
  const { status, content, images } = result;
  if (status !== 'success' || content.length < minLength || images !== undefined) return result;
  const before = sameResult(content, call, entries);
  if (before === undefined) return result;
  return {
    ...result,
    content: 'Nothing has changed since you made the same call before: its result stands above, and is the same now.',
    display: result.display ?? content,
    sameAs: before.data.callId,
  };
}

/** Finds an identical result of the same call that is still sent in full. */
function sameResult(
  content: string,
  { callId, name, input }: RequestedCall,
  entries: readonly Entry[],
): EntryOf<'tool_result'> | undefined {
  const conversation = selectPrompted(entries);
  const written = JSON.stringify(input);
  const calls = new Set(
    conversation.flatMap((entry) =>
      entry.type === 'tool_call' &&
      entry.data.name === name &&
      entry.data.callId !== callId &&
      JSON.stringify(entry.data.input) === written
        ? [entry.data.callId]
        : [],
    ),
  );
  if (calls.size === 0) return undefined;
  const marker = activeMarker(conversation);
  const limitOf = sendingLimits(conversation);
  return conversation.findLast(
    (entry): entry is EntryOf<'tool_result'> =>
      entry.type === 'tool_result' &&
      calls.has(entry.data.callId) &&
      entry.content === content &&
      !isCompacted(entry, marker) &&
      limitOf(entry.seq) === Infinity,
  );
}
