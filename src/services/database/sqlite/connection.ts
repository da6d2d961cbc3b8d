import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { AsyncMutex } from '../../../utils/asyncMutex';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import type { Logger } from '../../../utils/logger';
import { closeUnchanged, copyReplaced } from './abandonedDatabase';
import { databaseFileName, inspectDatabaseFile, markClosed, markOpen } from './databaseFile';
import { inTransaction } from './ownConnection';
import { OpenFile } from './openFile';
import { isMigrated, readVersion } from './schemaVersion';
import { openSqlite, type DatabaseSync, type StatementSync } from './sqlite';
import { StorageError, toStorageError } from './storageError';
import { shareStorage } from './storageLease';

export interface ConnectionOptions {
  /** Storage root. It is created if it is missing. */
  directory: string;
  clock: Clock;
  logger: Logger;
  /** True if the storage must start with an empty database, even if its folder has other content. */
  isFresh?: boolean;
  /** Called once when the open database is found to be damaged or replaced. After that, it is no longer used. Must not throw. */
  onDamage?: ((failure: StorageError) => void) | undefined;
}

/**
 * Connection of the host thread. SQLite blocks the thread while it waits for a lock, so this wait is limited to 5
 * ms. For longer waits, the call is retried asynchronously. Writes run one at a time in call order, each in a
 * `BEGIN IMMEDIATE` transaction. A damaged or replaced database is abandoned immediately and never written again.
 */
export class Connection {
  readonly file: string;
  private database: DatabaseSync | null = null;
  private openFile: OpenFile | null = null;
  private failure: StorageError | null = null;
  private newer: StorageError | null = null;
  private notClosed = false;
  /** Lease of the storage. It is held from before the first access to the file until the file is closed. */
  private lease: Disposable | null = null;
  /** Copy of a replaced database. */
  private rescued: Promise<void> = Promise.resolve();
  private readonly statements = new Map<string, StatementSync>();
  private readonly writes = new AsyncMutex();
  private ticket = 0;
  /** Number of the last write that was already waiting when another write timed out. Writes up to this number are not retried. */
  private lastTimedOutTicket = 0;
  private maxWaitMs = 10_000;

  constructor(private readonly options: ConnectionOptions) {
    this.file = path.join(options.directory, databaseFileName);
  }

  /** Error for all writes to a database created by a newer version. Null if the database is writable. */
  get readOnlyBecause(): StorageError | null {
    return this.newer;
  }

  /** True if the database was not closed properly the last time. */
  get wasNotClosed(): boolean {
    return this.notClosed;
  }

  /**
   * Opens and migrates the database, after a backup. A database of a newer version is opened read-only. If it throws
   * `StorageError`, all later calls throw the same error.
   */
  async open(): Promise<void> {
    const { directory } = this.options;
    try {
      mkdirSync(directory, { recursive: true });
      const alone = this.hasLogFile() ? () => (this.notClosed = true) : undefined;
      this.lease = await this.untilUnlocked(() => shareStorage(directory, alone));
      if (await this.untilUnlocked(() => this.mayWrite())) {
        await this.untilUnlocked(() => this.openForWriting());
        await this.migrate();
      } else await this.untilUnlocked(() => this.openForReading());
    } catch (error) {
      const failure = toStorageError(error);
      if (failure instanceof StorageError) this.fail(failure);
      throw failure;
    }
  }

  /** Returns a cached prepared statement. Call this only inside `read` and `write`. */
  statement(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.opened().prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs short queries. `work` must be synchronous and may run more than once. Throws `StorageError`. */
  read<T>(work: () => T): Promise<T> {
    return this.untilUnlocked(() => this.guarded(work));
  }

  /**
   * Runs `work` in a write transaction. `work` must be synchronous and may run more than once. If it throws, the transaction is
   * rolled back. `afterCommit` runs immediately after the commit and must not throw. Throws `StorageError`.
   */
  write<T>(work: () => T, afterCommit?: (result: T) => void): Promise<T> {
    this.ticket += 1;
    const ticket = this.ticket;
    if (this.newer !== null) return Promise.reject(this.newer);
    return this.writes.runExclusive(async () => {
      try {
        const isPatient = () => ticket > this.lastTimedOutTicket;
        return await this.untilUnlocked(() => {
          const result = this.guarded(() => {
            this.openFile?.assertSame();
            return inTransaction(this.opened(), work);
          });
          afterCommit?.(result);
          return result;
        }, isPatient);
      } catch (error) {
        if (error instanceof StorageError && error.code === 'locked') this.lastTimedOutTicket = this.ticket;
        throw error;
      }
    });
  }

  /**
   * Checkpoints everything written since the worker's checkpoint. Runs after the
   * queued writes, and does not wait for other windows. Throws `StorageError`.
   */
  checkpointLatest(): Promise<void> {
    return this.writes.runExclusive(() => {
      this.guarded(() => void this.opened().prepare('PRAGMA wal_checkpoint(PASSIVE)').get());
    });
  }

  /** Handles damage that another connection found. */
  report(error: unknown): void {
    if (!(error instanceof StorageError) || !['corrupt', 'replaced'].includes(error.code) || this.failure !== null) return;
    this.fail(error);
    this.options.onDamage?.(error);
  }

  /** Waits for queued writes, but at most a second for a lock. Then checkpoints the `-wal` file and closes the database. */
  async close(): Promise<void> {
    this.maxWaitMs = Math.min(this.maxWaitMs, 1_000);
    await this.writes.runExclusive(() => undefined);
    try {
      if (this.database !== null) this.openFile?.assertSame();
    } catch (error) {
      this.report(error);
    }
    await this.rescued;
    const database = this.database;
    if (database !== null) {
      this.release(new StorageError('closed', 'The database is closed'));
      try {
        if (this.newer === null) database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      } catch (error) {
        // No data is lost, because SQLite reads the `-wal` file at the next start.
        this.options.logger.warn('The final checkpoint was left to the next start', error);
      }
      database.close();
      markClosed(this.file);
    }
    await this.lease?.dispose();
    this.lease = null;
  }

  /** Returns false if a newer version created the database. Throws if the database cannot be opened for another reason. */
  private mayWrite(): boolean {
    try {
      inspectDatabaseFile(this.file, this.options.isFresh);
      return true;
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'newer') throw error;
      this.newer = error;
      return false;
    }
  }

