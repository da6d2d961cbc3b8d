import type { Hunk } from './hunk';
import { diffArrays } from './jsdiff';
import { boundedDiff } from './lineDiff';

/** Characters `start` to `end` (from 0, the end left out) of a line. */
export interface WordRange {
  /** From 0, among the lines compared. */
  line: number;
  start: number;
  end: number;
}

/** Characters of both sides together beyond which words are not compared. */
const longest = 20_000;
/** Words removed and added beyond which the library is not used: its time grows with the square of them. */
const maxEditLength = 400;
/** Share of the new text's words that may differ; beyond it the lines have little in common, and marks of words would be noise. */
const mostNew = 0.6;

/** Returns the words of `after` that are not in `before`, in order. Empty where the lines have too little in common, or are too long. */
export function newWords(before: readonly string[], after: readonly string[]): WordRange[] {
  const [old, current] = [before.join('\n'), after.join('\n')];
  if (before.length === 0 || after.length === 0 || old.length + current.length > longest) return [];
  const tokens = tokensOf(current);
  const ranges: WordRange[] = [];
  let line = 0;
  let column = 0;
  let marked = 0;
  const hunks = diffWords(tokensOf(old), tokens);
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
  return total > 0 && marked / total <= mostNew ? ranges : [];
}

/** Returns the differences between two lists of words, in order. */
export function diffWords(before: readonly string[], after: readonly string[]): Hunk[] {
  const parts = diffArrays([...before], [...after], { maxEditLength });
  if (parts === undefined) return boundedDiff(before, after);
  const hunks: Hunk[] = [];
  let [old, now] = [0, 0];
  for (const { added, removed, count } of parts) {
    const last = hunks.at(-1);
    const hunk = {
      beforeStart: old,
      beforeEnd: old + (added ? 0 : count),
      afterStart: now,
      afterEnd: now + (removed ? 0 : count),
    };
    [old, now] = [hunk.beforeEnd, hunk.afterEnd];
    if (!added && !removed) continue;
    if (last?.beforeEnd === hunk.beforeStart && last.afterEnd === hunk.afterStart)
      Object.assign(last, { beforeEnd: old, afterEnd: now });
    else hunks.push(hunk);
  }
  return hunks;
}

/** Splits into words, runs of blanks, line ends, and single signs. */
export function tokensOf(text: string): string[] {
  return text.match(/\n|[^\S\n]+|[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
}
