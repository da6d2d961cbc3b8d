import type { Hunk } from './hunk';
import { diffLines } from './lineDiff';

/**
 * Part of a change from `base` to `left` that still exists in a text that others have edited further. Lines
 * count from 0; ends are exclusive.
 */
export interface SurvivingChange {
  /** Lines of the base that the text no longer contains. */
  baseStart: number;
  baseEnd: number;
  /** Lines of the text that replaced them and are unchanged since, ascending. */
  lines: number[];
  /**
   * Range in the text: from the first to after the last of `lines`. Without lines, the line before which the old ones would be inserted.
   */
  start: number;
  end: number;
  /** True if others have rewritten lines that had replaced lines of the base, so that only the user can resolve it. */
  isContested: boolean;
}

/** Replacement of the lines from `start` to `end`. */
export interface LineEdit {
  start: number;
  end: number;
  lines: string[];
}

/** Returns the lines of a text as editors count them. The last one is empty if the text ends with a line break. */
export function linesOf(text: string): string[] {
  return text.split('\n');
}

/**
 * Returns the changes from `base` to `left` that still exist in `now`, in order. Lines of `now` that were neither in `left` nor at that
 * place in `base` belong to others: they are part of no change, and undoing a change keeps them.
 */
export function survivingChanges(base: readonly string[], left: readonly string[], now: readonly string[]): SurvivingChange[] {
  const written = writtenHunks(base, left);
  if (written.length === 0) return [];
  return new SurvivingEdits(base, left, now).of(written);
}

/** Cache of the last comparison by written text. It rarely changes, while the current text changes with every key. */
const lastWritten = new WeakMap<readonly string[], { base: readonly string[]; hunks: readonly Hunk[] }>();

/** Compares like `diffLines`, with a cached result for identical texts. */
function writtenHunks(base: readonly string[], left: readonly string[]): readonly Hunk[] {
  const known = lastWritten.get(left);
  if (known?.base === base) return known.hunks;
  const hunks = diffLines(base, left);
  lastWritten.set(left, { base, hunks });
  return hunks;
}

/** Returns the edits of `now` that undo the changes. Each old line replaces the written line at its place. */
export function undoEdits(base: readonly string[], changes: readonly SurvivingChange[]): LineEdit[] {
  const edits: LineEdit[] = [];
  const add = (start: number, end: number, lines: string[]) => {
    const last = edits.at(-1);
    if (last?.end === start) {
      last.end = end;
      last.lines.push(...lines);
    } else edits.push({ start, end, lines });
  };
  for (const { baseStart, baseEnd, lines, start } of changes) {
    const old = base.slice(baseStart, baseEnd);
    lines.forEach((line, index) => {
      const isLast = index === lines.length - 1;
      add(line, line + 1, isLast ? old.slice(index) : old.slice(index, index + 1));
    });
    if (lines.length === 0) add(start, start, old);
  }
  return edits;
}

/** Returns the edits that apply the surviving parts of changes to the base. */
export function keepEdits(now: readonly string[], changes: readonly SurvivingChange[]): LineEdit[] {
  return changes.map(({ baseStart, baseEnd, lines }) => {
    return { start: baseStart, end: baseEnd, lines: lines.map((line) => now[line] ?? '') };
  });
}

/** Applies ordered edits that do not overlap. */
export function applyEdits(lines: readonly string[], edits: readonly LineEdit[]): string[] {
  const result: string[] = [];
  let place = 0;
  for (const { start, end, lines: added } of edits) {
    for (; place < start; place += 1) result.push(lines[place] ?? '');
    for (const line of added) result.push(line);
    place = end;
  }
  for (; place < lines.length; place += 1) result.push(lines[place] ?? '');
  return result;
}

/**
 * Returns the part of a change in the lines `from` to `to` of the text. Each written line corresponds to the old line at the same index,
 * and the last one to all remaining old lines. Undefined if no part is in the range.
 */
export function partOf(change: SurvivingChange, from: number, to: number): SurvivingChange | undefined {
  const { lines, baseStart, baseEnd, start } = change;
  if (lines.length === 0) return from <= start && start <= to ? change : undefined;
  const first = lines.findIndex((line) => line >= from && line < to);
  if (first < 0) return undefined;
  const last = lines.findLastIndex((line) => line >= from && line < to);
  const chosen = lines.slice(first, last + 1);
  return {
    ...change,
    lines: chosen,
    start: chosen[0] ?? start,
    end: (chosen.at(-1) ?? start) + 1,
    baseStart: Math.min(baseStart + first, baseEnd),
    baseEnd: last === lines.length - 1 ? baseEnd : Math.min(baseStart + last + 1, baseEnd),
  };
}

/** Written hunk and its edits by others. */
interface WrittenPlace {
  hunk: Hunk;
  touching: Hunk[];
  stands: number[];
  restored: { base: number; now: number }[];
  /** Line of the text where the hunk starts. */
  first: number;
}

class SurvivingEdits {
  private readonly editsByOthers: Hunk[];
  /** Index of the first of `editsByOthers` that may affect the next written hunk. */
  private next = 0;
  /** Old lines that others have restored, as lines of `now`. */
  private readonly restoredLines = new Set<number>();
  /** Lines of `now` below this belong to earlier changes. */
  private taken = 0;

  constructor(
    private readonly base: readonly string[],
    left: readonly string[],
    private readonly now: readonly string[],
  ) {
    this.editsByOthers = diffLines(left, now);
  }

  of(written: readonly Hunk[]): SurvivingChange[] {
    const places = written.map((hunk) => this.inspect(hunk));
    return places.flatMap((place) => this.changesIn(place));
  }

