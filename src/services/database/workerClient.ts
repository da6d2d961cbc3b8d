import { Worker } from 'node:worker_threads';
import type { Logger } from '../../utils/logger';
import { WorkerCalls } from '../../utils/workerCalls';
import { StorageError } from './sqlite/storageError';
import type { WorkerData, WorkerRequest, WorkerResponse } from './workerProtocol';

/** Thrown if the worker could not start, or ended before it returned a result. */
export class WorkerGoneError extends Error {}

export type WorkerCall = WorkerRequest extends infer R ? (R extends WorkerRequest ? Omit<R, 'id'> : never) : never;

/** Calls the database worker. Starts the worker on the first call, and again on the first call after the worker ended. */
export class DatabaseWorkerClient {
  private readonly calls: WorkerCalls<WorkerRequest, WorkerResponse>;
  private isDisposed = false;

  constructor(workerPath: string, file: string, logger: Logger) {
    this.calls = new WorkerCalls({
      start: () => new Worker(workerPath, { workerData: { file } satisfies WorkerData, name: 'database', execArgv: [] }),
      onEnd: (cause) => {
        if (!this.isDisposed) logger.warn('The database worker ended', cause);
      },
      toError: (cause) => new WorkerGoneError('The database worker ended', { cause }),
    });
  }

  newId(): number {
    return this.calls.newId();
  }

  /** Throws `StorageError` if the work failed, and `WorkerGoneError` if there is no worker. */
  async call(call: WorkerCall, id = this.newId()): Promise<WorkerResponse> {
    if (this.isDisposed) throw new StorageError('closed', 'The database is closed');
    const response = await this.calls.post({ ...call, id });
    if (response.kind === 'error') throw new StorageError(response.code, response.message);
    return response;
  }

  /** Lets the worker finish its current call for up to a second, then stops the worker. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await this.calls.end({ kind: 'close', id: this.newId() }, 1_000);
  }
}
