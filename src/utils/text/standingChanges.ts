import type { Hunk } from './hunk';
import { diffLines } from './lineDiff';

/**
 * Place at which a text still has what somebody (`left`) made of an earlier one (`base`), whatever others have made of the rest. Lines
 * count from 0, ends are left out.
 */
export interface StandingChange {
  /** The lines of the base that are not in the text any more. */
  baseStart: number;
  baseEnd: number;
  /** The lines of the text that were written in their place and stand as they were written, rising. */
  lines: number[];
  /** The place in the text: from the first to behind the last of `lines`; where there are none, the line before which the old ones would be. */
  start: number;
  end: number;
  /** True if somebody else has rewritten lines that had replaced others of the base, so that only a person can decide what is to be. */
  isContested: boolean;
}

/** Replaces the lines from `start` to `end`. */
export interface LineEdit {
  start: number;
  end: number;
  lines: string[];
}

/** Returns the lines of a text as editors count them: the last one is empty where the text ends with a line end. */
export function linesOf(text: string): string[] {
  return text.split('\n');
}

/**
 * Returns the changes between `base` and `left` that still stand in `now`, in order. Lines that are in `now` but neither in `left` nor were
 * in that place of `base` are somebody else's: they belong to no change, and undoing one leaves them.
 */
export function standingChanges(base: readonly string[], left: readonly string[], now: readonly string[]): StandingChange[] {
  const written = writtenHunks(base, left);
  if (written.length === 0) return [];
  return new Standing(base, left, now).of(written);
}

/** Last comparison by the written text, which changes seldom; the text around it changes with every key. */
const lastWritten = new WeakMap<readonly string[], { base: readonly string[]; hunks: readonly Hunk[] }>();

/** Compares like `diffLines`, at once if these very texts were compared before. */
function writtenHunks(base: readonly string[], left: readonly string[]): readonly Hunk[] {
  const known = lastWritten.get(left);
  if (known?.base === base) return known.hunks;
  const hunks = diffLines(base, left);
  lastWritten.set(left, { base, hunks });
  return hunks;
}

