import { pairBrackets, type Brackets, type UnpairedBracket } from './brackets';
import type { CompletionDocument } from '../completionTypes';
import { near, type RawCompletion, type CleaningRule } from './rawCompletion';

const closers = /^[)\]}>"'`]{1,8}/;

/** Removes leading closing brackets and quotes, which an editor inserts automatically. */
export function withoutClosers(text: string): string {
  return text.replace(closers, '');
}

/** Removes closing brackets at the end of a text that already exist in the document. */
export const withoutDoubleClosers: CleaningRule = (text, at) => {
  const lineEnd = at.suffix.indexOf('\n');
  // Skip the rest of the line at the cursor, because it is in the range that a suggestion replaces.
  const below = lineEnd < 0 ? '' : at.suffix.slice(lineEnd, lineEnd + 1000);
  const follows = /^[)\]};,\s]*/.exec(below)?.[0] ?? '';
  let rest = text;
  while (/\n\s*[)\]}][)\]};,\s]*$/.test(rest) && closesTooMuch(rest, at)) {
    const last = pairBrackets(rest, at.languageId).closers.at(-1);
    if (last === undefined || !follows.includes(last.character) || !/^[)\]};,\s]*$/.test(rest.slice(last.index))) break;
    rest = rest.slice(0, last.index).trimEnd();
  }
  return rest;
};

/** Returns whether a text closes more brackets than are open before the cursor and still unclosed after it. */
export function closesTooMuch(text: string, at: RawCompletion): boolean {
  const { prefix, suffix } = near(at);
  const before = pairBrackets(prefix, at.languageId);
  const closed = pairBrackets(suffix, at.languageId).closers.length;
  const opened = before.openers.length;
  const own = pairBrackets(text, at.languageId);
  const closedAfter = Math.min(Math.max(0, closed - own.openers.length), opened);
  return before.inside === null && own.closers.length > 0 && own.closers.length + closedAfter > opened;
}

/** Document with the text before and after the cursor. */
type TailPlace = Pick<CompletionDocument, 'before' | 'after' | 'languageId'>;

/**
 * Fits a suggestion to the rest of the line at the cursor. Returns the text and the number of characters after the cursor that it
 * replaces. Closing brackets and quotes that the text also contains are replaced. Other repeated text is removed from the end of
 * the suggestion. Returns an empty string if the line would have too many or too few closing brackets.
 */
export function fitToTail(text: string, { before, after, languageId }: TailPlace): { text: string; replaces: number } {
  const tail = (after.split('\n', 1)[0] ?? '').trimEnd();
  if (tail === '') return { text, replaces: 0 };
  const said = text.trimEnd();
  const isAgain = /\w/.test(tail) && tail.length > 2 && said.endsWith(tail) && !said.includes('\n');
  if (isAgain && tail.length < said.length) return { text: said.slice(0, -tail.length), replaces: 0 };
  const replaces = balancedTail(text, tail, before.slice(-maxBefore), languageId) ?? repeatedTail(text, tail);
  if (replaces === 'unbalanced' || (replaces > 0 && text === tail.slice(0, replaces))) return { text: '', replaces: 0 };
  return { text, replaces };
}

/** Maximum number of characters before the cursor in which brackets are paired. */
const maxBefore = 8000;

/**
 * Returns how many characters after the cursor a text replaces, so that each bracket and quote is closed once. Returns undefined
 * if the rest of the line leaves a string open or is in a comment. Then its quotes cannot be paired.
 */
