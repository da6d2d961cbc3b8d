import { middleOf } from './typingRhythm';

const remembered = 20;

/** Remembers how long the last twenty answers took until they could be shown. */
export class Latencies {
  private readonly last: number[] = [];

  note(ms: number): void {
    this.last.push(ms);
    if (this.last.length > remembered) this.last.shift();
  }

  /** Median in milliseconds; null before the first answer. */
  get p50(): number | null {
    return middleOf(this.last) ?? null;
  }
}