  private inspect(hunk: Hunk): WrittenPlace {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = hunk;
    const touching = this.touching(afterStart, afterEnd);
    const shift = this.next === 0 ? 0 : shiftAfter(this.editsByOthers[this.next - 1] as Hunk);
    const stands = survivingLines(afterStart, afterEnd, touching, shift);
    const inserted = touching.flatMap(({ afterStart: start, afterEnd: end }) => range(Math.max(start, this.taken), end));
    const restored = this.restored(beforeStart, beforeEnd, inserted);
    const first = Math.max(positionOf(touching, afterStart) ?? afterStart + shift, this.taken);
    this.taken = Math.max(this.taken, (stands.at(-1) ?? -1) + 1, (restored.at(-1)?.now ?? -1) + 1);
    for (const { now } of restored) this.restoredLines.add(now);
    return { hunk, touching, stands, restored, first };
  }

  private changesIn({ hunk, touching, stands, restored, first }: WrittenPlace): SurvivingChange[] {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = hunk;
    const isOwn = (line: number) => !this.restoredLines.has(line);
    // If others have deleted the whole surroundings, there is no place to restore old lines to.
    const around = touching.find((other) => other.beforeStart < afterStart && other.beforeEnd > afterEnd);
    if (around && !range(around.afterStart, around.afterEnd).some(isOwn) && restored.length === 0) return [];
    const own = linesByOthers(touching, afterStart, afterEnd).filter(isOwn);
    const changes: SurvivingChange[] = [];
    let [fromBase, fromNow] = [beforeStart, -1];
    for (const anchor of [...restored, { base: beforeEnd, now: Infinity }]) {
      const isBetween = (line: number) => line > fromNow && line < anchor.now;
      const lines = stands.filter(isBetween);
      if (lines.length > 0 || fromBase < anchor.base) {
        const start = lines[0] ?? (fromNow < 0 ? Math.min(first, anchor.now) : fromNow + 1);
        changes.push({
          baseStart: fromBase,
          baseEnd: anchor.base,
          lines,
          start,
          end: (lines.at(-1) ?? start - 1) + 1,
          isContested: fromBase < anchor.base && own.some(isBetween),
        });
      }
      [fromBase, fromNow] = [anchor.base + 1, anchor.now];
    }
    return changes;
  }

  /**
   * Returns the edits by others of the lines `start` to `end`, between them and directly next to them. For an empty range, also the edits
   * of the neighbouring lines, which may contain the old lines.
   */
  private touching(start: number, end: number): Hunk[] {
    const isEmpty = start === end;
    const isBefore = (hunk: Hunk | undefined) =>
      hunk !== undefined && hunk.beforeStart < start && (isEmpty ? hunk.beforeEnd < start : hunk.beforeEnd <= start);
    while (isBefore(this.editsByOthers[this.next])) this.next += 1;
    const found: Hunk[] = [];
    for (let index = this.next; index < this.editsByOthers.length; index += 1) {
      const hunk = this.editsByOthers[index] as Hunk;
      const isInsertion = hunk.beforeStart === hunk.beforeEnd;
      if (hunk.beforeStart < end || ((isInsertion || isEmpty) && hunk.beforeStart === end)) found.push(hunk);
      else break;
    }
    return found;
  }

  /** Returns old lines that others have restored. */
  private restored(start: number, end: number, inserted: readonly number[]): { base: number; now: number }[] {
    if (start === end || inserted.length === 0) return [];
    const [old, present] = [this.base.slice(start, end), inserted.map((line) => this.now[line] ?? '')];
    const found: { base: number; now: number }[] = [];
    let [a, b] = [0, 0];
    const differing = [...diffLines(old, present), { beforeStart: old.length, beforeEnd: 0, afterStart: 0, afterEnd: 0 }];
    for (const { beforeStart, beforeEnd, afterEnd } of differing) {
      for (; a < beforeStart; a += 1, b += 1) found.push({ base: start + a, now: inserted[b] as number });
      [a, b] = [beforeEnd, afterEnd];
    }
    return found;
  }
}

/** Returns the unchanged lines from `start` to `end`, as lines of the text after the hunks. */
function survivingLines(start: number, end: number, hunks: readonly Hunk[], shift: number): number[] {
  const lines: number[] = [];
  let place = start;
  for (const hunk of hunks) {
    for (; place < Math.min(hunk.beforeStart, end); place += 1) lines.push(place + shift);
    place = Math.max(place, hunk.beforeEnd);
    shift = shiftAfter(hunk);
  }
  for (; place < end; place += 1) lines.push(place + shift);
  return lines;
}

/** Returns lines that others have written in place of written lines or of a region around them. */
function linesByOthers(hunks: readonly Hunk[], start: number, end: number): number[] {
  return hunks.flatMap(({ beforeStart, beforeEnd, afterStart, afterEnd }) => {
    const isOver =
      start < end ? Math.max(beforeStart, start) < Math.min(beforeEnd, end) : beforeStart < start && start < beforeEnd;
    return isOver ? range(afterStart, afterEnd) : [];
  });
}

/** Returns the position of line `start` or of its replacement, if others have also changed lines before it. */
function positionOf([first]: readonly Hunk[], start: number): number | undefined {
  if (first === undefined || first.beforeStart >= start) return undefined;
  return first.beforeEnd <= start ? first.afterEnd : first.afterStart;
}

function shiftAfter({ beforeEnd, afterEnd }: Hunk): number {
  return afterEnd - beforeEnd;
}

function range(start: number, end: number): number[] {
  return Array.from({ length: Math.max(end - start, 0) }, (_, index) => start + index);
}
