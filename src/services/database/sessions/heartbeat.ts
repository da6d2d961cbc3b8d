import type { SessionRecord } from '../../../types/session';
import type { Clock } from '../../../utils/clock';
import type { Logger } from '../../../utils/logger';
import { isKnownDead } from './windowOwner';

/**
 * Heartbeat times in milliseconds. A window without a heartbeat for `deadAfterMs` counts
 * as closed. It counts as closed immediately if its process is known to have ended.
 */
export const heartbeatEveryMs = 5_000;
export const deadAfterMs = 15_000;

/** Returns true if an open window runs the session. Ignores a heartbeat far in the future, because the clock may have been set back. */
export function isAlive(record: Pick<SessionRecord, 'owner' | 'heartbeat_at'>, now: number): boolean {
  const { owner, heartbeat_at: heartbeat } = record;
  return owner !== null && heartbeat !== null && Math.abs(now - heartbeat) < deadAfterMs && !isKnownDead(owner);
}

/** Sends a heartbeat every 5 s from `start` to `stop`. */
export class Heartbeat {
  private current: { stop: AbortController; done: Promise<void> } | null = null;

  constructor(
    private readonly store: { heartbeat(): Promise<void> },
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Starts the heartbeat unless it is running. */
  start(): void {
    if (this.current) return;
    const stop = new AbortController();
    this.current = { stop, done: this.run(stop.signal) };
  }

  async stop(): Promise<void> {
    const beating = this.current;
    this.current = null;
    beating?.stop.abort();
    await beating?.done;
  }

  private async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        await this.clock.sleep(heartbeatEveryMs, signal);
      } catch {
        return;
      }
      try {
        await this.store.heartbeat();
      } catch (error) {
        // The next heartbeat may succeed. If storing fails permanently, the actual work reports the failure.
        this.logger.warn('A sign of life could not be stored', error);
      }
    }
  }
}
