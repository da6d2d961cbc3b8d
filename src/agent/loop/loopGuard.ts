import { createHash } from 'node:crypto';
import { CallKinds } from './callSimilarity';
import { normalizeForLoopDetection } from './normalizeForLoopDetection';
import type { RequestedCall } from '../kernel/requestedCall';

export type LoopVerdict = 'go on' | 'nudge' | 'stop';
/**
 * Similarity of repeated calls and results. `same` means identical. `times`
 * ignores times and similar details. `near` means nearly identical.
 */
export type Likeness = 'same' | 'times' | 'near';

/**
 * Allowed number of consecutive repetitions, for a single call and
 * for a round of several calls. A round rarely repeats by chance.
 */
interface Limits {
  single: number;
  round: number;
}

interface Patience {
  nudgeAt: number;
  stopAt: Limits;
}

/** Limits for identical results. */
const exactLimits: Patience = { nudgeAt: 3, stopAt: { single: 5, round: 4 } };
/**
 * Limits for results that differ only in times and similar details.
 * The model may be waiting for something or measuring on purpose.
 */
const timeLimits: Patience = { nudgeAt: 5, stopAt: { single: 20, round: 12 } };
/** Limits for nearly identical calls and results. */
const nearLimits: Patience = { nudgeAt: 5, stopAt: { single: 10, round: 8 } };
/** Maximum number of times that the same call may fetch a shortened result again. */
const maxRefetches = 4;
/** Maximum number of calls in a repeated round. */
const maxRound = 6;

/**
 * Detects a model that repeats a call, or a round of calls, with the same results. Ignores differences
 * that `normalizeForLoopDetection` removes. Warns the model once and stops it if it continues.
 */
export class LoopGuard {
  private readonly same: string[] = [];
  private readonly alike: string[] = [];
  private readonly near: string[] = [];
  private readonly kinds = new CallKinds();
  private readonly refetches = new Map<string, number>();
  private found: Repetition = { round: 1, times: 1 };
  private isNudged = false;
  /** True if the model has answered after the warning. */
  private hasAnsweredNudge = false;
  private likeness: Likeness = 'same';

  /** Records that the model has answered the last request. */
  answered(): void {
    this.hasAnsweredNudge = this.isNudged;
  }

  /** Clears the history before a call that fetches a shortened result again, up to a limit per call. */
  allowRefetch({ name, input }: Pick<RequestedCall, 'name' | 'input'>): void {
    const call = stable([name, input]);
    const times = (this.refetches.get(call) ?? 0) + 1;
    this.refetches.set(call, times);
    if (times > maxRefetches) return;
    this.same.length = this.alike.length = this.near.length = 0;
    this.isNudged = this.hasAnsweredNudge = false;
  }

  /**
   * Evaluates a call by its result. With `isPolling`, the tool waits for something, so a changed time counts
   * as progress. With `isReading`, the tool changes nothing, so nearly identical calls count as repetitions.
   */
  observe(
    { name, input }: Pick<RequestedCall, 'name' | 'input'>,
    resultText: string,
    { isPolling = false, isReading = false } = {},
  ): LoopVerdict {
    note(this.near, [isReading ? this.kinds.findGroup(name, input, resultText) : [name, input, resultText]]);
    note(this.same, [name, input, resultText]);
    note(this.alike, [name, input, isPolling ? resultText : normalizeForLoopDetection(resultText)]);
    const same = repetition(this.same);
    const alike = repetition(this.alike);
    const near = repetition(this.near);
    this.likeness = same.times >= exactLimits.nudgeAt ? 'same' : alike.times >= timeLimits.nudgeAt ? 'times' : 'near';
    this.found = this.likeness === 'same' ? same : this.likeness === 'times' ? alike : near;
    if (alike.times === 1 && near.times === 1) this.isNudged = this.hasAnsweredNudge = false;
    const isLoop = isOver(same, exactLimits.stopAt) || isOver(alike, timeLimits.stopAt) || isOver(near, nearLimits.stopAt);
    if (this.hasAnsweredNudge && isLoop) return 'stop';
    if (this.isNudged || (this.likeness === 'near' && near.times < nearLimits.nudgeAt)) return 'go on';
    this.isNudged = true;
    return 'nudge';
  }

  /** Number of times in a row that the model made the last call or round of calls. */
  get repetitions(): number {
    return this.found.times;
  }

  /** Number of calls in the repeated round. */
  get round(): number {
    return this.found.round;
  }

  /** Degree of similarity of the repeated calls. */
  get howAlike(): Likeness {
    return this.likeness;
  }
}

/**
 * Returns repeated calls in one answer that have only reading calls between them.
 * A repeated call would return the same result, which the model has not seen yet.
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
  if (marks.length > maxRound * timeLimits.stopAt.single) marks.shift();
}

function isOver({ round, times }: Repetition, { single, round: rounds }: Limits): boolean {
  return times >= (round === 1 ? single : rounds);
}

/** Returns the shortest round of calls that repeats at the end, and the number of repetitions. */
function repetition(marks: readonly string[]): Repetition {
  let best = { round: 1, times: 1 };
  for (let round = 1; round <= maxRound; round += 1) {
    let length = round;
    while (length < marks.length && marks.at(-1 - length) === marks.at(-1 - length + round)) length += 1;
    const times = Math.floor(length / round);
    if (times > best.times) best = { round, times };
  }
  return best;
}

/** Serializes JSON with sorted keys. */
function stable(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
