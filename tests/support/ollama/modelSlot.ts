import { ClientGone } from './wireError';

/** Runs tasks one at a time in the order of their arrival. A task whose client leaves while it waits gives up its place. */
export class ModelSlot {
  private busy = false;
  private readonly waiting: (() => void)[] = [];

  /** Tasks that run or wait. */
  get load(): number {
    return this.waiting.length + (this.busy ? 1 : 0);
  }

  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    if (signal.aborted) throw new ClientGone();
    if (this.busy) await this.turn(signal);
    this.busy = true;
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      // The slot stays busy while it is handed over, or a newcomer could slip in before the one that waits.
      if (next) next();
      else this.busy = false;
    }
  }

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const place = this.waiting.indexOf(start);
        if (place >= 0) this.waiting.splice(place, 1);
        reject(new ClientGone());
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(start);
    });
  }
}
