import { pairBrackets } from './brackets';
import { near, type RawCompletion, type Rule } from './rawCompletion';

const closers = /^[)\]}>"'`]{1,8}/;

/** Removes leading closing brackets and quotes, which an editor closes automatically. */
export function withoutClosers(text: string): string {
  return text.replace(closers, '');
}

/** Removes closers at the end of a text that would duplicate those in the document. */
export const withoutDoubleClosers: Rule = (text, at) => {
  const lineEnd = at.suffix.indexOf('\n');
  // The rest of the cursor's line is covered by the range that a suggestion replaces.
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

/** Tells whether a text closes more than is open before the cursor and unclosed after it. */
export function closesTooMuch(text: string, at: RawCompletion): boolean {
  const { prefix, suffix } = near(at);
  const before = pairBrackets(prefix, at.languageId);
  const closed = pairBrackets(suffix, at.languageId).closers.length;
  const opened = before.openers.length;
  const own = pairBrackets(text, at.languageId);
  const closedAfter = Math.min(Math.max(0, closed - own.openers.length), opened);
  return before.inside === null && own.closers.length > 0 && own.closers.length + closedAfter > opened;
}

/**
 * Fits a suggestion to the rest of the cursor's line. Returns the text and the number of characters after the cursor that it replaces.
 * Closers that the text also contains are replaced. Other text that it would repeat is cut off.
 */
export function fitToTail(text: string, after: string): { text: string; replaces: number } {
  const tail = (after.split('\n', 1)[0] ?? '').trimEnd();
  if (tail === '') return { text, replaces: 0 };
  const said = text.trimEnd();
  const isAgain = /\w/.test(tail) && tail.length > 2 && said.endsWith(tail) && !said.includes('\n');
  if (isAgain) return { text: said.slice(0, -tail.length), replaces: 0 };
  const replaces = repeatedTail(text, tail);
  if (replaces > 0 && text === tail.slice(0, replaces)) return { text: '', replaces: 0 };
  return { text, replaces };
}

/** Returns the length of the tail that a text repeats: its unopened closers, and what follows them. */
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

/** Returns the unopened closers of a text. A quote that begins the tail counts if it has no partner in the text. */
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
