import { countChangedLines, computeHunks, type FileHunk, type FileTexts } from './fileHunks';
import type { TextChange } from '../../utils/text/textChanges';
import type { LineRange, ReviewHunk } from './reviewTypes';

/** Returns the hunks in the current lines of a file. `turnOf` returns the message for which the agent wrote a hunk. */
export function reviewHunks(
  path: string,
  texts: FileTexts,
  now: readonly string[],
  turnOf: (hunk: FileHunk) => number,
): ReviewHunk[] {
  return computeHunks(texts, now).map((hunk) => {
    const { id, change, old, written } = hunk;
    return {
      id,
      path,
      range: { start: change.start, end: change.end },
      written: toRanges(change.lines),
      oldLines: old,
      newLines: written,
      isContested: change.isContested,
      turn: turnOf(hunk),
      ...countChangedLines([hunk], texts.base, now),
    };
  });
}

/** Moves hunks after a text change. They are recomputed when the user pauses typing. */
export function movedHunks(hunks: readonly ReviewHunk[], changes: readonly TextChange[]): ReviewHunk[] {
  const moves = changes.map(toMove).filter(({ delta, isInLine }) => delta !== 0 || !isInLine);
  if (moves.length === 0) return [...hunks];
  return hunks.map((hunk) => {
    const range = movedRange(hunk.range, moves);
    return range === hunk.range ? hunk : { ...hunk, range, written: hunk.written.map((lines) => movedRange(lines, moves)) };
  });
}

/** Moves a line range after a text change. */
export function movedLines(lines: LineRange, changes: readonly TextChange[]): LineRange {
  return movedRange(lines, changes.map(toMove));
}

interface Move {
  startLine: number;
  startCharacter: number;
  endLine: number;
  endCharacter: number;
  delta: number;
  isInLine: boolean;
}

function toMove({ text, ...place }: TextChange): Move {
  const delta = text.split('\n').length - 1 - (place.endLine - place.startLine);
  return { ...place, delta, isInLine: place.startLine === place.endLine };
}

function movedRange(range: LineRange, moves: readonly Move[]): LineRange {
  let { start, end } = range;
  const isEmpty = start === end;
  for (const move of moves) {
    const first = movedLine(start, move, !isEmpty);
    const last = movedLine(end, move, false);
    start = first;
    end = isEmpty ? first : Math.max(first, last);
  }
  return start === range.start && end === range.end ? range : { start, end };
}

/** Returns the new position of the start of a line. With `isFirst`, text inserted exactly at this position goes before the line. */
function movedLine(line: number, { startLine, startCharacter, endLine, endCharacter, delta }: Move, isFirst: boolean): number {
  const isAtStart = line === startLine && startCharacter === 0;
  if (line < startLine || (line === startLine && !isAtStart)) return line;
  if (isAtStart && (!isFirst || startLine !== endLine || endCharacter > 0)) return line;
  if (line > endLine || (line === endLine && endCharacter === 0)) return line + delta;
  // The line was in the replaced text.
  return Math.min(line, endLine + delta);
}

function toRanges(lines: readonly number[]): LineRange[] {
  const ranges: LineRange[] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last?.end === line) last.end = line + 1;
    else ranges.push({ start: line, end: line + 1 });
  }
  return ranges;
}
