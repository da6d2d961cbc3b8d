import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { AsyncMutex } from '../../../utils/asyncMutex';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import type { Logger } from '../../../utils/logger';
import { databaseFileName, inspectDatabaseFile, markClosed, markOpen } from './databaseFile';
import { inTransaction } from './ownConnection';
import { isMigrated, versionOf } from './schemaVersion';
import { openSqlite, type DatabaseSync, type StatementSync } from './sqlite';
import { StorageError, toStorageError } from './storageError';
import { shareStorage } from './storageLease';

export interface ConnectionOptions {
  /** The storage root; made if it is missing. */
  directory: string;
  clock: Clock;
  logger: Logger;
  /** Told once when the open database turns out damaged: it is given up then. Must not throw. */
  onDamage?: ((failure: StorageError) => void) | undefined;
}

/** References that keep databases and leases from being closed before the process ends, even by the garbage collector. */
const neverClosed: unknown[] = [];

/**
 * The host thread's connection. SQLite waits synchronously for a lock, so it may wait for 5 ms at most; longer waits are
 * retries with the event loop free between them. Writes run one at a time in the order of the calls, each in its own
 * `BEGIN IMMEDIATE` transaction. A database that turns out damaged is given up at once and never written again.
 */
export class Connection {
  readonly file: string;
  private database: DatabaseSync | null = null;
  private failure: StorageError | null = null;
  private newer: StorageError | null = null;
  private wasLeftOpen = false;
  /** Lease of the storage, held from before the file is first touched until it is certainly closed. */
  private lease: Disposable | null = null;
  private readonly statements = new Map<string, StatementSync>();
  private readonly writes = new AsyncMutex();
  private ticket = 0;
  /** Writes that were already waiting when another one ran out of patience are tried once only. */
  private lastImpatientTicket = 0;
  private patienceMs = 10_000;

  constructor(private readonly options: ConnectionOptions) {
    this.file = path.join(options.directory, databaseFileName);
  }

  /** Reason why nothing can be written although all can be read: a newer version made the database; null if it is writable. */
  get readOnlyBecause(): StorageError | null {
    return this.newer;
  }

  /** True if the database was not closed before it was opened here. */
  get wasCutOff(): boolean {
    return this.wasLeftOpen;
  }

  /**
   * Opens and migrates, after a backup of what was there; what a newer version made is opened for reading. Throws `StorageError`; after
   * one of them every other call throws the same.
   */
  async open(): Promise<void> {
    const { directory } = this.options;
    try {
      mkdirSync(directory, { recursive: true });
      const alone = this.hasLogFile() ? () => (this.wasLeftOpen = true) : undefined;
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

  /** Returns a prepared statement, kept for the next time. Call it only inside `read` and `write`. */
  statement(sql: string): StatementSync {
    let statement = this.statements.get(sql);
    if (statement === undefined) {
      statement = this.opened().prepare(sql);
      this.statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs short queries; `work` is synchronous and may run more than once. Throws `StorageError`. */
  read<T>(work: () => T): Promise<T> {
    return this.untilUnlocked(() => this.guarded(work));
  }

  /**
   * Runs `work` in a write transaction; it is synchronous, rolled back when it throws, and may run more than once.
   * `afterCommit` runs right after the commit, before anything else can; it must not throw. Throws `StorageError`.
   */
  write<T>(work: () => T, afterCommit?: (result: T) => void): Promise<T> {
    this.ticket += 1;
    const ticket = this.ticket;
    if (this.newer !== null) return Promise.reject(this.newer);
    return this.writes.runExclusive(async () => {
      try {
        const isPatient = () => ticket > this.lastImpatientTicket;
        return await this.untilUnlocked(() => {
          const result = this.guarded(() => this.transact(work));
          afterCommit?.(result);
          return result;
        }, isPatient);
      } catch (error) {
        if (error instanceof StorageError && error.code === 'locked') this.lastImpatientTicket = this.ticket;
        throw error;
      }
    });
  }

  /**
   * Moves what was written since a worker moved the rest from the log file into the database, after the writes that wait; for other
   * windows it does not wait. Throws `StorageError`.
   */
  moveLatest(): Promise<void> {
    return this.writes.runExclusive(() => {
      this.guarded(() => void this.opened().prepare('PRAGMA wal_checkpoint(PASSIVE)').get());
    });
  }

  /** Hears of damage that another connection found. */
  report(error: unknown): void {
    if (!(error instanceof StorageError) || error.code !== 'corrupt' || this.failure !== null) return;
    this.fail(error);
    this.options.onDamage?.(error);
  }

  /** Waits for the writes under way (at most a second for a lock), moves the log file's content into the database and closes it. */
  async close(): Promise<void> {
    this.patienceMs = Math.min(this.patienceMs, 1_000);
    await this.writes.runExclusive(() => undefined);
    const database = this.database;
    if (database !== null) {
      this.release(new StorageError('closed', 'The database is closed'));
      try {
        if (this.newer === null) database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
      } catch (error) {
        // Nothing is lost: the log file stays and is read at the next start.
        this.options.logger.warn('The final checkpoint was left to the next start', error);
      }
      database.close();
      markClosed(this.file);
    }
    await this.lease?.dispose();
    this.lease = null;
  }

  /** Tells whether this version may write; false if a newer version made the database. Throws what keeps it from being opened at all. */
  private mayWrite(): boolean {
    try {
      inspectDatabaseFile(this.file);
      return true;
    } catch (error) {
      if (!(error instanceof StorageError) || error.code !== 'newer') throw error;
      this.newer = error;
      return false;
    }
  }

  /** Opens the database for reading. Newer versions only add; if this one cannot read what they made, it does not open it. */
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

  /** Tells whether there is a write-ahead log; if nobody has the database open, a window that did not end well left it. */
  private hasLogFile(): boolean {
    try {
      return (statSync(`${this.file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    } catch {
      return false;
    }
  }

  private async migrate(): Promise<void> {
    // Without the write lock where there is nothing to do: another window may be busy.
    if (await this.read(() => isMigrated(this.opened()))) return;
    const { backUpBeforeMigration, migrateOnce } = await import(/* webpackChunkName: "upkeep" */ '../upkeep/upkeep');
    const version = await this.read(() => versionOf(this.opened()));
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
    markOpen(this.file);
  }

  private opened(): DatabaseSync {
    if (this.failure !== null) throw this.failure;
    if (this.database === null) throw new StorageError('closed', 'The database is not open');
    return this.database;
  }

  private transact<T>(work: () => T): T {
    return inTransaction(this.opened(), work);
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
        if (waitedMs >= this.patienceMs || !isPatient()) throw error;
        // Two windows that wait for each other must not keep the same step.
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
    if (failure.code === 'corrupt') this.abandon(database);
    else {
      database.close();
      markClosed(this.file);
    }
  }

  private release(failure: StorageError): void {
    this.failure = failure;
    this.database = null;
    this.statements.clear();
  }

  /**
   * Gives up a damaged database without changing it. The last connection to close writes the log file's content into the database; a
   * read-only one that outlives it keeps it from that.
   */
  private abandon(database: DatabaseSync): void {
    try {
      const shield = openSqlite(this.file, { readOnly: true, timeout: 5 });
      try {
        shield.prepare('PRAGMA schema_version').get();
        database.close();
      } finally {
        shield.close();
      }
      markClosed(this.file);
    } catch (error) {
      // And with it the lease: nobody may move the file under it.
      neverClosed.push(database, this.lease);
      this.lease = null;
      this.options.logger.error('The damaged database stays open until the window closes', error);
    }
  }
}