function balancedTail(text: string, tail: string, before: string, languageId: string): number | 'unbalanced' | undefined {
  const pairs = (line: string): Brackets => pairBrackets(before + line, languageId);
  const wanted = pairs(tail);
  if (wanted.inside !== null || /^(?:#|--|\/[/*])/.test(pairs('').inside ?? '')) return undefined;
  const lengths = repeatedLengths(text, tail);
  const isFit = (line: string): boolean => formatState(pairs(line)) === formatState(wanted);
  const exact = lengths.find((length) => isFit(text + tail.slice(length)));
  if (exact !== undefined) return exact;
  // The text may close brackets that are open before the cursor. Then the rest of the line is better balanced with the text.
  const better = lengths.find((length) => isBetter(pairs(text + tail.slice(length)), wanted));
  if (better !== undefined) return better;
  // A text may open a block that its next lines will close.
  const ends = pairs(text)
    .openers.filter(({ index }) => index >= before.length)
    .reverse();
  const end = ends.map(({ character }) => partnerOf[character] ?? '').join('');
  return lengths.find((length) => end !== '' && isFit(text + end + tail.slice(length))) ?? 'unbalanced';
}

const partnerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Returns whether one bracket state has at most as many errors of each kind as another. */
function isBetter(one: Brackets, other: Brackets): boolean {
  return (
    one.inside === null &&
    one.around.length <= other.around.length &&
    one.closers.length <= other.closers.length &&
    one.openers.length <= other.openers.length
  );
}

function formatState({ openers, closers, inside, around }: Brackets): string {
  const signs = (all: readonly UnpairedBracket[]): string => all.map(({ character }) => character).join('');
  return [signs(closers), signs(openers), inside, ...around].join('\0');
}

/**
 * Returns the possible lengths of the repeated rest of the line, longest first. All its tokens must occur in the text in the same
 * order. Tokens other than closing tokens count only at the end of the text.
 */
function repeatedLengths(text: string, tail: string): number[] {
  const said: string[] = text.match(tokens) ?? [];
  const lengths = [0];
  let at = 0;
  for (const { 0: token, index } of tail.matchAll(tokens)) {
    const found = said.indexOf(token, at);
    if (found < 0) break;
    at = found + 1;
    const length = index + token.length;
    const isClosing = closing.test(tail.slice(0, length));
    const isAtEnd = said.at(-1) === token;
    if ((isClosing && !/[;,:>]/.test(token)) || ((isClosing || length === tail.length) && isAtEnd)) lengths.unshift(length);
    else if (token === '>' && isClosing && hasLoneAngle(text)) lengths.unshift(length);
    else if (length > 2 && text.endsWith(tail.slice(0, length))) lengths.unshift(length);
  }
  return lengths;
}

const tokens = /\w+|[^\w\s]/g;
const closing = /^[)\]}>"'`;,:\s]*$/;

/** Returns whether a text closes an angle bracket that it does not open. Arrows and comparison operators do not count. */
function hasLoneAngle(text: string): boolean {
  let open = 0;
  for (const [sign] of text.replaceAll(/[-=]>|[<>]=|\s[<>]\s/g, '').matchAll(/[<>]/g)) {
    open += sign === '<' ? 1 : -1;
    if (open < 0) return true;
  }
  return false;
}

/**
 * Returns how many characters after the cursor a text repeats: its unopened closing brackets and the characters that follow them.
 */
function repeatedTail(text: string, tail: string): number {
  const lone = unopenedClosers(text, tail.charAt(0));
  let taken = 0;
  let last = -1;
  for (const { character, index } of lone) {
    if (tail.charAt(taken) !== character) break;
    taken += 1;
    last = index;
  }
  if (taken === 0) return 0;
  const rest = text.slice(last + 1);
  return rest !== '' && /^[;,:\s]*$/.test(rest) && tail.slice(taken).startsWith(rest) ? taken + rest.length : taken;
}

/**
 * Returns the closing brackets without an opening bracket in a text. If the rest of the line begins with a quote, the same quote
 * counts if it has no partner in the text.
 */
function unopenedClosers(text: string, tailQuote: string): { character: string; index: number }[] {
  const isQuote = tailQuote === '"' || tailQuote === "'" || tailQuote === '`';
  if (!isQuote) return pairBrackets(text, '').closers;
  const end = text.search(new RegExp(`(?<!\\\\)${tailQuote}`));
  if (end < 0 || (text.split(tailQuote).length - 1) % 2 === 0) return [];
  const rest = pairBrackets(text.slice(end + 1), '').closers.map(({ character, index }) => ({
    character,
    index: index + end + 1,
  }));
  return [{ character: tailQuote, index: end }, ...rest];
}
