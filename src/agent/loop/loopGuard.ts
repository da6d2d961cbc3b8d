import { createHash } from 'node:crypto';
import { CallKinds } from './nearness';
import { normalizeForLoopDetection } from './normalizeForLoopDetection';
import type { RequestedCall } from '../kernel/requestedCall';

export type LoopVerdict = 'go on' | 'nudge' | 'stop';
/** Repeated calls and results are the same to the letter, the same but for times and the like, or nearly the same. */
export type Likeness = 'same' | 'times' | 'near';

/** Numbers of calls in a row that are allowed: of one call alone, and of rounds of several, which are no accident. */
interface Limits {
  alone: number;
  inTurn: number;
}

interface Patience {
  nudgeAt: number;
  stopAt: Limits;
}

/** Limits for results that are the same to the letter. */
const forSame: Patience = { nudgeAt: 3, stopAt: { alone: 5, inTurn: 4 } };
/**
 * Limits for results that differ only in times and the like: the model may wait for something, or measure it several
 * times on purpose.
 */
const forAlike: Patience = { nudgeAt: 5, stopAt: { alone: 20, inTurn: 12 } };
/** Limits for calls that are nearly the same, with results that are. */
const forNear: Patience = { nudgeAt: 5, stopAt: { alone: 10, inTurn: 8 } };
/** Number of times that a call may bring back a result that was left out to save room. */
const maxBroughtBack = 4;
/** Length of the longest round of calls that is taken for a loop and not for work. */
const longestRound = 6;

/**
 * Notices a model that makes the same call, or the same few calls in turn, again and again although the answers stay the same, or
 * differ only in what varies by itself (`normalizeForLoopDetection`). It is told once, and stopped when it has heard that and goes on all the same.
 */
export class LoopGuard {
  private readonly same: string[] = [];
  private readonly alike: string[] = [];
  private readonly near: string[] = [];
  private readonly kinds = new CallKinds();
  private readonly broughtBack = new Map<string, number>();
  private found: Repetition = { round: 1, times: 1 };
  private isNudged = false;
  /** True once the model has answered after it was nudged. */
  private isHeard = false;
  private likeness: Likeness = 'same';

  /** Notes that the model has answered all that it was told so far. */
  answered(): void {
    this.isHeard = this.isNudged;
  }

  /** Forgets the calls before one that brings back a result which was left out to save room, as long as that does not become a habit. */
  bringBack({ name, input }: Pick<RequestedCall, 'name' | 'input'>): void {
    const call = stable([name, input]);
    const times = (this.broughtBack.get(call) ?? 0) + 1;
    this.broughtBack.set(call, times);
    if (times > maxBroughtBack) return;
    this.same.length = this.alike.length = this.near.length = 0;
    this.isNudged = this.isHeard = false;
  }

  /**
   * Judges a call by its result. `isWaiting` is for a tool that waits for something: passing time is news then, and none passes after the
   * end. `isReading` is for one that changes nothing, so that calls which are nearly the same do nearly the same.
   */
  observe(
    { name, input }: Pick<RequestedCall, 'name' | 'input'>,
    resultText: string,
    { isWaiting = false, isReading = false } = {},
  ): LoopVerdict {
    note(this.near, [isReading ? this.kinds.markOf(name, input, resultText) : [name, input, resultText]]);
    note(this.same, [name, input, resultText]);
    note(this.alike, [name, input, isWaiting ? resultText : normalizeForLoopDetection(resultText)]);
    const [same, alike, near] = [repetition(this.same), repetition(this.alike), repetition(this.near)];
    this.likeness = same.times >= forSame.nudgeAt ? 'same' : alike.times >= forAlike.nudgeAt ? 'times' : 'near';
    this.found = this.likeness === 'same' ? same : this.likeness === 'times' ? alike : near;
    if (alike.times === 1 && near.times === 1) this.isNudged = this.isHeard = false;
    const isLoop = isOver(same, forSame.stopAt) || isOver(alike, forAlike.stopAt) || isOver(near, forNear.stopAt);
    if (this.isHeard && isLoop) return 'stop';
    if (this.isNudged || (this.likeness === 'near' && near.times < forNear.nudgeAt)) return 'go on';
    this.isNudged = true;
    return 'nudge';
  }

  /** Number of times in a row that the last call, or round of calls, was made. */
  get repetitions(): number {
    return this.found.times;
  }

  /** Number of different calls that take turns. */
  get round(): number {
    return this.found.round;
  }

  /** Likeness of the calls that are repeated. */
  get howAlike(): Likeness {
    return this.likeness;
  }
}

/**
 * Finds the calls of one answer that are repeated with only reading between: the model has not seen the result of the
 * first yet,
 * which would be the same.
 */
export function repeatedIn(calls: readonly RequestedCall[], isReading: (name: string) => boolean): Set<RequestedCall> {
  const repeated = new Set<RequestedCall>();
  const made = new Set<string>();
  for (const call of calls) {
    const { name, input, problem, written } = call;
    const mark = stable([name, input, problem, written]);
    if (made.has(mark)) repeated.add(call);
    else if (!isReading(name)) made.clear();
    made.add(mark);
  }
  return repeated;
}

interface Repetition {
  round: number;
  times: number;
}

function note(marks: string[], call: unknown[]): void {
  marks.push(createHash('sha256').update(stable(call)).digest('base64'));
  if (marks.length > longestRound * forAlike.stopAt.alone) marks.shift();
}

function isOver({ round, times }: Repetition, { alone, inTurn }: Limits): boolean {
  return times >= (round === 1 ? alone : inTurn);
}

/** Returns the shortest round in which the last calls repeat themselves, and how often. */
function repetition(marks: readonly string[]): Repetition {
  let best = { round: 1, times: 1 };
  for (let round = 1; round <= longestRound; round += 1) {
    let length = round;
    while (length < marks.length && marks.at(-1 - length) === marks.at(-1 - length + round)) length += 1;
    const times = Math.floor(length / round);
    if (times > best.times) best = { round, times };
  }
  return best;
}

/** Formats JSON in which the order of keys does not matter. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
