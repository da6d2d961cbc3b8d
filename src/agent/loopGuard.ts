import type { RequestedCall } from './toolRunner';

export type LoopVerdict = 'go on' | 'nudge' | 'stop';

/** Identical call and result, this many times in a row. */
const nudgeAt = 3;
const stopAt = 5;

/** Notices a model that makes the same call again and again although the answer stays the same. */
export class LoopGuard {
  private last = '';
  private times = 0;

  observe(call: Pick<RequestedCall, 'name' | 'input'>, resultText: string): LoopVerdict {
    const mark = stable([call.name, call.input, resultText]);
    this.times = mark === this.last ? this.times + 1 : 1;
    this.last = mark;
    if (this.times >= stopAt) return 'stop';
    return this.times >= nudgeAt ? 'nudge' : 'go on';
  }

  get repetitions(): number {
    return this.times;
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
