import { Worker } from 'node:worker_threads';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { firstResult } from '../../utils/workerCalls';
import { StorageError } from '../database/sqlite/storageError';
import type { ImportProgress } from './importMeter';
import { ReportBuilder, type ImportReport } from './importReport';
import type { ImportMessage, ImportWorkerData } from './importWorker';

export interface ImportFiles {
  workerPath: string;
  wasmPath: string;
  /** Path of the compiled `lanceProcess`. Undefined if no LanceDB folder is read. */
  lancePath?: string;
}

export interface SessionImporterOptions extends ImportFiles {
  file: string;
  logger: Logger;
  /** Reason why the database is read-only; null if it is writable. */
  readOnlyBecause?: StorageError | null;
  /** Called after each import. Sessions may have been added or extended. */
  onImported: () => void;
  /** Called if the worker finds damage in the database. */
  onDamage: (failure: StorageError) => void;
}

/** Milliseconds that a cancelled worker has to stop before it is terminated. */
const terminateAfterMs = 5_000;

/** Imports sessions in a worker, one import at a time. */
export class SessionImporter implements Disposable {
  private running: Promise<unknown> = Promise.resolve();
  private readonly ended = new AbortController();

  constructor(private readonly options: SessionImporterOptions) {}

  /**
   * Imports all sessions in these files and folders. Cancellation is not an error. Sessions imported before it are kept.
   * Throws `StorageError` if the database is read-only or the worker exits. The report contains all other problems.
   */
  import(paths: readonly string[], onProgress: (progress: ImportProgress) => void, signal: AbortSignal): Promise<ImportReport> {
    const report = this.running.then(() => this.run(paths, onProgress, AbortSignal.any([signal, this.ended.signal])));
    this.running = report.catch(() => undefined);
    return report;
  }

  /** Cancels the running import. The current session is not imported. */
  async dispose(): Promise<void> {
    this.ended.abort();
    await this.running;
  }

  private async run(
    paths: readonly string[],
    onProgress: (progress: ImportProgress) => void,
    signal: AbortSignal,
  ): Promise<ImportReport> {
    if (this.ended.signal.aborted) throw new StorageError('closed', 'The database is closed');
    if (this.options.readOnlyBecause) throw this.options.readOnlyBecause;
    const { file, wasmPath, lancePath, workerPath, logger, onDamage, onImported } = this.options;
    const cancel = new Int32Array(new SharedArrayBuffer(4));
    const workerData: ImportWorkerData = { file, paths: [...paths], wasmPath, lancePath, cancel };
    const worker = new Worker(workerPath, { workerData, name: 'import', execArgv: [] });
    let insist: NodeJS.Timeout | undefined;
    const stop = (): void => {
      Atomics.store(cancel, 0, 1);
      insist ??= setTimeout(() => void worker.terminate(), terminateAfterMs);
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      const report = await firstResult(worker, (message: ImportMessage) => {
        if ('report' in message) return message.report;
        onProgress(message.progress);
        return undefined;
      });
      if (report.failure?.code === 'corrupt') onDamage(new StorageError('corrupt', report.failure.message));
      return report;
    } catch (error) {
      // The worker did not stop in time and was terminated.
      if (signal.aborted) return new ReportBuilder().finish({ isCancelled: true, failure: null });
      logger.error('The import worker ended', error);
      throw new StorageError('io', 'The import worker ended', { cause: error });
    } finally {
      clearTimeout(insist);
      signal.removeEventListener('abort', stop);
      await worker.terminate();
      if (!this.ended.signal.aborted) onImported();
    }
  }
}
