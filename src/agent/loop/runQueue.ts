import { CancelledError } from '../../utils/errors';
import { deferred } from '../kernel/deferred';

interface Waiter {
  onPosition(position: number): void;
  start(): void;
}

/** Lets so many runs work at a time; the others wait in line and know their place. */
export class RunQueue {
  private readonly waiting: Waiter[] = [];
  private working = 0;

  /** `limit` is asked again whenever a place may have become free. */
  constructor(private readonly limit: () => number) {}

  /**
   * Resolves with the function that gives the place back. `onPosition` is called with the place in line (from 1), if there is
   * a line. Rejects with `CancelledError` when the signal fires first.
   */
  async enter(onPosition: (position: number) => void, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new CancelledError();
    if (this.working < this.limit() && this.waiting.length === 0) {
      this.working += 1;
      return this.leaveOnce();
    }
    const turn = deferred<void>();
    const waiter: Waiter = { onPosition, start: turn.resolve };
    const onAbort = (): void => {
      const index = this.waiting.indexOf(waiter);
      if (index >= 0) this.waiting.splice(index, 1);
      turn.reject(new CancelledError());
      this.tellPositions();
    };
    this.waiting.push(waiter);
    signal.addEventListener('abort', onAbort, { once: true });
    this.tellPositions();
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    return this.leaveOnce();
  }

  private leaveOnce(): () => void {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.working -= 1;
      this.fill();
    };
  }

  /** Starts what may work: a place or the limit has changed. */
  fill(): void {
    while (this.working < this.limit() && this.waiting.length > 0) {
      this.working += 1;
      this.waiting.shift()?.start();
    }
    this.tellPositions();
  }

  private tellPositions(): void {
    for (const [index, waiter] of [...this.waiting].entries()) waiter.onPosition(index + 1);
  }
}
