import { Worker } from 'node:worker_threads';
import type { Logger } from '../../utils/logger';
import { StorageError } from './sqlite/storageError';
import type { WorkerData, WorkerRequest, WorkerResponse } from './workerProtocol';

/** Thrown if the worker could not be started, or ended before it answered. */
export class WorkerGoneError extends Error {}

export type WorkerCall = WorkerRequest extends infer R ? (R extends WorkerRequest ? Omit<R, 'id'> : never) : never;

interface Pending {
  resolve: (response: WorkerResponse) => void;
  reject: (error: Error) => void;
}

/** Calls the database worker: started by the first call, started again by the first one after it ended. */
export class DatabaseWorkerClient {
  private worker: Worker | null = null;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private isDisposed = false;

  constructor(
    private readonly workerPath: string,
    private readonly file: string,
    private readonly logger: Logger,
  ) {}

  newId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Throws `StorageError` where the work failed, `WorkerGoneError` where there is nobody to do it. */
  async call(call: WorkerCall, id = this.newId()): Promise<WorkerResponse> {
    if (this.isDisposed) throw new StorageError('closed', 'The database is closed');
    const response = await this.post({ ...call, id });
    if (response.kind === 'error') throw new StorageError(response.code, response.message);
    return response;
  }

  /** Lets the worker finish what it is doing for up to a second, then ends it. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    const worker = this.worker;
    if (worker === null) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const insist = setTimeout(() => void worker.terminate(), 1_000);
    await this.post({ kind: 'close', id: this.newId() }).catch(() => undefined);
    await exited;
    clearTimeout(insist);
  }

  private post(request: WorkerRequest): Promise<WorkerResponse> {
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      this.pending.set(request.id, { resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  private start(): Worker {
    const workerData: WorkerData = { file: this.file };
    const worker = new Worker(this.workerPath, { workerData, name: 'database', execArgv: [] });
    worker.on('message', (response: WorkerResponse) => {
      this.pending.get(response.id)?.resolve(response);
      this.pending.delete(response.id);
      // An idle worker must not keep a program from ending.
      if (this.pending.size === 0) worker.unref();
    });
    worker.on('error', (error) => this.gone(worker, error));
    worker.on('exit', (code) => this.gone(worker, new Error(`exit code ${code}`)));
    return worker;
  }

  private gone(worker: Worker, cause: unknown): void {
    if (this.worker !== worker) return;
    this.worker = null;
    if (!this.isDisposed) this.logger.warn('The database worker ended', cause);
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(new WorkerGoneError('The database worker ended', { cause }));
  }
}
