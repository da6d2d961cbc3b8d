import { setImmediate } from 'node:timers/promises';

/** Measured number and its baseline from the same run, in the format of `npm run bench -- --json`. */
interface Figure {
  bench: string;
  case: string;
  value: number;
  unit: string;
  baseline: number;
  /** Ratio of the value to the baseline. */
  ratio: number;
  goal: string;
  met: boolean;
}

/** Goal for the `ratio` or the `value`: at most or at least a number. */
export type Goal = `${'ratio' | 'value'} ${'≤' | '≥'} ${number}` | 'none';

/** True in `npm run bench -- --once`: one short round proves that a benchmark still runs. Its figures mean nothing. */
export const isOnce = process.env.BENCH_ONCE === '1';

/** Returns the number of repetitions: `usual`, or 1 in a short round. */
export function many(usual: number): number {
  return isOnce ? 1 : usual;
}

/** Returns the size of the input: `usual`, or a fiftieth in a short round. */
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
    bench,
    case: name,
    value: rounded(value),
    unit,
    baseline: rounded(baseline),
    ratio: rounded(ratio),
    goal,
    met,
  };
  console.log(JSON.stringify(figure));
}

/**
 * Measures each piece of work and returns the milliseconds in the given order. Rounds alternate, so that load on the machine affects all
 * pieces alike. The first tenth is warm-up and does not count. The event loop runs between two pieces.
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

/** Returns the value below which a `share` of all values lies. */
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
