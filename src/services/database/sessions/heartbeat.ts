import type { SessionRecord } from '../../../types/session';
import type { Clock } from '../../../utils/clock';
import type { Logger } from '../../../utils/logger';
import { isKnownDead } from './windowOwner';

/** A window beats every 5 s; after 15 s of silence it is dead, and at once when its process is known to be gone. */
export const heartbeatEveryMs = 5_000;
export const deadAfterMs = 15_000;

/** Tells whether a window runs the session. A beat far in the future counts as dead too, as the clock may have been set back. */
export function isAlive(record: Pick<SessionRecord, 'owner' | 'heartbeat_at'>, now: number): boolean {
  const { owner, heartbeat_at: heartbeat } = record;
  return owner !== null && heartbeat !== null && Math.abs(now - heartbeat) < deadAfterMs && !isKnownDead(owner);
}

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
