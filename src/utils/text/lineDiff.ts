import type { Hunk } from './hunk';
import { slideHunks } from './hunkSlide';

/** Steps of the search that a whole diff may take; what is beyond them becomes one coarse hunk, which is as valid. */
const budget = 4_000_000;

/** Returns the differences between two texts in lines, in order, at the places where git has them. The same texts always give the same. */
export function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  return slideHunks(boundedDiff(before, after), before, after);
}

/**
 * Returns the differences between two lists, in order. Equal ends are trimmed, items that are unique on both sides anchor the rest, and between
 * anchors the shortest edit is searched for (Myers) as long as that is affordable.
 */
export function boundedDiff(before: readonly string[], after: readonly string[]): Hunk[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  if (head === before.length && head === after.length) return [];
  // Most of two versions is the same, and is not numbered.
  const { a, b, kinds } = intern(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const diff = new LineDiff(a, b, kinds);
  diff.between(0, a.length, 0, b.length);
  return diff.hunks.map((hunk) => ({
    ...{ beforeStart: hunk.beforeStart + head, beforeEnd: hunk.beforeEnd + head },
    ...{ afterStart: hunk.afterStart + head, afterEnd: hunk.afterEnd + head },
  }));
}

/** Numbers each different line, so that lines are compared as numbers. */
function intern(before: readonly string[], after: readonly string[]): { a: Int32Array; b: Int32Array; kinds: number } {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const [a, b] = [Int32Array.from(before, numberOf), Int32Array.from(after, numberOf)];
  return { a, b, kinds: numbers.size };
}

interface Anchor {
  a: number;
  b: number;
}

class LineDiff {
  readonly hunks: Hunk[] = [];
  private left = budget;
  /** Places by line on a side, see `notePlaces`; empty except while anchors are looked for. */
  private readonly placesA: Int32Array;
  private readonly placesB: Int32Array;

  /** `kinds`: how many different lines there are. */
  constructor(
    private readonly a: Int32Array,
    private readonly b: Int32Array,
    kinds: number,
  ) {
    this.placesA = new Int32Array(kinds);
    this.placesB = new Int32Array(kinds);
  }

  between(aStart: number, aEnd: number, bStart: number, bEnd: number): void {
    const { a, b } = this;
    while (aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
      aStart += 1;
      bStart += 1;
    }
    while (aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
      aEnd -= 1;
      bEnd -= 1;
    }
    if (aStart === aEnd || bStart === bEnd) {
      this.add(aStart, aEnd, bStart, bEnd);
      return;
    }
    const anchors = this.anchors(aStart, aEnd, bStart, bEnd);
    if (anchors.length === 0) {
      this.shortest(aStart, aEnd, bStart, bEnd);
      return;
    }
    let [fromA, fromB] = [aStart, bStart];
    for (const anchor of anchors) {
      this.between(fromA, anchor.a, fromB, anchor.b);
      [fromA, fromB] = [anchor.a + 1, anchor.b + 1];
    }
    this.between(fromA, aEnd, fromB, bEnd);
  }

  /** Returns the lines that are there exactly once on each side, as many of them as are in the same order. */
  private anchors(aStart: number, aEnd: number, bStart: number, bEnd: number): Anchor[] {
    const { a, b, placesA, placesB } = this;
    notePlaces(placesA, a, aStart, aEnd);
    notePlaces(placesB, b, bStart, bEnd);
    const unique: Anchor[] = [];
    for (let index = aStart; index < aEnd; index += 1) {
      const line = a[index] as number;
      const inB = placesB[line] as number;
      if (placesA[line] === index + 1 && inB > 0) unique.push({ a: index, b: inB - 1 });
    }
    for (let index = aStart; index < aEnd; index += 1) placesA[a[index] as number] = 0;
    for (let index = bStart; index < bEnd; index += 1) placesB[b[index] as number] = 0;
    return longestRising(unique);
  }

  /** Myers from the front. It may take half of the steps that are left, so that one hard place does not coarsen all that follow. */
  private shortest(aStart: number, aEnd: number, bStart: number, bEnd: number): void {
    const { a, b } = this;
    const [n, m] = [aEnd - aStart, bEnd - bStart];
    const trace: Int32Array[] = [];
    let reach = new Int32Array(3);
    const reserve = this.left / 2;
    for (let d = 0; d <= n + m; d += 1) {
      this.left -= 2 * d + 1;
      if (this.left < reserve) {
        this.add(aStart, aEnd, bStart, bEnd);
        return;
      }
      // `reach[k + d + 1]`: how far along `a` the diagonal k gets with d changes.
      const next = new Int32Array(2 * d + 3);
      for (let k = -d; k <= d; k += 2) {
        const isDown = k === -d || (k !== d && at(reach, d, k - 1) < at(reach, d, k + 1));
        let x = d === 0 ? 0 : isDown ? at(reach, d, k + 1) : at(reach, d, k - 1) + 1;
        let y = x - k;
        while (x < n && y < m && a[aStart + x] === b[bStart + y]) {
          x += 1;
          y += 1;
        }
        next[k + d + 1] = x;
        if (x >= n && y >= m) {
          trace.push(next);
          this.walkBack(trace, aStart, bStart, n, m);
          return;
        }
      }
      trace.push(next);
      reach = next;
    }
  }

  /** Turns the way that the search has found into hunks. */
  private walkBack(trace: readonly Int32Array[], aStart: number, bStart: number, n: number, m: number): void {
    const steps: Hunk[] = [];
    let [x, y] = [n, m];
    for (let d = trace.length - 1; d > 0; d -= 1) {
      const reach = trace[d - 1] as Int32Array;
      const k = x - y;
      const isDown = k === -d || (k !== d && at(reach, d, k - 1) < at(reach, d, k + 1));
      const fromX = isDown ? at(reach, d, k + 1) : at(reach, d, k - 1);
      const fromY = fromX - (isDown ? k + 1 : k - 1);
      const [toX, toY] = isDown ? [fromX, fromY + 1] : [fromX + 1, fromY];
      steps.push({
        ...{ beforeStart: aStart + fromX, beforeEnd: aStart + toX },
        ...{ afterStart: bStart + fromY, afterEnd: bStart + toY },
      });
      [x, y] = [fromX, fromY];
    }
    for (const step of steps.reverse()) this.add(step.beforeStart, step.beforeEnd, step.afterStart, step.afterEnd);
  }

  /** Hunks that touch are one. */
  private add(beforeStart: number, beforeEnd: number, afterStart: number, afterEnd: number): void {
    if (beforeStart === beforeEnd && afterStart === afterEnd) return;
    const last = this.hunks.at(-1);
    if (last?.beforeEnd === beforeStart && last.afterEnd === afterStart) {
      last.beforeEnd = beforeEnd;
      last.afterEnd = afterEnd;
    } else this.hunks.push({ beforeStart, beforeEnd, afterStart, afterEnd });
  }
}

/** Returns the value of diagonal `k` in the search's array for `d - 1` changes. */
function at(reach: Int32Array, d: number, k: number): number {
  return reach[k + d] ?? -1;
}

/** Notes for each line where it is, counted from 1; negative where it is more than once. */
function notePlaces(places: Int32Array, lines: Int32Array, start: number, end: number): void {
  for (let index = start; index < end; index += 1) {
    const line = lines[index] as number;
    places[line] = places[line] === 0 ? index + 1 : -1;
  }
}

/** Returns the longest run of anchors whose places rise on both sides (patience sorting). */
function longestRising(anchors: readonly Anchor[]): Anchor[] {
  const tops: number[] = [];
  const previous = new Int32Array(anchors.length);
  anchors.forEach(({ b }, index) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((anchors[tops[middle] as number] as Anchor).b < b) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (tops[low - 1] as number);
    tops[low] = index;
  });
  const rising: Anchor[] = [];
  for (let index = tops.at(-1) ?? -1; index >= 0; index = previous[index] as number) rising.push(anchors[index] as Anchor);
  return rising.reverse();
}
