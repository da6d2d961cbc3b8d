import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { Statistics } from '../../protocol/requests/statisticsRequests';
import type { Entry } from '../../protocol/entries';
import { throwIfAborted } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { Connection } from './sqlite/connection';
import { readLog, type LogPage, type LogRange } from './log/logReader';
import { hasFts5 } from './sqlite/capabilities';
import type { IntegrityReport } from './upkeep/integrity';
import { deleteSessionRows } from './upkeep/maintenance';
import { dropIndex } from './search/searchIndex';
import type { EntrySearchPage, EntrySearchRequest, SearchPage, SearchRequest } from './search/searchResults';
import { searchEntries, searchSessions } from './search/sessionSearch';
import { StorageError } from './sqlite/storageError';
import { DatabaseWorkerClient, WorkerGoneError, type WorkerCall } from './workerClient';
import type { WorkerResponse } from './workerProtocol';

/** Size in bytes above which the `-wal` file is checkpointed and reused. Writes sync twice as fast if its size does not change. */
const checkpointAboveBytes = 1_000_000;
const checkEveryWrites = 50;
/** Number of writes that indexing one slice counts as. */
const sliceWrites = 20;

/** Runs long work in the worker. If the worker cannot start, runs the work in this thread, in slices where possible. */
export class OffloadedWork {
  private readonly worker: DatabaseWorkerClient;
  /** Separate workers for long jobs, so that other calls need not wait. */
  private readonly jobWorkers = new Set<DatabaseWorkerClient>();
  private hasWarned = false;
  private writesSinceCheck = 0;
  private checkpointing: Promise<void> = Promise.resolve();

  constructor(
    private readonly connection: Connection,
    private readonly workerPath: string,
    private readonly logger: Logger,
  ) {
    this.worker = new DatabaseWorkerClient(workerPath, connection.file, logger);
  }

  /** Reads like `SessionLog.read`. Throws `StorageError`. */
  async read(sessionId: string, range: LogRange): Promise<LogPage> {
    return this.inWorker(
      () => this.readInWorker(sessionId, range),
      () => this.readHere(sessionId, range),
    );
  }

  /** Resolves with true if the session existed. Throws `StorageError`. */
  async deleteSession(sessionId: string): Promise<boolean> {
    this.assertWritable();
    return this.inWorker(
      async () => {
        const response = await this.worker.call({ kind: 'deleteSession', sessionId });
        return response.kind === 'done' && response.changed;
      },
      () => this.connection.read(() => deleteSessionRows(this.connection.file, sessionId, 5)),
    );
  }

  /** Searches like `searchSessions`. Throws `StorageError`. */
  async search(request: SearchRequest): Promise<SearchPage> {
    return this.inWorker(
      async () => {
        const response = await this.worker.call({ kind: 'search', request, readOnly: this.isReadOnly });
        if (response.kind !== 'found') throw unexpected(response.kind);
        if (!response.page.isComplete) this.noteWrite(sliceWrites);
        return response.page;
      },
      () => this.connection.read(() => searchSessions(this.connection.file, request, this.searchHere())),
    );
  }

  /** Searches like `searchEntries`. Throws `StorageError`. */
  async searchEntries(request: EntrySearchRequest): Promise<EntrySearchPage> {
    return this.inWorker(
      async () => {
        const response = await this.worker.call({ kind: 'searchEntries', request, readOnly: this.isReadOnly });
        if (response.kind !== 'foundEntries') throw unexpected(response.kind);
        return response.page;
      },
      () => this.connection.read(() => searchEntries(this.connection.file, request, this.searchHere())),
    );
  }

  /** Deletes the search index, which is then rebuilt from the log in slices. Throws `StorageError`. */
  async dropIndex(): Promise<void> {
    this.assertWritable();
    await this.inWorker(
      async () => void (await this.worker.call({ kind: 'dropIndex' })),
      () => this.connection.read(() => dropIndex(this.connection.file, 5)),
    );
  }

  /** Indexes the next slice of new entries. Resolves with true if there is more. Throws `StorageError`. */
  async indexSlice(): Promise<boolean> {
    if (this.isReadOnly) return false;
    return this.inWorker(
      async () => {
        const response = await this.worker.call({ kind: 'index' });
        this.noteWrite(sliceWrites);
        return response.kind === 'done' && response.changed;
      },
      // Without a worker, each search indexes the missing entries.
      () => Promise.resolve(false),
    );
  }

  /** Reads like `readStatistics`. Throws `StorageError`. */
  async statistics(sinceDay: number): Promise<Statistics> {
    const response = await this.inSeparateWorker({ kind: 'statistics', sinceDay, readOnly: this.isReadOnly });
    if (response.kind !== 'statistics') throw unexpected(response.kind);
    return response.statistics;
  }