/** Returns the edits of `now` that take the changes back: each old line where the written one that it was replaced by stands. */
export function undoEdits(base: readonly string[], changes: readonly StandingChange[]): LineEdit[] {
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

/** Returns the edits of the base that put what stands of the changes into it. */
export function keepEdits(now: readonly string[], changes: readonly StandingChange[]): LineEdit[] {
  return changes.map(({ baseStart, baseEnd, lines }) => {
    return { start: baseStart, end: baseEnd, lines: lines.map((line) => now[line] ?? '') };
  });
}

/** Edits in order, none of which touches another. */
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
 * Returns the part of a change that lies in the lines `from` to `to` of the text. A written line stands for the old one at the same place among
 * them, and the last one for all old ones that are left over. Undefined where nothing of it lies there.
 */
export function partOf(change: StandingChange, from: number, to: number): StandingChange | undefined {
  const { lines, baseStart, baseEnd, start } = change;
  if (lines.length === 0) return from <= start && start <= to ? change : undefined;
  const first = lines.findIndex((line) => line >= from && line < to);
  if (first < 0) return undefined;
  const last = lines.findLastIndex((line) => line >= from && line < to);
  const chosen = lines.slice(first, last + 1);
  return {
    ...{ ...change, lines: chosen, start: chosen[0] ?? start, end: (chosen.at(-1) ?? start) + 1 },
    baseStart: Math.min(baseStart + first, baseEnd),
    baseEnd: last === lines.length - 1 ? baseEnd : Math.min(baseStart + last + 1, baseEnd),
  };
}

/** A written hunk and what others have made of it. */
interface Place {
  hunk: Hunk;
  touching: Hunk[];
  stands: number[];
  restored: { base: number; now: number }[];
  /** The line of the text where it begins. */
  first: number;
}

class Standing {
  private readonly theirs: Hunk[];
  /** The first of `theirs` that may be of the next written hunk. */
  private next = 0;
  /** Old lines that somebody has brought back, as lines of `now`. */
  private readonly back = new Set<number>();
  /** Lines of `now` below this have been taken as those of an earlier change. */
  private taken = 0;

  constructor(
    private readonly base: readonly string[],
    left: readonly string[],
    private readonly now: readonly string[],
  ) {
    this.theirs = diffLines(left, now);
  }

  of(written: readonly Hunk[]): StandingChange[] {
    const places = written.map((hunk) => this.look(hunk));
    return places.flatMap((place) => this.changesIn(place));
  }

  private look(hunk: Hunk): Place {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = hunk;
    const touching = this.touching(afterStart, afterEnd);
    const shift = this.next === 0 ? 0 : shiftAfter(this.theirs[this.next - 1] as Hunk);
    const stands = standing(afterStart, afterEnd, touching, shift);
    const inserted = touching.flatMap(({ afterStart: start, afterEnd: end }) => range(Math.max(start, this.taken), end));
    const restored = this.restored(beforeStart, beforeEnd, inserted);
    const first = Math.max(placeAmong(touching, afterStart) ?? afterStart + shift, this.taken);
    this.taken = Math.max(this.taken, (stands.at(-1) ?? -1) + 1, (restored.at(-1)?.now ?? -1) + 1);
    for (const { now } of restored) this.back.add(now);
    return { hunk, touching, stands, restored, first };
  }

  private changesIn({ hunk, touching, stands, restored, first }: Place): StandingChange[] {
    const { beforeStart, beforeEnd, afterStart, afterEnd } = hunk;
    const isOwn = (line: number) => !this.back.has(line);
    // Where somebody has deleted all around, there is nothing left to bring old lines back to.
    const around = touching.find((other) => other.beforeStart < afterStart && other.beforeEnd > afterEnd);
    if (around && !range(around.afterStart, around.afterEnd).some(isOwn) && restored.length === 0) return [];
    const own = ownLines(touching, afterStart, afterEnd).filter(isOwn);
    const changes: StandingChange[] = [];
    let [fromBase, fromNow] = [beforeStart, -1];
    for (const anchor of [...restored, { base: beforeEnd, now: Infinity }]) {
      const isBetween = (line: number) => line > fromNow && line < anchor.now;
      const lines = stands.filter(isBetween);
      if (lines.length > 0 || fromBase < anchor.base) {
        const start = lines[0] ?? (fromNow < 0 ? Math.min(first, anchor.now) : fromNow + 1);
        changes.push({
          ...{ baseStart: fromBase, baseEnd: anchor.base, lines, start, end: (lines.at(-1) ?? start - 1) + 1 },
          isContested: fromBase < anchor.base && own.some(isBetween),
        });
      }
      [fromBase, fromNow] = [anchor.base + 1, anchor.now];
    }
    return changes;
  }

  /**
   * Returns what others have made of the lines `start` to `end`, or put between and right beside them; where there are no lines also what
   * they have made of those beside, as that may hold the old ones.
   */
  private touching(start: number, end: number): Hunk[] {
    const isEmpty = start === end;
    const isBefore = (hunk: Hunk | undefined) =>
      hunk !== undefined && hunk.beforeStart < start && (isEmpty ? hunk.beforeEnd < start : hunk.beforeEnd <= start);
    while (isBefore(this.theirs[this.next])) this.next += 1;
    const found: Hunk[] = [];
    for (let index = this.next; index < this.theirs.length; index += 1) {
      const hunk = this.theirs[index] as Hunk;
      const isInsertion = hunk.beforeStart === hunk.beforeEnd;
      if (hunk.beforeStart < end || ((isInsertion || isEmpty) && hunk.beforeStart === end)) found.push(hunk);
      else break;
    }
    return found;
  }

  /** Old lines that somebody has brought back. */
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

/** The lines `start` to `end` that stand, as lines of the text after the hunks. */
function standing(start: number, end: number, hunks: readonly Hunk[], shift: number): number[] {
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

/** Lines that somebody has put in the place of written ones, or of all around them. */
function ownLines(hunks: readonly Hunk[], start: number, end: number): number[] {
  return hunks.flatMap(({ beforeStart, beforeEnd, afterStart, afterEnd }) => {
    const isOver =
      start < end ? Math.max(beforeStart, start) < Math.min(beforeEnd, end) : beforeStart < start && start < beforeEnd;
    return isOver ? range(afterStart, afterEnd) : [];
  });
}

/** Returns where the line `start` is, or what stands for it, where others have changed lines before it too. */
function placeAmong([first]: readonly Hunk[], start: number): number | undefined {
  if (first === undefined || first.beforeStart >= start) return undefined;
  return first.beforeEnd <= start ? first.afterEnd : first.afterStart;
}

function shiftAfter({ beforeEnd, afterEnd }: Hunk): number {
  return afterEnd - beforeEnd;
}

function range(start: number, end: number): number[] {
  return Array.from({ length: Math.max(end - start, 0) }, (_, index) => start + index);
}
