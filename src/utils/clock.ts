import { CancelledError } from './errors';

/** The only source of time in the layers below the editor layer, so that tests can control time. */
export interface Clock {
  /** Returns the current time in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds. Rejects with `CancelledError` when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      // Load on demand to keep window startup fast.
      await process.getBuiltinModule('node:timers/promises').setTimeout(ms, undefined, signal ? { signal } : {});
    } catch {
      throw new CancelledError();
    }
  },
};
