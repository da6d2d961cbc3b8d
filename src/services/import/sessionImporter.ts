import { Worker } from 'node:worker_threads';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { answerOf } from '../../utils/workerCalls';
import { StorageError } from '../database/sqlite/storageError';
import type { ImportProgress } from './importMeter';
import { ReportBuilder, type ImportReport } from './importReport';
import type { ImportMessage, ImportWorkerData } from './importWorker';

export interface ImportFiles {
  /** The compiled `importWorker`. */
  workerPath: string;
  /** The code of sql.js. */
  wasmPath: string;
  /** The compiled `lanceProcess`; nothing where no folder of LanceDB is read. */
  lancePath?: string;
}

export interface SessionImporterOptions extends ImportFiles {
  /** The database, migrated. */
  file: string;
  logger: Logger;
  /** Reason why nothing can be written to the database. */
  readOnlyBecause?: StorageError | null;
  /** Told after each import that sessions may be there which were not, or have grown. */
  onImported: () => void;
  /** Told of damage to the database that the worker found. */
  onDamage: (failure: StorageError) => void;
}

/** Milliseconds that a worker that was told to give up has to report how far it came. */
const insistAfterMs = 5_000;

/** Imports sessions in a worker of its own, one import at a time. */
export class SessionImporter implements Disposable {
  private running: Promise<unknown> = Promise.resolve();
  private readonly ended = new AbortController();

  constructor(private readonly options: SessionImporterOptions) {}

  /**
   * Imports what is found in these files and folders. Being cancelled is no failure: what was done by then stays. Throws `StorageError`
   * where nothing can be written, and where there is no worker to do it; all else is in the report.
   */
  import(paths: readonly string[], onProgress: (progress: ImportProgress) => void, signal: AbortSignal): Promise<ImportReport> {
    const report = this.running.then(() => this.run(paths, onProgress, AbortSignal.any([signal, this.ended.signal])));
    this.running = report.catch(() => undefined);
    return report;
  }

  /** Gives up what is under way; the session it is at is not there then. */
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
      insist ??= setTimeout(() => void worker.terminate(), insistAfterMs);
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    try {
      const report = await answerOf(worker, (message: ImportMessage) => {
        if ('report' in message) return message.report;
        onProgress(message.progress);
        return undefined;
      });
      if (report.failure?.code === 'corrupt') onDamage(new StorageError('corrupt', report.failure.message));
      return report;
    } catch (error) {
      // It was in the middle of something that it could not be called back from.
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
