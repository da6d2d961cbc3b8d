import { Worker } from 'node:worker_threads';
import { CancelledError } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { WorkerCalls } from '../../../utils/workerCalls';
import { StorageError } from '../../database/sqlite/storageError';
import type { EngineCalls, EngineData, EngineFailure, EngineRequest, EngineResponse } from '../engineProtocol';
import { gitEnvironment } from '../../git/repository';
import { SnapshotError } from '../snapshotError';

/** Methods of `T` that are called in another thread. */
type RemoteCalls<T> = {
  [M in keyof T]: T[M] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

export interface EngineClientOptions extends Omit<EngineData, 'shared' | 'environment'> {
  /** Path of the compiled `checkpointWorker`. */
  workerPath: string;
  logger: Logger;
  /** Error for all calls if storage is read-only; otherwise null. */
  readOnlyBecause?: StorageError | null;
  /** Called when the worker finds damage in the database. */
  onDamage: (failure: StorageError) => void;
}

/**
 * Calls the engine in its worker. The worker starts with the first call, and restarts with the first call after it has exited.
 * Calls throw `SnapshotError` and `StorageError`. The code is `io` if the worker exited.
 */
export class EngineClient {
  readonly objects = this.createCalls('objects');
  readonly checkpoints = this.createCalls('checkpoints');
  readonly restores = this.createCalls('restores');
  readonly approvals = this.createCalls('approvals');
  readonly histories = this.createCalls('histories');
  readonly care = this.createCalls('care');
  private readonly worker: WorkerCalls<EngineRequest, EngineResponse>;
  private isDisposed = false;
  private readonly shared = new Int32Array(new SharedArrayBuffer(8));

  constructor(private readonly options: EngineClientOptions) {
    const { directory, owner, workerPath, logger } = options;
    this.worker = new WorkerCalls({
      start: () => {
        const workerData: EngineData = { directory, owner, environment: gitEnvironment(), shared: this.shared };
        return new Worker(workerPath, { workerData, name: 'checkpoints', execArgv: [] });
      },
      onEnd: (cause) => {
        if (!this.isDisposed) logger.warn('The checkpoint worker ended', cause);
      },
      toError: (cause) => new StorageError('io', 'The checkpoint worker ended', { cause }),
    });
  }

  /** Returns the progress of `verify`, from 0 to 1. */
  get shareRead(): number {
    return Atomics.load(this.shared, 1) / 1_000;
  }

  /** Lets the worker finish its current call for up to five seconds, then stops the worker. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    Atomics.store(this.shared, 0, 1);
    await this.worker.end({ id: this.worker.newId(), subject: null, method: 'close', args: [] }, 5_000);
  }

  private createCalls<S extends keyof EngineCalls>(subject: S): RemoteCalls<EngineCalls[S]> {
    const call =
      (_: object, method: string) =>
      (...args: unknown[]) =>
        this.call(subject, method, args);
    return new Proxy({}, { get: call }) as RemoteCalls<EngineCalls[S]>;
  }

  private async call(subject: keyof EngineCalls, method: string, args: unknown[]): Promise<unknown> {
    if (this.isDisposed) throw new StorageError('closed', 'The snapshot store is closed');
    if (this.options.readOnlyBecause) throw this.options.readOnlyBecause;
    const response = await this.worker.post({ id: this.worker.newId(), subject, method, args });
    if ('failure' in response) throw this.toEngineError(response.failure);
    return response.value;
  }

  private toEngineError(failure: EngineFailure): Error {
    if (failure.kind === 'snapshot') return new SnapshotError(failure.code, failure.message);
    if (failure.kind === 'cancelled') return new CancelledError();
    if (failure.kind === 'other') return new Error(failure.message);
    const error = new StorageError(failure.code, failure.message);
    if (error.code === 'corrupt') this.options.onDamage(error);
    return error;
  }
}
