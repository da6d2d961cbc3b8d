/** Equal lines of two lists, by index. */
export interface Anchor {
  a: number;
  b: number;
}

/** Assigns a number to each distinct line, so that lines can be compared as numbers. `kinds` is the number of distinct lines. */
export function internLines(
  before: readonly string[],
  after: readonly string[],
): { a: Int32Array; b: Int32Array; kinds: number } {
  const numbers = new Map<string, number>();
  const assignNumber = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const a = Int32Array.from(before, assignNumber);
  const b = Int32Array.from(after, assignNumber);
  return { a, b, kinds: numbers.size };
}

/** Finds lines that are unique in ranges of two lists. The lists contain numbers below `kinds`. */
export class UniqueLines {
  /** Line positions of each side, see `recordPositions`. All values are zero except during a search. */
  private readonly positionsA: Int32Array;
  private readonly positionsB: Int32Array;

  constructor(
    private readonly a: Int32Array,
    private readonly b: Int32Array,
    kinds: number,
  ) {
    this.positionsA = new Int32Array(kinds);
    this.positionsB = new Int32Array(kinds);
  }

  /** Returns the longest ordered list of lines that occur exactly once on each side. Ends are exclusive. */
  between(aStart: number, aEnd: number, bStart: number, bEnd: number): Anchor[] {
    const { a, b, positionsA: placesA, positionsB: placesB } = this;
    recordPositions(placesA, a, aStart, aEnd);
    recordPositions(placesB, b, bStart, bEnd);
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
}

/** Stores the 1-based position of each line. The value is negative if the line occurs more than once. */
function recordPositions(places: Int32Array, lines: Int32Array, start: number, end: number): void {
  for (let index = start; index < end; index += 1) {
    const line = lines[index] as number;
    places[line] = places[line] === 0 ? index + 1 : -1;
  }
}

/** Returns the longest list of anchors whose positions increase on both sides (patience sorting). */
function longestRising(anchors: readonly Anchor[]): Anchor[] {
  const tops: number[] = [];
  const previous = new Int32Array(anchors.length);
  anchors.forEach(({ b }, index) => {
    let low = 0;
    let high = tops.length;
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