  /**
   * Opens the database read-only. This works because newer versions only
   * add to the format. Throws `newer` if the known columns cannot be read.
   */
  private openForReading(): void {
    const database = openSqlite(this.file, { timeout: 5, readOnly: true });
    try {
      database.prepare('SELECT id, title, status, owner, revision FROM sessions LIMIT 1').get();
      database.prepare('SELECT id, seq, revision, type, role, content, data, is_open FROM messages LIMIT 1').get();
    } catch {
      database.close();
      throw this.newer ?? new StorageError('newer', 'The database cannot be read');
    }
    this.database = database;
    markOpen(this.file);
  }

  /** Returns true if there is a `-wal` file. If no process has the database open, it was not closed properly. */
  private hasLogFile(): boolean {
    try {
      return (statSync(`${this.file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    } catch {
      return false;
    }
  }

  private async migrate(): Promise<void> {
    // Check this without the write lock, because another window may hold it.
    if (await this.read(() => isMigrated(this.opened()))) return;
    const { backUpBeforeMigration, migrateOnce } = await import(/* webpackChunkName: "upkeep" */ '../upkeep/upkeep');
    const version = await this.read(() => readVersion(this.opened()));
    if (version > 0) await backUpBeforeMigration(this.opened(), this.options.directory, version, this.options.clock.now());
    while (!(await this.read(() => isMigrated(this.opened())))) await this.write(() => migrateOnce(this.opened()));
  }

  private openForWriting(): void {
    const database = openSqlite(this.file, { timeout: 5, enableForeignKeyConstraints: true });
    try {
      database.exec('PRAGMA busy_timeout = 5; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
      database.exec('PRAGMA wal_autocheckpoint = 16000');
    } catch (error) {
      database.close();
      throw toStorageError(error);
    }
    this.database = database;
    this.openFile = new OpenFile(this.file);
    markOpen(this.file);
  }

  private opened(): DatabaseSync {
    if (this.failure !== null) throw this.failure;
    if (this.database === null) throw new StorageError('closed', 'The database is not open');
    return this.database;
  }

  private guarded<T>(work: () => T): T {
    this.opened();
    try {
      return work();
    } catch (error) {
      const failure = toStorageError(error);
      this.report(failure);
      throw failure;
    }
  }

  private async untilUnlocked<T>(attempt: () => T | Promise<T>, isPatient = () => true): Promise<T> {
    let waitedMs = 0;
    for (let delayMs = 5; ; delayMs = Math.min(delayMs * 2, 80)) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof StorageError) || error.code !== 'locked') throw error;
        if (waitedMs >= this.maxWaitMs || !isPatient()) throw error;
        // Random delays keep two waiting windows from colliding repeatedly.
        const pause = Math.ceil(delayMs * (0.5 + Math.random()));
        await this.options.clock.sleep(pause);
        waitedMs += pause;
      }
    }
  }

  private fail(failure: StorageError): void {
    if (this.failure !== null) return;
    const database = this.database;
    this.release(failure);
    if (database === null) return;
    const abandoned = { database, file: this.file, lease: this.lease, openFile: this.openFile };
    if (failure.code === 'corrupt') {
      if (!closeUnchanged(abandoned, this.options.logger)) this.lease = null;
    } else if (failure.code === 'replaced') {
      this.lease = null;
      this.rescued = copyReplaced(abandoned, this.options);
    } else {
      database.close();
      markClosed(this.file);
    }
  }

  private release(failure: StorageError): void {
    this.failure = failure;
    this.database = null;
    this.statements.clear();
  }
}
