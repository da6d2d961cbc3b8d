import { CancelledError } from '../../utils/errors';
import { deferred } from '../kernel/deferred';

interface Waiter {
  id: string;
  onPosition(position: number, behind: string[]): void;
  start(): void;
}

/** Limits the number of concurrent runs. Other runs wait in a queue and receive their position. */
export class RunQueue {
  private readonly waiting: Waiter[] = [];
  private readonly working: string[] = [];

  /** `limit` is read again whenever a run may start. */
  constructor(private readonly limit: () => number) {}

  /**
   * Resolves when the run may start, with a function to call at its end. `onPosition` receives the position in the
   * queue, starting at 1, and the ids of the runs before it. Rejects with `CancelledError` if the signal is aborted first.
   */
  async enter(id: string, onPosition: Waiter['onPosition'], signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new CancelledError();
    if (this.working.length < this.limit() && this.waiting.length === 0) {
      this.working.push(id);
      return this.leaveOnce(id);
    }
    const turn = deferred<void>();
    const waiter: Waiter = { id, onPosition, start: turn.resolve };
    const onAbort = (): void => {
      const index = this.waiting.indexOf(waiter);
      if (index >= 0) this.waiting.splice(index, 1);
      turn.reject(new CancelledError());
      this.reportPositions();
    };
    this.waiting.push(waiter);
    signal.addEventListener('abort', onAbort, { once: true });
    this.reportPositions();
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    return this.leaveOnce(id);
  }

  private leaveOnce(id: string): () => void {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.working.splice(this.working.indexOf(id), 1);
      this.fill();
    };
  }

  /** Starts queued runs after a run has ended or the limit has changed. */
  fill(): void {
    while (this.working.length < this.limit()) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.working.push(next.id);
      next.start();
    }
    this.reportPositions();
  }

  private reportPositions(): void {
    const ids = this.waiting.map(({ id }) => id);
    for (const [index, waiter] of [...this.waiting].entries())
      waiter.onPosition(index + 1, [...this.working, ...ids.slice(0, index)]);
  }
}
