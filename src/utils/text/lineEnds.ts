import { diffLines } from './lineDiff';
import { withLineEnds } from './textFile';
import { splitLines } from './unifiedDiff';

/**
 * Returns `after` with the line breaks of `before` on unchanged lines, and `lineEnd` on
 * all others. A text can contain both kinds.
 */
export function keepLineEnds(before: string, after: string, lineEnd: '\n' | '\r\n'): string {
  const even = withLineEnds(after, lineEnd);
  if (withLineEnds(before, lineEnd) === before && !before.includes('\r\r\n')) return even;
  const old = splitLines(before);
  const result = splitLines(even);
  let from = 0;
  let to = 0;
  const keep = (end: number): void => {
    for (; from < end; from += 1, to += 1) result[to] = old[from] as string;
  };
  const [a, b] = [old, result].map((lines) => lines.map((line) => line.replace(/\r*\n$/, '\n')));
  for (const { beforeStart, beforeEnd, afterEnd } of diffLines(a ?? [], b ?? [])) {
    keep(beforeStart);
    from = beforeEnd;
    to = afterEnd;
  }
  keep(old.length);
  return result.join('');
}
