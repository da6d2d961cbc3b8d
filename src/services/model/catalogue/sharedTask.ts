import { CancelledError } from '../../../utils/errors';
import { abortableWait } from '../client/abortableWait';

/**
 * Runs work that concurrent callers share. A caller's signal ends only that caller's wait. The work is cancelled when no caller
 * is waiting.
 */
export class SharedTask<T> {
  private running: { work: Promise<T>; abort: AbortController; waiting: number } | undefined;

  constructor(private readonly start: (signal: AbortSignal) => Promise<T>) {}

  async run(signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw new CancelledError();
    const running = (this.running ??= this.begin());
    running.waiting += 1;
    try {
      return await abortableWait(running.work, signal);
    } finally {
      running.waiting -= 1;
      if (running.waiting === 0) {
        // A new caller must not join work that is about to be cancelled.
        if (this.running === running) this.running = undefined;
        running.abort.abort();
      }
    }
  }

  cancel(): void {
    this.running?.abort.abort();
  }

  private begin() {
    const abort = new AbortController();
    const running = { work: this.start(abort.signal), abort, waiting: 0 };
    const finish = () => {
      if (this.running === running) this.running = undefined;
    };
    running.work.then(finish, finish);
    return running;
  }
}
