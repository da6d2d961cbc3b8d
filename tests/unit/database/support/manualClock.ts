import { setImmediate } from 'node:timers/promises';
import { CancelledError } from '../../../../src/utils/errors';
import type { Clock } from '../../../../src/utils/clock';

/** Clock that advances only on request. */
export class ManualClock implements Clock {
  private readonly sleepers = new Set<{ at: number; wake: () => void }>();
  /** Elapsed time, unaffected by `set`. */
  private elapsed = 0;

  constructor(private time = 1_700_000_000_000) {}

  now(): number {
    return this.time;
  }

  /** Sets the wall clock. The elapsed time stays the same. */
  set(time: number): void {
    this.time = time;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const sleeper = { at: this.elapsed + ms, wake: resolve };
      this.sleepers.add(sleeper);
      const cancel = () => {
        this.sleepers.delete(sleeper);
        reject(new CancelledError());
      };
      if (signal?.aborted) cancel();
      else signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  /** Advances the time by `ms`. Wakes sleepers in order and runs the work that follows. */
  async advance(ms: number): Promise<void> {
    const end = this.elapsed + ms;
    await settle();
    for (;;) {
      const next = [...this.sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.time += next.at - this.elapsed;
      this.elapsed = next.at;
      this.sleepers.delete(next);
      next.wake();
      await settle();
    }
    this.time += end - this.elapsed;
    this.elapsed = end;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}
