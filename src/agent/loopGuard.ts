import { steadyText } from './steadyText';
import type { RequestedCall } from './toolRunner';

export type LoopVerdict = 'go on' | 'nudge' | 'stop';

/** So often in a row calls may be made: alone, and as a round of several, which is no accident. */
interface Limits {
  alone: number;
  inTurn: number;
}

const nudgeAt = 3;
/** Where the results are the same to the letter. */
const sameStopAt: Limits = { alone: 5, inTurn: 4 };
/** Where they differ in times and the like alone: something may be waited for. */
const alikeStopAt: Limits = { alone: 8, inTurn: 6 };
/** Of calls that go round in turn, the longest round that is told from work. */
const longestRound = 6;
/** For whoever asks how long something runs already, time that passes is news; when it has ended, none passes. */
const waitingTools: ReadonlySet<string> = new Set(['get_terminal_output']);

/**
 * Notices a model that makes the same call, or the same few calls in turn, again and again although the answers stay the same, or
 * differ only in what varies by itself (`steadyText`). It is told once, and stopped when it goes on all the same.
 */
export class LoopGuard {
  private readonly same: string[] = [];
  private readonly alike: string[] = [];
  private found = { round: 1, times: 1 };
  private isNudged = false;

  observe({ name, input }: Pick<RequestedCall, 'name' | 'input'>, resultText: string): LoopVerdict {
    note(this.same, stable([name, input, resultText]));
    note(this.alike, stable([name, input, waitingTools.has(name) ? resultText : steadyText(resultText)]));
    this.found = repetition(this.alike);
    if (this.found.times < nudgeAt) {
      if (this.found.times === 1) this.isNudged = false;
      return 'go on';
    }
    if (isOver(this.found, alikeStopAt) || isOver(repetition(this.same), sameStopAt)) return 'stop';
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
}

function note(marks: string[], mark: string): void {
  marks.push(mark);
  if (marks.length > longestRound * alikeStopAt.alone) marks.shift();
}

function isOver({ round, times }: { round: number; times: number }, { alone, inTurn }: Limits): boolean {
  return times >= (round === 1 ? alone : inTurn);
}

/** The shortest round in which the last calls repeat themselves, and how often. */
function repetition(marks: readonly string[]): { round: number; times: number } {
  let best = { round: 1, times: 1 };
  for (let round = 1; round <= longestRound; round += 1) {
    let length = round;
    while (length < marks.length && marks.at(-1 - length) === marks.at(-1 - length + round)) length += 1;
    const times = Math.floor(length / round);
    if (times > best.times) best = { round, times };
  }
  return best;
}

/** JSON in which the order of keys does not matter. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
