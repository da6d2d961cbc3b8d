/** Maximum time between key presses in milliseconds. A longer time counts as a pause. */
const maxGap = 1000;
const remembered = 12;
const defaultGap = 160;
const maxDelay = 500;

/** Measures the typing speed, so that requests are sent only in pauses. */
export class TypingRhythm {
  private readonly gaps: number[] = [];
  private last: number | undefined;

  /** Records a key press. `now` is in milliseconds. */
  note(now: number): void {
    const gap = this.last === undefined ? Infinity : now - this.last;
    this.last = now;
    if (gap <= 0 || gap > maxGap) return;
    this.gaps.push(gap);
    if (this.gaps.length > remembered) this.gaps.shift();
  }

  /**
   * Returns the milliseconds to wait before a request. The delay is longer than the usual time between key presses, minus the
   * latency of the model. `divergences` is the number of consecutive requests that were useless because the user kept typing.
   */
  delay({
    latency,
    least,
    before,
    divergences,
  }: {
    latency: number;
    least: number;
    before: string;
    divergences: number;
  }): number {
    const gap = median(this.gaps) ?? defaultGap;
    const wanted = gap * (factorAt(before) + Math.min(divergences, 4) * 0.5) - latency;
    return Math.round(Math.max(least, Math.min(maxDelay, wanted), 0));
  }
}

/**
 * Returns the delay as a multiple of the usual time between key presses.
 * It is shorter after a space and after characters that require more text.
 */
function factorAt(before: string): number {
  if (/[.(\[{=,:>\n]\s*$/.test(before.slice(-40))) return 1;
  return /\s$/.test(before.slice(-1)) ? 1.2 : 1.6;
}

/** Returns the median, or undefined for an empty list. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)];
}
