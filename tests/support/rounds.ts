/*
 * How often what is random goes round. `npm test` does few rounds of it, `npm run test:fuzz` many, with other seeds than the ones before:
 * it sets `ROUNDS`, a number of times as many, and `SEED`.
 */

/** Tests of the view know no types of Node. */
const environment = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};

/** Returns how many rounds to do where `npm test` does `few`. */
export function rounds(few: number): number {
  return few * positive(environment.ROUNDS, 1);
}

/** Returns the seed of this run, which belongs into the title of a test: 1 in `npm test`, so that it does the same each time. */
export function runSeed(): number {
  return Math.floor(positive(environment.SEED, 1));
}

/** Returns as many seeds as there are rounds, from that of the run on. */
export function seeds(few: number): number[] {
  return Array.from({ length: rounds(few) }, (_, index) => runSeed() + index);
}

/**
 * Returns which of the places 1 to `count` to try: `few` of them, evenly spread, with another first one for each seed, where `npm test`
 * runs, and all of them in `npm run test:fuzz`. The last one is always among them.
 */
export function places(count: number, few: number, seed: number): number[] {
  const step = environment.ROUNDS === undefined ? Math.max(1, count / few) : 1;
  const first = seed % Math.max(1, Math.floor(step));
  const chosen = Array.from({ length: Math.ceil(count / step) }, (_, index) => 1 + first + Math.floor(index * step));
  return [...new Set([...chosen.filter((place) => place < count), count])].filter((place) => place > 0);
}

function positive(text: string | undefined, otherwise: number): number {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : otherwise;
}
