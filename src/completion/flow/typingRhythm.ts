/** Gaps between keys that are longer are pauses, not rhythm. */
const longestGap = 1000;
const remembered = 12;
const defaultGap = 160;
const longestDelay = 500;

/** Learns how fast somebody types, to ask when they pause and not before. */
export class TypingRhythm {
  private readonly gaps: number[] = [];
  private last: number | undefined;

  /** Notes a key at this moment, in milliseconds. */
  note(now: number): void {
    const gap = this.last === undefined ? Infinity : now - this.last;
    this.last = now;
    if (gap <= 0 || gap > longestGap) return;
    this.gaps.push(gap);
    if (this.gaps.length > remembered) this.gaps.shift();
  }

  /**
   * Returns the milliseconds to wait before a request: longer than the usual gap between two keys, less what the model takes anyway.
   * `departures`: requests in a row that were for nothing, since something else was typed.
   */
  delay({ latency, least, before, departures }: { latency: number; least: number; before: string; departures: number }): number {
    const gap = middleOf(this.gaps) ?? defaultGap;
    const wanted = gap * (factorAt(before) + Math.min(departures, 4) * 0.5) - latency;
    return Math.round(Math.max(least, Math.min(longestDelay, wanted), 0));
  }
}

/** Returns how long to wait in gaps: at the end of a word or after what asks for more, somebody looks up sooner. */
function factorAt(before: string): number {
  if (/[.(\[{=,:>\n]\s*$/.test(before.slice(-40))) return 1;
  return /\s$/.test(before.slice(-1)) ? 1.2 : 1.6;
}

/** Returns the median; undefined of nothing. */
export function middleOf(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
