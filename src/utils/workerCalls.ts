import type { Worker } from 'node:worker_threads';

interface Pending<Response> {
  resolve: (response: Response) => void;
  reject: (error: Error) => void;
}

export interface WorkerCallsOptions {
  start: () => Worker;
  /** Runs when the worker has exited or failed. */
  onEnd: (cause: unknown) => void;
  /** Builds the error for pending calls of a worker that has exited. */
  toError: (cause: unknown) => Error;
}

/**
 * Sends numbered requests to a worker thread. The first request starts the worker. After the worker has exited, the next request
 * restarts it. An idle worker does not keep the process running.
 */
export class WorkerCalls<Request extends { id: number }, Response extends { id: number }> {
  private worker: Worker | null = null;
  private readonly pending = new Map<number, Pending<Response>>();
  private lastId = 0;

  constructor(private readonly options: WorkerCallsOptions) {}

  newId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  post(request: Request): Promise<Response> {
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      this.pending.set(request.id, { resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  /** Sends a last request and resolves when the worker has exited. Terminates the worker after `patienceMs`. */
  async end(last: Request, patienceMs: number): Promise<void> {
    const { worker } = this;
    if (worker === null) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const insist = setTimeout(() => void worker.terminate(), patienceMs);
    await this.post(last).catch(() => undefined);
    await exited;
    clearTimeout(insist);
  }

  private start(): Worker {
    const worker = this.options.start();
    worker.on('message', (response: Response) => {
      this.pending.get(response.id)?.resolve(response);
      this.pending.delete(response.id);
      if (this.pending.size === 0) worker.unref();
    });
    worker.on('error', (error) => this.onExit(worker, error));
    worker.on('exit', (code) => this.onExit(worker, new Error(`exit code ${code}`)));
    return worker;
  }

  private onExit(worker: Worker, cause: unknown): void {
    if (this.worker !== worker) return;
    this.worker = null;
    this.options.onEnd(cause);
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(this.options.toError(cause));
  }
}

/** Resolves with the first result of `take` that is not undefined. Rejects if the worker fails or exits before that. */
export function firstResult<Message, Answer>(worker: Worker, take: (message: Message) => Answer | undefined): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: Message) => {
      const answer = take(message);
      if (answer !== undefined) resolve(answer);
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`exit code ${code}`)));
  });
}
