import type { Hunk } from './hunk';
import { diffLines } from './lineDiff';
import { applyEdits, splitEditorLines, type LineEdit } from './lineEdits';
import { editsBetween } from './editedBytes';

/**
 * Applies the difference between `base` and `wanted` to `now`, which is `base` with changes by others. Returns null if others
 * changed a line that the change replaces, or both lines between which it inserts. If both insert lines at the same position, the
 * lines of the change come first.
 */
export function rebasedText(base: string, wanted: string, now: string): string | null {
  if (now === base) return wanted;
  const lines = splitEditorLines(base);
  const present = splitEditorLines(now);
  const edits = rebasedEdits(editsBetween(lines, splitEditorLines(wanted)), lines, present);
  return edits && applyEdits(present, edits).join('\n');
}

/**
 * Returns a position between two lines (0-based) after `others` changed the text. If others replaced the lines around the
 * position, returns the start of the new lines, or their end if `isEnd` is true.
 */
export function movedPlace(others: readonly Hunk[], place: number, isEnd = false): number {
  const inside = others.find(({ beforeStart, beforeEnd }) => beforeStart <= place && place <= beforeEnd);
  if (inside !== undefined) return isEnd ? inside.afterEnd : inside.afterStart;
  const above = others.findLast(({ beforeEnd }) => beforeEnd < place);
  return place + (above === undefined ? 0 : above.afterEnd - above.beforeEnd);
}

/** Moves ordered edits of `base` to the corresponding lines in `now`. Returns null if others changed these lines. */
function rebasedEdits(edits: readonly LineEdit[], base: readonly string[], now: readonly string[]): LineEdit[] | null {
  const others = diffLines(base, now);
  const moved: LineEdit[] = [];
  let next = 0;
  let shift = 0;
  for (const { start, end, lines } of edits) {
    for (; next < others.length; next += 1) {
      const { beforeStart, beforeEnd, afterEnd } = others[next] as (typeof others)[number];
      // A change by others that ends here is above the edit. If it only inserts lines at
      // `start`, it stays below an insertion of the edit.
      const isAbove = beforeEnd < start || (beforeEnd === start && (beforeStart < beforeEnd || start < end));
      if (!isAbove) break;
      shift = afterEnd - beforeEnd;
    }
    const other = others[next];
    if (other !== undefined && isTouched(other.beforeStart, other.beforeEnd, start, end)) return null;
    moved.push({ start: start + shift, end: end + shift, lines });
  }
  return moved;
}

/**
 * Returns true if the lines `from` to `to` overlap the lines `start` to `end`. An empty range overlaps
 * the lines around it only if both are replaced.
 */
function isTouched(from: number, to: number, start: number, end: number): boolean {
  if (start === end) return from < start && start < to;
  if (from === to) return start < from && from < end;
  return from < end && start < to;
}
