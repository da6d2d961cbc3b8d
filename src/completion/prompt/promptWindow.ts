import { commonLength } from '../text/commonLength';

/** Number of lines by which the start of the prefix moves. */
const step = 64;
/** Number of lines by which the start moves if 64 lines would take most of the space. */
const smallStep = 8;
/** Number of characters by which the start moves if a whole line does not fit. */
const characterStep = 1024;

/**
 * Returns the end of a text within `maxChars`. It starts at a line number that is
 * a multiple of 64, so that the prompt cache stays valid while the user types.
 */
export function prefixWindow(before: string, maxChars: number): string {
  if (before.length <= maxChars) return before;
  const starts = lineStarts(before);
  const start = startAt(starts, before.length, maxChars, step);
  if (start !== undefined && before.length - start >= maxChars / 3) return before.slice(start);
  const near = startAt(starts, before.length, maxChars, smallStep);
  if (near !== undefined && before.length - near >= maxChars / 4) return before.slice(near);
  const from = before.length - maxChars;
  return before.slice(Math.min(before.length, from - (from % characterStep) + characterStep));
}

function startAt(starts: readonly number[], length: number, maxChars: number, lines: number): number | undefined {
  for (let line = 0; line < starts.length; line += lines) {
    const start = starts[line] ?? 0;
    if (length - start <= maxChars) return start;
  }
  return undefined;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

/** Returns the beginning of a text within `maxChars`. Returns whole lines if at least one fits. */
export function suffixWindow(after: string, maxChars: number): string {
  if (after.length <= maxChars) return after;
  const end = after.lastIndexOf('\n', maxChars);
  return after.slice(0, end > 0 ? end + 1 : maxChars);
}

/** Share of a suffix that may change before the new suffix is sent. */
const changedShare = 0.1;

/** Keeps sending the same suffix of a document while it is nearly unchanged, so that the prompt cache stays valid. */
export class SuffixKeeper {
  private kept: { uri: string; suffix: string; maxChars: number } | undefined;

  suffixFor(uri: string, after: string, maxChars: number): string {
    const fresh = suffixWindow(after, maxChars);
    const { kept } = this;
    if (kept?.uri === uri && kept.maxChars === maxChars && isNearlySame(kept.suffix, fresh)) return kept.suffix;
    this.kept = { uri, suffix: fresh, maxChars };
    return fresh;
  }
}

function isNearlySame(one: string, other: string): boolean {
  if (one === other) return true;
  if (firstWords(one) !== firstWords(other)) return false;
  const longest = Math.max(one.length, other.length);
  const shortest = Math.min(one.length, other.length);
  const head = commonLength(one, other);
  let tail = 0;
  while (tail < shortest - head && one.charCodeAt(one.length - 1 - tail) === other.charCodeAt(other.length - 1 - tail)) tail += 1;
  return longest - head - tail < longest * changedShare;
}

/**
 * Returns the rest of the line at the cursor without closing characters, separators and whitespace. If the result differs, the
 * cursor is at another position.
 */
function firstWords(suffix: string): string {
  return (suffix.split('\n', 1)[0] ?? '').replace(/[)\]}>"'`;,\s]+/g, '');
}
