import type { Clock } from '../../../../src/utils/clock';
import { CancelledError } from '../../../../src/utils/errors';

/** Clock that records sleeps and ends them immediately. A sleep rejects if its signal is aborted. */
export class RecordingClock implements Clock {
  readonly sleeps: number[] = [];
  time = 1_000;
  /** Called instead of waiting. */
  onSleep: (signal: AbortSignal | undefined) => Promise<void> | void = () => undefined;

  now(): number {
    return this.time;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    await this.onSleep(signal);
    if (signal?.aborted) throw new CancelledError();
    this.time += ms;
  }
}
