import type { Hunk } from './hunk';
import { boundedDiff } from './lineDiff';
import { internLines, UniqueLines } from './uniqueLines';

/** Maximum number of cells in the table of the weighted search. Larger regions are compared without weights. */
const maxCells = 1_000_000;

/** Maximum weight of a line. */
export const mostWorth = 3;

/**
 * Aligns two lists of lines. For each line of `b`, returns the index of the equal line in `a`, or -1.
 * The indexes increase. Aligns as many lines as possible. Among alignments of the same length, chooses
 * one with the largest total weight of the lines of `a` (0 to `mostWorth`). Splits the lists at lines
 * that are unique on both sides, as `diffLines` does.
 */
export function alignLines(a: readonly string[], b: readonly string[], worth: (index: number) => number): Int32Array {
  const alignment = new Alignment(
    a,
    b,
    Uint8Array.from(a, (_line, index) => worth(index)),
  );
  alignment.between(0, a.length, 0, b.length);
  return alignment.found;
}

class Alignment {
  readonly found: Int32Array;
  private readonly a: Int32Array;
  private readonly b: Int32Array;
  private readonly unique: UniqueLines;

  constructor(
    a: readonly string[],
    b: readonly string[],
    private readonly worth: Uint8Array,
  ) {
    const numbers = internLines(a, b);
    this.a = numbers.a;
    this.b = numbers.b;
    this.unique = new UniqueLines(this.a, this.b, numbers.kinds);
    this.found = new Int32Array(b.length).fill(-1);
  }

  between(aStart: number, aEnd: number, bStart: number, bEnd: number): void {
    const { a, b, worth, found } = this;
    // Only a line with the maximum weight can be aligned immediately. For other lines, a
    // later equal line may have a higher weight.
    for (; aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart] && worth[aStart] === mostWorth; aStart += 1, bStart += 1)
      found[bStart] = aStart;
    for (; aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1] && worth[aEnd - 1] === mostWorth; aEnd -= 1, bEnd -= 1)
      found[bEnd - 1] = aEnd - 1;
    if (aStart === aEnd || bStart === bEnd) return;
    const anchors = this.unique.between(aStart, aEnd, bStart, bEnd);
    if (anchors.length === 0) {
      this.search(aStart, aEnd, bStart, bEnd);
      return;
    }
    let fromA = aStart;
    let fromB = bStart;
    for (const anchor of anchors) {
      this.between(fromA, anchor.a, fromB, anchor.b);
      found[anchor.b] = anchor.a;
      fromA = anchor.a + 1;
      fromB = anchor.b + 1;
    }
    this.between(fromA, aEnd, fromB, bEnd);
  }

  /** Finds the longest common subsequence with the largest weight, using a table of both sides. */
  private search(aStart: number, aEnd: number, bStart: number, bEnd: number): void {
    const { a, b, worth, found } = this;
    const n = aEnd - aStart;
    const m = bEnd - bStart;
    if (n * m > maxCells) {
      this.searchUnweighted(aStart, aEnd, bStart, bEnd);
      return;
    }
    const width = m + 1;
    const one = mostWorth * n + 1;
    // A cell contains the best sum for the rest of both sides: `one` for each line, plus its weight.
    const best = new Float64Array((n + 1) * width);
    for (let i = n - 1; i >= 0; i -= 1) {
      const here = one + (worth[aStart + i] as number);
      for (let j = m - 1; j >= 0; j -= 1) {
        const skipped = Math.max(best[(i + 1) * width + j] as number, best[i * width + j + 1] as number);
        const taken = a[aStart + i] === b[bStart + j] ? here + (best[(i + 1) * width + j + 1] as number) : 0;
        best[i * width + j] = Math.max(skipped, taken);
      }
    }
    for (let i = 0, j = 0; i < n && j < m;) {
      const sum = best[i * width + j] as number;
      const here = one + (worth[aStart + i] as number);
      if (a[aStart + i] === b[bStart + j] && sum === here + (best[(i + 1) * width + j + 1] as number)) {
        found[bStart + j] = aStart + i;
        i += 1;
        j += 1;
      } else if (sum === best[(i + 1) * width + j]) i += 1;
      else j += 1;
    }
  }

  private searchUnweighted(aStart: number, aEnd: number, bStart: number, bEnd: number): void {
    const texts = (list: Int32Array, start: number, end: number) => Array.from(list.subarray(start, end), String);
    const a = texts(this.a, aStart, aEnd);
    const b = texts(this.b, bStart, bEnd);
    pairLines(boundedDiff(a, b), a.length).forEach((index, at) => {
      if (index >= 0) this.found[bStart + at] = aStart + index;
    });
  }
}

/**
 * For each line of the second text, returns the index of the equal line in the first text, or -1.
 * `length` is the number of lines in the first text.
 */
export function pairLines(hunks: readonly Hunk[], length: number): number[] {
  const found: number[] = [];
  let place = 0;
  const add = (until: number) => {
    for (; place < until; place += 1) found.push(place);
  };
  for (const { beforeStart, beforeEnd, afterEnd } of hunks) {
    add(beforeStart);
    place = beforeEnd;
    while (found.length < afterEnd) found.push(-1);
  }
  add(length);
  return found;
}
