/*
 * Number of rounds in randomized tests. `npm test` does a few rounds. `npm run test:fuzz` does many, with different seeds: it sets
 * `ROUNDS`, a factor, and `SEED`.
 */

/** The view tests have no Node types. */
const environment = (globalThis as { process?: { env: Record<string, string | undefined> } }).process?.env ?? {};

/** Returns the number of rounds, which is `few` in `npm test`. */
export function rounds(few: number): number {
  return few * positive(environment.ROUNDS, 1);
}

/** Returns the seed of this run. Include it in the test title. It is 1 in `npm test`, so that every run is the same. */
export function runSeed(): number {
  return Math.floor(positive(environment.SEED, 1));
}

/** Returns one seed for each round, starting with the seed of the run. */
export function seeds(few: number): number[] {
  return Array.from({ length: rounds(few) }, (_, index) => runSeed() + index);
}

/**
 * Returns the places from 1 to `count` to try. The last place is always included. `npm run test:fuzz` tries all places. `npm test` tries
 * about `few` evenly spread places, and the seed shifts the first place.
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
