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
import { deleteSession } from './upkeep/maintenance';
import { dropIndex } from './search/searchIndex';
import type { EntrySearchPage, EntrySearchRequest, SearchPage, SearchRequest } from './search/searchResults';
import { searchEntries, searchSessions } from './search/sessionSearch';
import { StorageError } from './sqlite/storageError';
import { DatabaseWorkerClient, WorkerGoneError, type WorkerCall } from './workerClient';
import type { WorkerResponse } from './workerProtocol';

/**
 * A `-wal` above this is moved into the database, and written again from its beginning: where the file does not grow, making a write
 * durable takes the disk half as long.
 */
const checkpointAboveBytes = 1_000_000;
const checkEveryWrites = 50;
/** Number of entries that one slice of the index counts as. */
const sliceWrites = 20;

/**
 * Runs in the worker what could hold up the host's thread for too long. Without a worker it runs here, in slices if it can be
 * cut.
 */
export class OffloadedWork {
  private readonly worker: DatabaseWorkerClient;
  /** Workers of their own for what takes long, so that nothing else waits for it. */
  private readonly jobs = new Set<DatabaseWorkerClient>();
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

  /** Returns whether there was such a session. Throws `StorageError`. */
  async deleteSession(sessionId: string): Promise<boolean> {
    this.assertWritable();
    return this.inWorker(
      async () => {
        const response = await this.worker.call({ kind: 'deleteSession', sessionId });
        return response.kind === 'done' && response.changed;
      },
      () => this.connection.read(() => deleteSession(this.connection.file, sessionId, 5)),
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

  /** Throws the search index away; it is made again from the log, slice by slice. Throws `StorageError`. */
  async dropIndex(): Promise<void> {
    this.assertWritable();
    await this.inWorker(
      async () => void (await this.worker.call({ kind: 'dropIndex' })),
      () => this.connection.read(() => dropIndex(this.connection.file, 5)),
    );
  }

  /** Indexes a slice of what search does not know yet; returns whether there is more. Throws `StorageError`. */
  async indexSlice(): Promise<boolean> {
    if (this.isReadOnly) return false;
    return this.inWorker(
      async () => {
        const response = await this.worker.call({ kind: 'index' });
        this.noteWrite(sliceWrites);
        return response.kind === 'done' && response.changed;
      },
      // Left to the searches: nobody waits for it here.
      () => Promise.resolve(false),
    );
  }

  /** Reads figures like `readStatistics`. Throws `StorageError`. */
  async statistics(sinceDay: number): Promise<Statistics> {
    const response = await this.inOwnWorker({ kind: 'statistics', sinceDay, readOnly: this.isReadOnly });
    if (response.kind !== 'statistics') throw unexpected(response.kind);
    return response.statistics;
  }

  /** Deletes every figure. Throws `StorageError`. */
  async deleteStatistics(): Promise<void> {
    this.assertWritable();
    await this.inOwnWorker({ kind: 'deleteStatistics' });
  }

  /** Writes the database as of one moment to `target`, which it replaces. Throws `StorageError`. */
  async backUp(target: string): Promise<void> {
    await this.inOwnWorker({ kind: 'backUp', target });
  }

  /** Reads the whole database; one that is damaged is given up. Throws `StorageError`, and `CancelledError` once `signal` says so. */
  async checkIntegrity(signal?: AbortSignal): Promise<IntegrityReport> {
    const response = await this.inOwnWorker({ kind: 'checkIntegrity' }, signal);
    if (response.kind !== 'checked') throw unexpected(response.kind);
    const { problems } = response.report;
    if (problems.length > 0) this.connection.report(new StorageError('corrupt', problems.join('\n')));
    return response.report;
  }

  /** Counts a write; now and then lets the worker shrink the log file. Without a worker SQLite itself does, at a higher mark. */
  noteWrite(count = 1): void {
    this.writesSinceCheck += count;
    if (this.writesSinceCheck < checkEveryWrites) return;
    this.writesSinceCheck = 0;
    this.checkpointing = this.checkpointing.then(() => this.checkpointIfLarge());
  }

  async dispose(): Promise<void> {
    await this.checkpointing;
    await Promise.all([this.worker, ...this.jobs].map((worker) => worker.dispose()));
  }

  private async checkpointIfLarge(): Promise<void> {
    try {
      const { size } = await stat(`${this.connection.file}-wal`);
      if (size <= checkpointAboveBytes) return;
      const response = await this.worker.call({ kind: 'checkpoint' });
      // What was written meanwhile would keep the file from being begun anew, for ever where nothing pauses.
      if (response.kind === 'done' && response.changed) await this.connection.moveLatest();
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

  /** Runs a call in a worker of its own; there is no fallback to this thread. */
  private async inOwnWorker(call: WorkerCall, signal?: AbortSignal): Promise<WorkerResponse> {
    await this.connection.read(() => undefined);
    throwIfAborted(signal);
    const worker = new DatabaseWorkerClient(this.workerPath, this.connection.file, this.logger);
    this.jobs.add(worker);
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
      this.jobs.delete(worker);
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
    // One slice per turn of the event loop: taking a message apart costs this thread time too.
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
