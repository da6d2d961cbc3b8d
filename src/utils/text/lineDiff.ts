import type { Hunk } from './hunk';
import { slideHunks } from './hunkSlide';
import { internLines, UniqueLines } from './uniqueLines';

/** Maximum number of search steps in a diff. Beyond the limit, the rest becomes one coarse but valid hunk. */
const maxSteps = 4_000_000;

/** Returns the line differences of two texts in order, with the same positions as in git. The result is deterministic. */
export function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  return slideHunks(boundedDiff(before, after), before, after);
}

/**
 * Returns the differences of two lists in order. Removes equal ends and uses items that are unique on both sides as anchors.
 * Between anchors, finds the shortest edit (Myers) within the step limit.
 */
export function boundedDiff(before: readonly string[], after: readonly string[]): Hunk[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  if (head === before.length && head === after.length) return [];
  // Lines in equal ends need no number.
  const { a, b, kinds } = internLines(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const diff = new LineDiff(a, b, kinds);
  diff.between(0, a.length, 0, b.length);
  return diff.hunks.map((hunk) => ({
    beforeStart: hunk.beforeStart + head,
    beforeEnd: hunk.beforeEnd + head,
    afterStart: hunk.afterStart + head,
    afterEnd: hunk.afterEnd + head,
  }));
}

class LineDiff {
  readonly hunks: Hunk[] = [];
  private stepsLeft = maxSteps;
  private readonly unique: UniqueLines;
  /** `kinds` is the number of distinct lines. */
  constructor(
    private readonly a: Int32Array,
    private readonly b: Int32Array,
    kinds: number,
  ) {
    this.unique = new UniqueLines(a, b, kinds);
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
    const anchors = this.unique.between(aStart, aEnd, bStart, bEnd);
    if (anchors.length === 0) {
      this.shortest(aStart, aEnd, bStart, bEnd);
      return;
    }
    let fromA = aStart;
    let fromB = bStart;
    for (const anchor of anchors) {
      this.between(fromA, anchor.a, fromB, anchor.b);
      fromA = anchor.a + 1;
      fromB = anchor.b + 1;
    }
    this.between(fromA, aEnd, fromB, bEnd);
  }

  /**
   * Runs Myers' algorithm from the start. Uses at most half of the remaining steps, so that one
   * difficult region does not make all others coarse.
   */
  private shortest(aStart: number, aEnd: number, bStart: number, bEnd: number): void {
    const { a, b } = this;
    const n = aEnd - aStart;
    const m = bEnd - bStart;
    const trace: Int32Array[] = [];
    let reach = new Int32Array(3);
    const reserve = this.stepsLeft / 2;
    for (let d = 0; d <= n + m; d += 1) {
      this.stepsLeft -= 2 * d + 1;
      if (this.stepsLeft < reserve) {
        this.add(aStart, aEnd, bStart, bEnd);
        return;
      }
      // `reach[k + d + 1]` is the position in `a` that diagonal k reaches with d changes.
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

  /** Converts the path of the search to hunks. */
  private walkBack(trace: readonly Int32Array[], aStart: number, bStart: number, n: number, m: number): void {
    const steps: Hunk[] = [];
    let x = n;
    let y = m;
    for (let d = trace.length - 1; d > 0; d -= 1) {
      const reach = trace[d - 1] as Int32Array;
      const k = x - y;
      const isDown = k === -d || (k !== d && at(reach, d, k - 1) < at(reach, d, k + 1));
      const fromX = isDown ? at(reach, d, k + 1) : at(reach, d, k - 1);
      const fromY = fromX - (isDown ? k + 1 : k - 1);
      const [toX, toY] = isDown ? [fromX, fromY + 1] : [fromX + 1, fromY];
      steps.push({
        beforeStart: aStart + fromX,
        beforeEnd: aStart + toX,
        afterStart: bStart + fromY,
        afterEnd: bStart + toY,
      });
      x = fromX;
      y = fromY;
    }
    for (const step of steps.reverse()) this.add(step.beforeStart, step.beforeEnd, step.afterStart, step.afterEnd);
  }

  /** Adds a hunk. Joins it with the previous hunk if they are adjacent. */
  private add(beforeStart: number, beforeEnd: number, afterStart: number, afterEnd: number): void {
    if (beforeStart === beforeEnd && afterStart === afterEnd) return;
    const last = this.hunks.at(-1);
    if (last?.beforeEnd === beforeStart && last.afterEnd === afterStart) {
      last.beforeEnd = beforeEnd;
      last.afterEnd = afterEnd;
    } else this.hunks.push({ beforeStart, beforeEnd, afterStart, afterEnd });
  }
}

/** Returns the value of diagonal `k` in the array for `d - 1` changes. */
function at(reach: Int32Array, d: number, k: number): number {
  return reach[k + d] ?? -1;
}
