import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import limits from '../limits.json';

/** Timeout of a whole step, such as all suites of one kind, in milliseconds. */
export const stepLimitMs = limits.stepMinutes * 60_000;

/** Timeout of a case or hook, in milliseconds. */
export const caseLimitMs = limits.caseMinutes * 60_000;

/** Timeout for a state to appear, in milliseconds. It only ends operations that hang and does not test speed. */
export const stateLimitMs = limits.stateMinutes * 60_000;

const betweenMs = 20;

/** Repeats `check` until it passes, and resolves to its result. Rejects with the last error after `stateLimitMs`. */
export async function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + stateLimitMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await sleep(betweenMs);
  }
}

/** Resolves when `isSo` returns true. Rejects after `stateLimitMs` with `expected` as the message. */
export function until(isSo: () => boolean | Promise<boolean>, expected = `not reached: ${String(isSo)}`): Promise<void> {
  return eventually(async () => assert.ok(await isSo(), expected));
}
