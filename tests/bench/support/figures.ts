import { setImmediate } from 'node:timers/promises';

/** One measured number beside the baseline that was measured in the same run, as `npm run bench -- --json` prints it. */
interface Figure {
  bench: string;
  case: string;
  value: number;
  unit: string;
  baseline: number;
  /** Of the value to the baseline. */
  ratio: number;
  goal: string;
  met: boolean;
}

/** What is to be held: `ratio` or `value`, at least or at most a number. */
export type Goal = `${'ratio' | 'value'} ${'≤' | '≥'} ${number}` | 'none';

/** True in `npm run bench -- --once`: one short round shows that a benchmark still runs, and its figures say nothing. */
export const isOnce = process.env.BENCH_ONCE === '1';

/** Returns how often to repeat what is measured `usual` times. */
export function many(usual: number): number {
  return isOnce ? 1 : usual;
}

/** Returns how large to make what is `usual` large: a fiftieth in one short round. */
export function large(usual: number): number {
  return isOnce ? Math.ceil(usual / 50) : usual;
}

/** Prints the figure as a line of JSON for `scripts/bench.mjs`. */
export function report(bench: string, name: string, unit: string, value: number, baseline: number, goal: Goal): void {
  const ratio = value / baseline;
  const [what, relation, bound] = goal.split(' ') as ['ratio' | 'value', '≤' | '≥', string];
  const measured = what === 'ratio' ? ratio : value;
  const met = goal === 'none' || (relation === '≤' ? measured <= Number(bound) : measured >= Number(bound));
  const figure: Figure = {
    ...{ bench, case: name, value: rounded(value), unit, baseline: rounded(baseline), ratio: rounded(ratio) },
    ...{ goal, met },
  };
  console.log(JSON.stringify(figure));
}

/**
 * Milliseconds of each piece of work, in the order given. Rounds alternate, so that what slows the machine slows all of them;
 * the first tenth warms up and is not counted. Between two pieces the event loop gets its turn.
 */
export async function interleaved(usual: number, works: readonly ((round: number) => unknown)[]): Promise<number[][]> {
  const times: number[][] = works.map(() => []);
  const rounds = many(usual);
  const warmUp = Math.ceil(rounds / 10);
  for (let round = 0; round < rounds + warmUp; round += 1) {
    for (const [index, work] of works.entries()) {
      const start = performance.now();
      await work(round);
      const took = performance.now() - start;
      if (round >= warmUp) times[index]?.push(took);
      await setImmediate();
    }
  }
  return times;
}

/** `share` of the values are not greater. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
