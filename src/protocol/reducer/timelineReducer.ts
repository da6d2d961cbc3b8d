import type { Entry } from '../entries';
import type { ReduceOptions, Timeline } from '../timeline';
import { replacedMessages } from './replacedMessages';
import { reduceTurn, splitTurns } from './timelineTurn';
import type { TurnOptions } from './turnOptions';
import { undoneCommands } from './undoneCommands';
import { undoneTurns } from './undoneTurns';

/**
 * Converts entries to the view model. Nothing else builds it. The live view, restored sessions, the export
 * and the APIs all call the pure function `reduceTimeline`, so that history always equals the live view.
 */

/** Builds the timeline from entries in `seq` order. Skips entries that a rewind removed from the conversation. */
export function reduceTimeline(entries: readonly Entry[], options: ReduceOptions): Timeline {
  return { turns: splitIntoTurns(entries, options).map(({ list, options: own }) => reduceTurn(list, own)) };
}

/** Returns the entries of each turn, and the options to build the turn. */
export function splitIntoTurns(
  entries: readonly Entry[],
  { isLive, settledThrough = 0 }: ReduceOptions,
): { list: Entry[]; options: TurnOptions }[] {
  const conversation = selectConversation(entries);
  const lists = splitTurns(conversation);
  const undone = undoneTurns(entries, conversation);
  const undonePaths = collectUndonePaths(entries);
  const commands = undoneCommands(entries);
  const replaced = replacedMessages(entries);
  return lists.map((list, index) => {
    const undoneBy = undone.by(list[0]?.seq ?? 0);
    const isLiveTurn = isLive && index === lists.length - 1;
    const undoneReviews = list.flatMap(({ type, seq }) => {
      const paths = type === 'review' ? undonePaths.get(seq) : undefined;
      return paths === undefined ? [] : [{ seq, paths }];
    });
    const undoneCalls = list.flatMap(({ type, data }) => (type === 'tool_call' && commands.has(data.callId) ? data.callId : []));
    const live = { isLive: isLiveTurn, settledThrough: isLiveTurn ? settledThrough : 0 };
    return {
      list,
      options: { ...live, undoneBy, undoneReviews, undoneCalls, replaced: replaced.get(list[0]?.seq ?? 0) ?? null },
    };
  });
}

/**
 * Returns the undone paths of each review. Also uses reviews that an edited
 * message removed from the chat, because editing a message does not change files.
 */
function collectUndonePaths(entries: readonly Entry[]): ReadonlyMap<number, readonly string[]> {
  const undone = new Map<number, string[]>();
  for (const { type, data } of entries) {
    if (type !== 'review' || data.targetSeq === undefined) continue;
    undone.set(data.targetSeq, [...(undone.get(data.targetSeq) ?? []), ...data.paths]);
  }
  return undone;
}

/**
 * Returns the entries in the conversation: omits rewinds and the entries
 * that they removed. Changes made by a command are kept if its call is kept.
 */
export function selectConversation(entries: readonly Entry[]): Entry[] {
  const kept: Entry[] = [];
  for (const entry of entries) {
    if (entry.type !== 'rewind') {
      kept.push(entry);
      continue;
    }
    const { fromSeq } = entry.data;
    const out = kept.splice(kept.findLastIndex(({ seq }) => seq < fromSeq) + 1);
    kept.push(...entriesOfKeptCalls(out, kept));
  }
  return kept;
}

/** Returns the removed entries that belong to kept calls. A background command can end after later messages were sent. */
function entriesOfKeptCalls(out: readonly Entry[], kept: readonly Entry[]): Entry[] {
  const findCall = (entry: Entry) => (entry.type === 'checkpoint' ? entry.data.command?.callId : undefined);
  const told = out.filter((entry) => findCall(entry) !== undefined);
  if (told.length === 0) return [];
  const calls = new Set<string | undefined>(kept.flatMap((entry) => (entry.type === 'tool_call' ? [entry.data.callId] : [])));
  return told.filter((entry) => calls.has(findCall(entry)));
}
