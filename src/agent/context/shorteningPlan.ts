import type { Entry, EntryInput } from '../../protocol/entries';
import { buildHistory, withAttachments } from '../../protocol/history';
import { imageLength } from '../../protocol/context/imageRef';
import { listImages, sentImages } from '../../protocol/context/sentImages';
import { shortenedCode, type ShorteningLimit } from '../../protocol/context/shortening';
import { cutMessageNotice } from '../kernel/notices';
import { selectPrompted } from '../../protocol/reducer/promptedEntries';

/** Minimum useful length of a result in characters. */
const minResult = 200;
const steps = [16_000, 8000, 4000, 2000, 1000, 500, minResult];

export interface ShorteningPlan {
  limits: ShorteningLimit[];
  /** Number of results and calls that become shorter than before. */
  count: number;
  /** Number of saved characters. */
  saved: number;
}

/** Returns the mildest limits that save `spare` characters, otherwise the limits that save the most. Returns null if nothing is saved. */
export function planShortening(entries: readonly Entry[], spare: number): ShorteningPlan | null {
  const conversation = selectPrompted(entries);
  const last = conversation.at(-1)?.seq ?? 0;
  const old = lastCallsSeq(conversation) - 1;
  const before = sent(conversation);
  let plan: ShorteningPlan | null = null;
  const oldOnly = steps.map((characters) => [{ throughSeq: old, characters }]);
  const all = steps.map((characters) => [
    { throughSeq: old, characters: minResult },
    { throughSeq: last, characters },
  ]);
  for (const limits of [...oldOnly, ...all]) {
    const after = sent([...conversation, createNotice(limits, last + 1)]);
    const saved = before.total - after.total;
    if (saved <= (plan?.saved ?? 0)) continue;
    plan = { limits, saved, count: after.texts.filter((text, at) => text !== before.texts[at]).length };
    if (saved >= spare) break;
  }
  return plan;
}

/**
 * Selects old results to replace with stubs, in order to save `spare` characters. Results of repeated calls come first, then
 * the oldest results. Selects no more than needed. Returns null if even all old results are not enough.
 * The last calls remain unchanged.
 */
export function planStubs(entries: readonly Entry[], spare: number): ShorteningPlan | null {
  const conversation = selectPrompted(entries);
  const last = conversation.at(-1)?.seq ?? 0;
  const old = lastCallsSeq(conversation) - 1;
  const before = sent(conversation);
  const createPlan = (limits: ShorteningLimit[]): ShorteningPlan => {
    const after = sent([...conversation, createNotice(limits, last + 1)]);
    return {
      limits,
      saved: before.total - after.total,
      count: after.texts.filter((text, at) => text !== before.texts[at]).length,
    };
  };
  const superseded: ShorteningLimit = { throughSeq: old, characters: 0, isSupersededOnly: true };
  const plan = createPlan([superseded]);
  if (plan.saved >= spare) return plan;
  const results = conversation.filter(({ type, seq }) => type === 'tool_result' && seq <= old);
  const planThrough = (index: number) => createPlan([superseded, { throughSeq: results[index]?.seq ?? 0, characters: 0 }]);
  let least = 0;
  let most = results.length - 1;
  if (most < 0 || planThrough(most).saved < spare) return null;
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (planThrough(middle).saved >= spare) most = middle;
    else least = middle + 1;
  }
  return planThrough(least);
}

/** Minimum useful length of a shortened message in characters. */
const minMessage = 600;

/** Returns the notice that shortens the last message by `spare` characters, or null if too little would remain. */
export function planMessageCut(entries: readonly Entry[], spare: number, window: number): EntryInput | null {
  const message = selectPrompted(entries).findLast((entry) => entry.type === 'user_input');
  if (message === undefined) return null;
  const length = withAttachments(message.content, message.data.attachments).length;
  // A shortened message is sent without its images. A note of up to 120 characters replaces the removed text.
  const left = spare - listImages(message).length * imageLength;
  const characters = left > 0 ? length - left - 120 : length;
  return spare > 0 && (left <= 0 || characters >= minMessage)
    ? cutMessageNotice({ throughSeq: message.seq, characters, isMessage: true }, length - characters, window)
    : null;
}

/** Returns the `seq` of the first call in the last group of calls. The model is still working with their results. */
function lastCallsSeq(conversation: readonly Entry[]): number {
  let at = conversation.findLastIndex(({ type }) => type === 'tool_call');
  while (at > 0 && conversation[at - 1]?.type === 'tool_call') at -= 1;
  return conversation[at]?.seq ?? 0;
}

function sent(entries: readonly Entry[]): { total: number; texts: string[] } {
  const texts = buildHistory(entries).map(({ content, tool_calls: calls }) => content + (calls ? JSON.stringify(calls) : ''));
  const images = [...sentImages(entries).values()].flat().length * imageLength;
  return { total: texts.reduce((sum, { length }) => sum + length, images), texts };
}

/** Builds an entry that is not in the log, to measure its effect on the prompt. */
function createNotice(limits: ShorteningLimit[], seq: number): Entry {
  const input: Extract<EntryInput, { type: 'system_message' }> = {
    type: 'system_message',
    data: { level: 'info', code: shortenedCode, limits },
  };
  const base = { id: '', sessionId: '', seq, revision: seq, timestamp: 0, content: '', isOpen: false };
  return { ...base, model: null, checkpointId: null, planItemId: null, ...input };
}
