/**
 * Truncates text for models and views only between user-perceived characters (grapheme clusters). An emoji with its skin
 * tone, or a letter with its accents, stays whole. Lengths are in UTF-16 units, as in `String.length`.
 */

/** Maximum distance to search for the ends of a character. A longer cluster is split between code points. */
const reach = 64;

let segmenter: Intl.Segmenter | undefined;

/** Returns the start of a text, at most `max` long. */
export function cutHead(text: string, max: number): string {
  return text.slice(0, boundary(text, max, 'before'));
}

/** Returns the end of a text, at most `max` long. */
export function cutTail(text: string, max: number): string {
  return text.slice(boundary(text, text.length - max, 'after'));
}

/** Returns the part of a text from `start` to `end`. The part is shorter if `start` or `end` is inside a character. */
export function cutMiddle(text: string, start: number, end: number): string {
  return text.slice(boundary(text, start, 'after'), boundary(text, end, 'before'));
}

/** Returns the text if it is at most `max` long. Otherwise, truncates it to this length, including a final `…`. */
export function shortened(text: string, max: number): string {
  return text.length > max ? `${cutHead(text, max - 1)}…` : text;
}

/** Returns the nearest position before or after `at` that is between two characters. */
function boundary(text: string, at: number, side: 'before' | 'after'): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  // Most cuts are in plain text, which needs no segmenter.
  if (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at))) return at;
  const start = between(text, Math.max(0, at - reach), 'before');
  // eslint-disable-next-line no-restricted-globals -- Character boundaries are the same in every display language.
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  const found = segmenter.segment(text.slice(start, at + reach)).containing(at - start);
  if (found === undefined || found.segment.length >= reach) return between(text, at, side);
  if (start + found.index === at) return at;
  return side === 'before' ? start + found.index : start + found.index + found.segment.length;
}

/** Returns true for a UTF-16 unit that never joins the previous one. */
function isPlain(unit: number): boolean {
  return unit >= 0x20 && unit < 0x300;
}

/** Returns the nearest position before or after `at` that is not inside a surrogate pair. */
function between(text: string, at: number, side: 'before' | 'after'): number {
  const isInside = isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1));
  return isInside ? at + (side === 'before' ? -1 : 1) : at;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
