import { ClientGone } from './wireError';

/**
 * Runs so many tasks at a time (`OLLAMA_NUM_PARALLEL`; a server's default is 1), the others in the order of their arrival. A task
 * whose client leaves while it waits gives up its place.
 */
export class ModelSlot {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly parallel = 1) {}

  /** Tasks that run or wait. */
  get load(): number {
    return this.waiting.length + this.running;
  }

  async run<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    if (signal.aborted) throw new ClientGone();
    if (this.running >= this.parallel) await this.turn(signal);
    else this.running++;
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      // A place stays taken while it is handed over, or a newcomer could slip in before the one that waits.
      if (next) next();
      else this.running--;
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
