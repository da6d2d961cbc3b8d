import { ClientGone } from './wireError';

/**
 * Runs a limited number of tasks at the same time (`OLLAMA_NUM_PARALLEL`, 1 by default). Other tasks wait in order of arrival. A waiting
 * task leaves the queue if its client disconnects.
 */
export class ModelSlot {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly parallel = 1) {}

  /** Number of running and waiting tasks. */
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
      // The slot stays occupied while it is handed over. Otherwise a new task could overtake the waiting task.
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
