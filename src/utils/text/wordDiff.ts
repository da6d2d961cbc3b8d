import type { Hunk } from './hunk';
import { diffArrays } from './jsdiff';
import { boundedDiff } from './lineDiff';

/** Characters `start` to `end` of a line. Both are 0-based. `end` is exclusive. */
export interface WordRange {
  /** Index of the line among the compared lines. */
  line: number;
  start: number;
  end: number;
}

/** Maximum length of both sides together, in characters. */
const maxLength = 20_000;
/** Maximum number of changed words for the library, because its run time is quadratic. */
const maxEditLength = 400;
/** Maximum share of new characters. Above it, the lines have little in common and highlighted words would not help. */
const maxNewShare = 0.6;

/**
 * Returns the words of `after` that are not in `before`, in order. Returns an empty list if the
 * lines have little in common or are too long.
 */
export function newWords(before: readonly string[], after: readonly string[]): WordRange[] {
  const old = before.join('\n');
  const current = after.join('\n');
  if (before.length === 0 || after.length === 0 || old.length + current.length > maxLength) return [];
  const tokens = splitTokens(current);
  const ranges: WordRange[] = [];
  let line = 0;
  let column = 0;
  let marked = 0;
  const hunks = diffWords(splitTokens(old), tokens);
  const isNew = new Set<number>();
  for (const { afterStart, afterEnd } of hunks) for (let at = afterStart; at < afterEnd; at++) isNew.add(at);
  tokens.forEach((token, at) => {
    if (token === '\n') {
      line += 1;
      column = 0;
      return;
    }
    if (isNew.has(at)) {
      marked += token.trim().length;
      const last = ranges.at(-1);
      if (last?.line === line && last.end === column) last.end = column + token.length;
      else ranges.push({ line, start: column, end: column + token.length });
    }
    column += token.length;
  });
  const total = current.replace(/\s+/g, '').length;
  return total > 0 && marked / total <= maxNewShare ? ranges : [];
}

/** Returns the differences of two word lists, in order. */
export function diffWords(before: readonly string[], after: readonly string[]): Hunk[] {
  const parts = diffArrays([...before], [...after], { maxEditLength });
  if (parts === undefined) return boundedDiff(before, after);
  const hunks: Hunk[] = [];
  let old = 0;
  let now = 0;
  for (const { added, removed, count } of parts) {
    const last = hunks.at(-1);
    const hunk = {
      beforeStart: old,
      beforeEnd: old + (added ? 0 : count),
      afterStart: now,
      afterEnd: now + (removed ? 0 : count),
    };
    old = hunk.beforeEnd;
    now = hunk.afterEnd;
    if (!added && !removed) continue;
    if (last?.beforeEnd === hunk.beforeStart && last.afterEnd === hunk.afterStart)
      Object.assign(last, { beforeEnd: old, afterEnd: now });
    else hunks.push(hunk);
  }
  return hunks;
}

/** Splits a text into words, sequences of whitespace, line breaks, and single symbols. */
export function splitTokens(text: string): string[] {
  return text.match(/\n|[^\S\n]+|[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
}
