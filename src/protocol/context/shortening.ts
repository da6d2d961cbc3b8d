import type { Entry, EntryOf } from '../entries';

/** Code of the notice that a person lets an answer take twice as many tokens. */
export const largerLimitCode = 'largerLimit';

/** Code of the notice from which on old results are sent shortened; `limits` says how far. The log keeps them whole. */
export const shortenedCode = 'shortened';

/** Entries up to `throughSeq` are sent with at most so many characters of a result or an argument. With 0, a stub stands for a result. */
export interface ShorteningLimit {
  throughSeq: number;
  characters: number;
  /** True if it is for results alone that the same call brought again, up to `throughSeq`. */
  isSupersededOnly?: boolean | undefined;
  /** True if it is for the person's message `throughSeq` alone, which is larger than the window. */
  isMessage?: boolean | undefined;
}

/** Characters of a result that is as short as a stub for it. */
const shortResult = 200;

/** Returns the limit of characters for each entry, by the notices that are in the conversation. */
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

/** Returns the limit of characters for each message of the person, which is finite only for one that is larger than the window. */
export function messageLimits(conversation: readonly Entry[]): (seq: number) => number {
  const limits = limitsIn(conversation).filter(({ isMessage }) => isMessage === true);
  return (seq) =>
    limits.reduce((least, { throughSeq, characters }) => (seq === throughSeq ? Math.min(least, characters) : least), Infinity);
}

function limitsIn(conversation: readonly Entry[]): ShorteningLimit[] {
  return conversation.flatMap((entry) => (isShortening(entry) ? (entry.data.limits ?? []) : []));
}

/** Returns the results, by `seq`, of calls that were made again up to an entry, and succeeded then. */
function supersededResults(conversation: readonly Entry[], throughSeq: number): Set<number> {
  const calls = new Map<string, string>();
  const last = new Map<string, number>();
  const superseded = new Set<number>();
  for (const entry of conversation) {
    if (entry.seq > throughSeq) break;
    if (entry.type === 'tool_call') calls.set(entry.data.callId, JSON.stringify([entry.data.name, entry.data.input]));
    // A result that only says that nothing has changed stands for none.
    if (entry.type !== 'tool_result' || entry.data.status !== 'success' || entry.data.sameAs !== undefined) continue;
    const call = calls.get(entry.data.callId) ?? '';
    const before = last.get(call);
    if (before !== undefined) superseded.add(before);
    last.set(call, entry.seq);
  }
  return superseded;
}

/** Returns a result as it is sent: whole, shortened, or a stub that says how to get it back. */
export function sentResult(content: string, limit: number): string {
  if (limit > 0 || content.length <= shortResult) return shortenedText(content, Math.max(limit, shortResult));
  return `[Left out to save room: ${content.length.toLocaleString('en-US')} characters. Make the same call again to see them.]`;
}

function isShortening(entry: Entry): entry is EntryOf<'system_message'> {
  return entry.type === 'system_message' && entry.data.code === shortenedCode;
}

/** Returns the beginning and end of a text, and between them how much is left out; a text that is hardly longer stays whole. */
export function shortenedText(text: string, characters: number): string {
  if (text.length <= characters + 120) return text;
  const head = text.slice(0, Math.ceil(characters * (2 / 3))).replace(/[\uD800-\uDBFF]$/, '');
  const tail = text.slice(text.length - Math.floor(characters / 3)).replace(/^[\uDC00-\uDFFF]/, '');
  const left = (text.length - head.length - tail.length).toLocaleString('en-US');
  return `${head}\n[… ${left} characters are left out here to save room …]\n${tail}`;
}

/** Arguments with the long texts in them shortened. */
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
