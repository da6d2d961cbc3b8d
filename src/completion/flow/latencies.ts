import { median } from './typingRhythm';

const remembered = 20;

/** Holds the durations until the last twenty answers could be shown. */
export class Latencies {
  private readonly last: number[] = [];

  note(ms: number): void {
    this.last.push(ms);
    if (this.last.length > remembered) this.last.shift();
  }

  /** Median in milliseconds; null before the first answer. */
  get p50(): number | null {
    return median(this.last) ?? null;
  }
}
