import type { Entry } from '../../protocol/entries';
import { largerLimitCode } from '../../protocol/context/shortening';
import { selectPrompted } from '../../protocol/reducer/promptedEntries';
import { usualTokenLength } from '../../types/tokenLength';

/** Default maximum tokens of an answer. A thinking model gets the same number again for thinking. */
const usualLimit = 4096;
/** Maximum tokens of an answer per token of the largest file. */
const perFileToken = 1.5;
/** Extra tokens for the rest of the answer. */
const extraTokens = 1024;

/**
 * Returns the maximum tokens of one answer, capped at the context window. Without a limit, a model
 * that repeats itself inside a call may generate ten times the context window and show nothing.
 */
export function answerLimit(entries: readonly Entry[], { window, thinks }: { window: number; thinks: boolean }): number {
  const prompted = selectPrompted(entries);
  const file = largestFile(prompted) / usualTokenLength;
  const usual = Math.max(usualLimit, file > 0 ? Math.ceil(file * perFileToken) + extraTokens : 0) + (thinks ? usualLimit : 0);
  const asked = prompted.findLastIndex(({ type }) => type === 'user_input');
  const doubled = prompted
    .slice(asked + 1)
    .filter((entry) => entry.type === 'system_message' && entry.data.code === largerLimitCode);
  return Math.min(window, usual * 2 ** doubled.length);
}

/**
 * Returns the length in characters of the largest file that the conversation
 * read, wrote or attached. The model may rewrite any of these files.
 */
function largestFile(entries: readonly Entry[]): number {
  let largest = 0;
  const read = new Set<string>();
  for (const entry of entries) {
    const lengths: number[] = [];
    if (entry.type === 'user_input') lengths.push(...entry.data.attachments.map(({ content }) => content?.length ?? 0));
    if (entry.type === 'tool_call') {
      const { facts, callId, input } = entry.data;
      if (facts?.family === 'read' && facts.about?.kind === 'file') read.add(callId);
      if (facts?.family === 'edit')
        lengths.push(...Object.values(input).map((value) => (typeof value === 'string' ? value.length : 0)));
    }
    if (entry.type === 'tool_result' && read.has(entry.data.callId)) lengths.push(entry.content.length);
    largest = Math.max(largest, ...lengths);
  }
  return largest;
}
