import type { RequestedCall } from './toolRunner';

export type LoopVerdict = 'go on' | 'nudge' | 'stop';

/** The same calls with the same results, in the same order, as often as this. */
const nudgeAt = 3;
const stopAt = 5;
/** Of calls that go round in turn, the longest round that is told from work. */
const longestRound = 6;
/** A round of several calls is no accident: it is stopped sooner. */
const stopRoundsAt = 4;

/**
 * Notices a model that makes the same call, or the same few calls in turn, again and again although the answers stay the same. It
 * is told once, and stopped when it goes on all the same.
 */
export class LoopGuard {
  private readonly marks: string[] = [];
  private found = { round: 1, times: 1 };
  private isNudged = false;

  observe(call: Pick<RequestedCall, 'name' | 'input'>, resultText: string): LoopVerdict {
    this.marks.push(stable([call.name, call.input, resultText]));
    if (this.marks.length > longestRound * stopAt) this.marks.shift();
    this.found = this.repetition();
    const { round, times } = this.found;
    if (times < nudgeAt) {
      if (times === 1) this.isNudged = false;
      return 'go on';
    }
    if (times >= (round === 1 ? stopAt : stopRoundsAt)) return 'stop';
    if (this.isNudged) return 'go on';
    this.isNudged = true;
    return 'nudge';
  }

  /** How many times in a row the last call, or round of calls, was made. */
  get repetitions(): number {
    return this.found.times;
  }

  /** How many different calls take turns. */
  get round(): number {
    return this.found.round;
  }

  /** The shortest round in which the last calls repeat themselves, and how often. */
  private repetition(): { round: number; times: number } {
    let best = { round: 1, times: 1 };
    for (let round = 1; round <= longestRound; round += 1) {
      let length = round;
      while (length < this.marks.length && this.markFromEnd(length) === this.markFromEnd(length - round)) length += 1;
      const times = Math.floor(length / round);
      if (times > best.times) best = { round, times };
    }
    return best;
  }

  private markFromEnd(offset: number): string | undefined {
    return this.marks[this.marks.length - 1 - offset];
  }
}

/** JSON in which the order of keys does not matter. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
