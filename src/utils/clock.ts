import { CancelledError } from './errors';

/** The only source of time below the editor, so that tests can own it. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with `CancelledError` when the signal fires. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      // Only now: a window starts without it.
      await process.getBuiltinModule('node:timers/promises').setTimeout(ms, undefined, signal ? { signal } : {});
    } catch {
      throw new CancelledError();
    }
  },
};
