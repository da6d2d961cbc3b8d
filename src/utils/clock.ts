import { CancelledError } from './errors';

/** Only source of time below the editor layer, so that tests can control it. */
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
      // Loaded on demand to keep the window start fast.
      await process.getBuiltinModule('node:timers/promises').setTimeout(ms, undefined, signal ? { signal } : {});
    } catch {
      throw new CancelledError();
    }
  },
};
