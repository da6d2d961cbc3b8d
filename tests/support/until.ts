import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import limits from '../limits.json';

/** Limit of a whole step, such as all suites of one kind, in milliseconds. */
export const stepLimitMs = limits.stepMinutes * 60_000;

/** Limit of a case and of a hook, in milliseconds. */
export const caseLimitMs = limits.caseMinutes * 60_000;

/** Limit for a state to appear, in milliseconds. It ends what hangs and never decides how fast something has to be. */
export const stateLimitMs = limits.stateMinutes * 60_000;

const betweenMs = 20;

/** Repeats `check` until it passes and resolves to its result. Rejects with the last error after `stateLimitMs`. */
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

/** Resolves when `isSo` holds. Rejects after `stateLimitMs`, with `expected` as the message. */
export function until(isSo: () => boolean | Promise<boolean>, expected = `not reached: ${String(isSo)}`): Promise<void> {
  return eventually(async () => assert.ok(await isSo(), expected));
}
