import type { DiffLine } from '../../../protocol/text/diffLines';

/** Part of a line from `start` to `end`. Both are 0-based. `end` is exclusive. */
export interface ChangedWords {
  start: number;
  end: number;
}

/** Maximum changed share of a line. If more has changed, the whole line counts as different and no part is marked. */
const maxShare = 0.7;

/**
 * Returns the part of each line that differs from the corresponding line. Returns null for lines
 * without a counterpart or with little in common.
 */
export function changedWords(lines: readonly DiffLine[]): (ChangedWords | null)[] {
  const parts: (ChangedWords | null)[] = lines.map(() => null);
  for (let at = 0; at < lines.length;) {
    const removed = runLength(lines, at, 'removed');
    const added = runLength(lines, at + removed, 'added');
    if (removed === added)
      for (let nth = at; nth < at + removed; nth++) {
        const [before, after] = cutChangedParts(lines[nth]?.text ?? '', lines[nth + removed]?.text ?? '');
        parts[nth] = before;
        parts[nth + removed] = after;
      }
    at += Math.max(1, removed + added);
  }
  return parts;
}

function runLength(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return end - from;
}

/** Returns the part of each line from the first to the last different word. */
function cutChangedParts(before: string, after: string): [ChangedWords | null, ChangedWords | null] {
  const old = splitWords(before);
  const current = splitWords(after);
  const least = Math.min(old.length, current.length);
  let first = 0;
  while (first < least && old[first] === current[first]) first += 1;
  let last = 0;
  while (last < least - first && old.at(-1 - last) === current.at(-1 - last)) last += 1;
  const part = (words: readonly string[], length: number): ChangedWords => ({
    start: sumLengths(words.slice(0, first)),
    end: length - sumLengths(words.slice(words.length - last)),
  });
  const left = part(old, before.length);
  const right = part(current, after.length);
  const share = Math.max((left.end - left.start) / (before.length || 1), (right.end - right.start) / (after.length || 1));
  if (share > maxShare) return [null, null];
  return [left.end > left.start ? left : null, right.end > right.start ? right : null];
}

function splitWords(line: string): string[] {
  return line.match(/[\p{L}\p{N}\p{M}_]+|\s+|./gsu) ?? [];
}

function sumLengths(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0);
}
