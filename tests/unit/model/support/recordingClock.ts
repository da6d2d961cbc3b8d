import type { Clock } from '../../../../src/utils/clock';
import { CancelledError } from '../../../../src/utils/errors';

/** A clock whose sleeps pass at once, are recorded, and end early when the signal has fired. */
export class RecordingClock implements Clock {
  readonly sleeps: number[] = [];
  time = 1_000;
  /** Called in place of passing time. */
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
