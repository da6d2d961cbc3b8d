import { median } from './typingRhythm';

const remembered = 20;

/** Stores the time until each of the last twenty responses could be displayed. */
export class Latencies {
  private readonly last: number[] = [];

  note(ms: number): void {
    this.last.push(ms);
    if (this.last.length > remembered) this.last.shift();
  }

  /** Median in milliseconds. Null before the first response. */
  get p50(): number | null {
    return median(this.last) ?? null;
  }
}