  /** Deletes all statistics. Throws `StorageError`. */
  async deleteStatistics(): Promise<void> {
    this.assertWritable();
    await this.inSeparateWorker({ kind: 'deleteStatistics' });
  }

  /** Writes a consistent copy of the database to `target`. Replaces an existing file. Throws `StorageError`. */
  async backUp(target: string): Promise<void> {
    await this.inSeparateWorker({ kind: 'backUp', target });
  }

  /** Checks the whole database and reports damage to the connection. Throws `StorageError` and `CancelledError`. */
  async checkIntegrity(signal?: AbortSignal): Promise<IntegrityReport> {
    const response = await this.inSeparateWorker({ kind: 'checkIntegrity' }, signal);
    if (response.kind !== 'checked') throw unexpected(response.kind);
    const { problems } = response.report;
    if (problems.length > 0) this.connection.report(new StorageError('corrupt', problems.join('\n')));
    return response.report;
  }

  /** Counts writes. Regularly requests a checkpoint of the `-wal` file from the worker. Without a worker, SQLite does this later. */
  noteWrite(count = 1): void {
    this.writesSinceCheck += count;
    if (this.writesSinceCheck < checkEveryWrites) return;
    this.writesSinceCheck = 0;
    this.checkpointing = this.checkpointing.then(() => this.checkpointIfLarge());
  }

  async dispose(): Promise<void> {
    await this.checkpointing;
    await Promise.all([this.worker, ...this.jobWorkers].map((worker) => worker.dispose()));
  }

  private async checkpointIfLarge(): Promise<void> {
    try {
      const { size } = await stat(`${this.connection.file}-wal`);
      if (size <= checkpointAboveBytes) return;
      const response = await this.worker.call({ kind: 'checkpoint' });
      // Writes during the checkpoint prevent SQLite from reusing the file. Without a second checkpoint, the file could grow forever.
      if (response.kind === 'done' && response.changed) await this.connection.checkpointLatest();
    } catch (error) {
      this.logger.debug('No checkpoint this time', error);
    }
  }

  private get isReadOnly(): boolean {
    return this.connection.readOnlyBecause !== null;
  }

  private assertWritable(): void {
    if (this.connection.readOnlyBecause !== null) throw this.connection.readOnlyBecause;
  }

  private searchHere() {
    return { timeoutMs: 5, patienceMs: 10, fts5: hasFts5(), readOnly: this.isReadOnly };
  }

  /** Runs a call in a separate worker. Does not fall back to this thread. */
  private async inSeparateWorker(call: WorkerCall, signal?: AbortSignal): Promise<WorkerResponse> {
    await this.connection.read(() => undefined);
    throwIfAborted(signal);
    const worker = new DatabaseWorkerClient(this.workerPath, this.connection.file, this.logger);
    this.jobWorkers.add(worker);
    const end = (): void => void worker.dispose();
    signal?.addEventListener('abort', end);
    try {
      const response = await worker.call(call);
      throwIfAborted(signal);
      return response;
    } catch (error) {
      throwIfAborted(signal);
      this.connection.report(error);
      throw error instanceof WorkerGoneError ? new StorageError('io', error.message, { cause: error }) : error;
    } finally {
      signal?.removeEventListener('abort', end);
      this.jobWorkers.delete(worker);
      await worker.dispose();
    }
  }

  private async inWorker<T>(there: () => Promise<T>, here: () => Promise<T>): Promise<T> {
    await this.connection.read(() => undefined);
    try {
      try {
        return await there();
      } catch (error) {
        if (!(error instanceof WorkerGoneError)) throw error;
        return await there();
      }
    } catch (error) {
      this.connection.report(error);
      if (!(error instanceof WorkerGoneError)) throw error;
      if (!this.hasWarned) this.logger.warn('The database worker does not start; its work is done on this thread', error);
      this.hasWarned = true;
      return here();
    }
  }

  private async readInWorker(sessionId: string, range: LogRange): Promise<LogPage> {
    const id = this.worker.newId();
    const entries: Entry[] = [];
    let response = await this.worker.call({ kind: 'read', sessionId, range }, id);
    // Receive one slice per event loop turn, because deserializing a message blocks this thread.
    while (response.kind === 'slice') {
      entries.push(...response.slice.entries);
      if (response.isLast) return { ...response.slice, entries };
      response = await this.worker.call({ kind: 'next' }, id);
    }
    throw unexpected(response.kind);
  }

  private async readHere(sessionId: string, range: LogRange): Promise<LogPage> {
    let page: LogPage = { entries: [], revision: 0, hasEarlier: false };
    for (const slice of readLog(this.connection.file, sessionId, range, 5)) {
      page = { ...slice, entries: [...page.entries, ...slice.entries] };
      await setImmediate();
    }
    return page;
  }
}

function unexpected(kind: string): Error {
  return new Error(`Unexpected answer of the database worker: ${kind}`);
}
