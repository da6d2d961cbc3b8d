import { formatInEnglish } from '../../types/format';
import type { Entry, EntryOf } from '../entries';
import { cutHead, cutTail } from '../../types/cutText';

/** Code of the notice that the user doubled the token limit of an answer. */
export const largerLimitCode = 'largerLimit';

/** Code of the notice that older results are shortened. The notice contains the `limits`. The log keeps the full results. */
export const shortenedCode = 'shortened';

/** Character limit for each result or argument of the entries up to `throughSeq`. 0 replaces a result with a placeholder. */
export interface ShorteningLimit {
  throughSeq: number;
  characters: number;
  /** True if the limit only applies to results whose call was repeated later. `throughSeq` is the last entry to check. */
  isSupersededOnly?: boolean | undefined;
  /** True if the limit only applies to the user message `throughSeq`, which exceeds the context window. */
  isMessage?: boolean | undefined;
}

/** Results up to this length in characters are never replaced with a placeholder, because it would hardly be shorter. */
const placeholderLength = 200;

/** Returns a function that returns the character limit of an entry, based on the notices in the conversation. */
export function sendingLimits(conversation: readonly Entry[]): (seq: number) => number {
  const limits = limitsIn(conversation).filter(({ isMessage }) => isMessage !== true);
  const superseded = limits.map(({ isSupersededOnly, throughSeq }) =>
    isSupersededOnly === true ? supersededResults(conversation, throughSeq) : null,
  );
  return (seq) =>
    limits.reduce(
      (least, { throughSeq, characters }, at) =>
        seq <= throughSeq && superseded[at]?.has(seq) !== false ? Math.min(least, characters) : least,
      Infinity,
    );
}

/**
 * Returns a function that returns the character limit of a user message.
 * The limit is only finite if the message exceeds the context window.
 */
export function messageLimits(conversation: readonly Entry[]): (seq: number) => number {
  const limits = limitsIn(conversation).filter(({ isMessage }) => isMessage === true);
  return (seq) =>
    limits.reduce((least, { throughSeq, characters }) => (seq === throughSeq ? Math.min(least, characters) : least), Infinity);
}

function limitsIn(conversation: readonly Entry[]): ShorteningLimit[] {
  return conversation.flatMap((entry) => (isShortening(entry) ? (entry.data.limits ?? []) : []));
}

/** Returns the `seq` of results whose call was repeated successfully up to the entry `throughSeq`. */
function supersededResults(conversation: readonly Entry[], throughSeq: number): Set<number> {
  const calls = new Map<string, string>();
  const last = new Map<string, number>();
  const superseded = new Set<number>();
  for (const entry of conversation) {
    if (entry.seq > throughSeq) break;
    if (entry.type === 'tool_call') calls.set(entry.data.callId, JSON.stringify([entry.data.name, entry.data.input]));
    // A result that only reports "no change" does not supersede the full one.
    if (entry.type !== 'tool_result' || entry.data.status !== 'success' || entry.data.sameAs !== undefined) continue;
    const call = calls.get(entry.data.callId) ?? '';
    const before = last.get(call);
    if (before !== undefined) superseded.add(before);
    last.set(call, entry.seq);
  }
  return superseded;
}

/**
 * Returns the form of a result that is sent to the model: complete, shortened,
 * or a placeholder. The placeholder explains how to get the result again.
 */
export function sentResult(content: string, limit: number): string {
  if (limit > 0 || content.length <= placeholderLength) return shortenedText(content, Math.max(limit, placeholderLength));
  return `[Left out to save room: ${formatInEnglish(content.length)} characters. Make the same call again to see them.]`;
}

function isShortening(entry: Entry): entry is EntryOf<'system_message'> {
  return entry.type === 'system_message' && entry.data.code === shortenedCode;
}

/**
 * Returns the start and the end of a text, and states how many characters are
 * omitted between them. A text that is only slightly too long stays complete.
 */
export function shortenedText(text: string, characters: number): string {
  if (text.length <= characters + 120) return text;
  const head = cutHead(text, Math.ceil(characters * (2 / 3)));
  const tail = cutTail(text, Math.floor(characters / 3));
  const left = formatInEnglish(text.length - head.length - tail.length);
  return `${head}\n[… ${left} characters are left out here to save room …]\n${tail}`;
}

/** Shortens long strings in arguments. */
export function shortenedInput(input: Record<string, unknown>, characters: number): Record<string, unknown> {
  if (characters === Infinity) return input;
  return shortenedValue(input, characters) as Record<string, unknown>;
}

function shortenedValue(value: unknown, characters: number): unknown {
  if (typeof value === 'string') return shortenedText(value, characters);
  if (Array.isArray(value)) return value.map((one) => shortenedValue(one, characters));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortenedValue(inner, characters)]));
}
