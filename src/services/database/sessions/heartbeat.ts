import type { Clock } from '../../../utils/clock';
import type { Logger } from '../../../utils/logger';
import { heartbeatEveryMs } from './sessionRepository';

/** Tells other windows every 5 s, from `start` to `stop`, that this window is alive and at what it has begun. */
export class Heartbeat {
  private current: { stop: AbortController; done: Promise<void> } | null = null;

  constructor(
    private readonly store: { heartbeat(): Promise<void> },
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Does nothing while it beats already. */
  start(): void {
    if (this.current) return;
    const stop = new AbortController();
    this.current = { stop, done: this.beat(stop.signal) };
  }

  async stop(): Promise<void> {
    const beating = this.current;
    this.current = null;
    beating?.stop.abort();
    await beating?.done;
  }

  private async beat(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.clock.sleep(heartbeatEveryMs, signal);
      } catch {
        return;
      }
      try {
        await this.store.heartbeat();
      } catch (error) {
        // The next one may succeed; the work itself meets a failing store soon enough.
        this.logger.warn('A sign of life could not be stored', error);
      }
    }
  }
}
