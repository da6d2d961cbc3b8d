import type { Entry } from '../../protocol/entries';
import { largerLimitCode } from '../../protocol/context/shortening';
import { promptedOf } from '../../protocol/reducer/promptedEntries';
import { usualTokenLength } from '../../types/tokenLength';

/** Tokens of an answer at most, unless a file that it may rewrite is longer; a model that thinks first gets as many for that. */
const usualLimit = 4096;
/** Tokens of an answer for each token of such a file, and what the answer says besides. */
const [perFileToken, besides] = [1.5, 1024];

/**
 * Returns the tokens that one answer may take, the window at most: the server itself ends an answer where the window is full. Without a
 * limit a model that repeats itself inside a call goes on for ten windows, and nothing of it is seen.
 */
export function answerLimit(entries: readonly Entry[], { window, thinks }: { window: number; thinks: boolean }): number {
  const prompted = promptedOf(entries);
  const file = largestFile(prompted) / usualTokenLength;
  const usual = Math.max(usualLimit, file > 0 ? Math.ceil(file * perFileToken) + besides : 0) + (thinks ? usualLimit : 0);
  const asked = prompted.findLastIndex(({ type }) => type === 'user_input');
  const doubled = prompted
    .slice(asked + 1)
    .filter((entry) => entry.type === 'system_message' && entry.data.code === largerLimitCode);
  return Math.min(window, usual * 2 ** doubled.length);
}

/** Counts the characters of the largest file that the conversation has read, written or attached: any of these may be rewritten. */
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
