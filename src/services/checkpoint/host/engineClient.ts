import { Worker } from 'node:worker_threads';
import { CancelledError } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { StorageError } from '../../database/sqlite/storageError';
import type { EngineCalls, EngineData, EngineFailure, EngineRequest, EngineResponse } from '../engineProtocol';
import { gitEnvironment } from '../../git/repository';
import { SnapshotError } from '../snapshotError';

interface Pending {
  resolve: (response: EngineResponse) => void;
  reject: (error: Error) => void;
}

/** The methods of `T`, answered from another thread. */
type RemoteCalls<T> = {
  [M in keyof T]: T[M] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
};

export interface EngineClientOptions extends Omit<EngineData, 'shared' | 'environment'> {
  /** The compiled `checkpointWorker`. */
  workerPath: string;
  logger: Logger;
  /** Why nothing may be written, and so nothing is done here; null where all may be. */
  readOnlyBecause?: StorageError | null;
  /** Told of damage to the database that the worker found. */
  onDamage: (failure: StorageError) => void;
}

/**
 * Calls the engine in its worker: started by the first call, started again by the first one after it ended. All calls throw `SnapshotError`
 * and `StorageError`; `io` where there is no worker to do it.
 */
export class EngineClient {
  readonly objects = this.callsOf('objects');
  readonly checkpoints = this.callsOf('checkpoints');
  readonly restores = this.callsOf('restores');
  readonly approvals = this.callsOf('approvals');
  readonly care = this.callsOf('care');
  private worker: Worker | null = null;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private isDisposed = false;
  private readonly shared = new Int32Array(new SharedArrayBuffer(8));

  constructor(private readonly options: EngineClientOptions) {}

  /** How much of what is stored `verify` has read, from 0 to 1. */
  get shareRead(): number {
    return Atomics.load(this.shared, 1) / 1_000;
  }

  /** Lets the worker finish what it is doing for up to five seconds, then ends it. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    Atomics.store(this.shared, 0, 1);
    const worker = this.worker;
    if (worker === null) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const insist = setTimeout(() => void worker.terminate(), 5_000);
    await this.post(null, 'close', []).catch(() => undefined);
    await exited;
    clearTimeout(insist);
  }

  private callsOf<S extends keyof EngineCalls>(subject: S): RemoteCalls<EngineCalls[S]> {
    const call =
      (_: object, method: string) =>
      (...args: unknown[]) =>
        this.call(subject, method, args);
    return new Proxy({}, { get: call }) as RemoteCalls<EngineCalls[S]>;
  }

  private async call(subject: keyof EngineCalls, method: string, args: unknown[]): Promise<unknown> {
    if (this.isDisposed) throw new StorageError('closed', 'The snapshot store is closed');
    if (this.options.readOnlyBecause) throw this.options.readOnlyBecause;
    const response = await this.post(subject, method, args);
    if ('failure' in response) throw this.errorOf(response.failure);
    return response.value;
  }

  private post(subject: EngineRequest['subject'], method: string, args: unknown[]): Promise<EngineResponse> {
    const worker = (this.worker ??= this.start());
    this.lastId += 1;
    const request: EngineRequest = { id: this.lastId, subject, method, args };
    return new Promise((resolve, reject) => {
      this.pending.set(request.id, { resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  private start(): Worker {
    const { directory, owner, workerPath } = this.options;
    const workerData: EngineData = { directory, owner, environment: gitEnvironment(), shared: this.shared };
    const worker = new Worker(workerPath, { workerData, name: 'checkpoints', execArgv: [] });
    worker.on('message', (response: EngineResponse) => {
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
    if (!this.isDisposed) this.options.logger.warn('The checkpoint worker ended', cause);
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(new StorageError('io', 'The checkpoint worker ended', { cause }));
  }

  private errorOf(failure: EngineFailure): Error {
    if (failure.kind === 'snapshot') return new SnapshotError(failure.code, failure.message);
    if (failure.kind === 'cancelled') return new CancelledError();
    if (failure.kind === 'other') return new Error(failure.message);
    const error = new StorageError(failure.code, failure.message);
    if (error.code === 'corrupt') this.options.onDamage(error);
    return error;
  }
}
