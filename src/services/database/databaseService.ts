import type { Statistics } from '../../protocol/requests/statisticsRequests';
import type { EntryInput } from '../../protocol/entries';
import type { Clock } from '../../utils/clock';
import { DisposableStore } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { probeCapabilities, type StorageCapabilities } from './sqlite/capabilities';
import { Connection } from './sqlite/connection';
import { isCancelled } from '../../utils/errors';
import { FileOperations } from './sessions/fileOperations';
import { FileSnapshots } from './sessions/fileSnapshots';
import type { IntegrityReport } from './upkeep/integrity';
import { Images } from './log/images';
import { LogQueries } from './log/logQueries';
import { OffloadedWork } from './offloadedWork';
import { MadeFolders } from './sessions/madeFolders';
import { ModelRepository } from './sessions/modelRepository';
import { Operations } from './sessions/operations';
import { Indexer } from './search/indexer';
import type { EntrySearchPage, EntrySearchRequest, SearchPage, SearchRequest } from './search/searchResults';
import { QueuedMessages } from './log/queuedMessages';
import { SessionLog } from './log/sessionLog';
import { pendingFiles, type PendingFilePath } from './sessions/pendingFiles';
import { SessionRepository } from './sessions/sessionRepository';
import type { StorageError } from './sqlite/storageError';

export interface DatabaseServiceOptions {
  /** Storage root. See `storageDirectory`. */
  directory: string;
  /** Id of this window. It is unique among all windows that ever use the database. */
  owner: string;
  clock: Clock;
  logger: Logger;
  /** Path of the compiled `databaseWorker`. */
  workerPath: string;
  /** See `ConnectionOptions`. */
  isFresh?: boolean;
  /** Called once when the open database is found to be damaged. After that, every call throws. Must not throw. */
  onDamage?: (failure: StorageError) => void;
}

/** Milliseconds between the start and the check of a database that was not closed properly. */
const checkDelayMs = 20_000;

/**
 * Entry point to the database. Call `initialize` to open the database, or `begin` if the connection
 * is already open. Before that, and after a failed `initialize`, every call throws `StorageError`.
 */
export class DatabaseService {
  readonly sessions: SessionRepository;
  readonly log: SessionLog;
  readonly queries: LogQueries;
  readonly queued: QueuedMessages;
  readonly images: Images;
  readonly fileSnapshots: FileSnapshots;
  readonly fileOperations: FileOperations;
  readonly operations: Operations;
  readonly madeFolders: MadeFolders;
  readonly models: ModelRepository;
  private readonly connection: Connection;
  private readonly offloaded: OffloadedWork;
  private readonly indexer: Indexer;
  private readonly options: DatabaseServiceOptions;
  private probed: StorageCapabilities | null = null;
  private isOpen = false;
  private readonly stop = new AbortController();
  private checking: Promise<void> = Promise.resolve();

  constructor(options: DatabaseServiceOptions, connection?: Connection) {
    const { owner, clock, logger, workerPath } = options;
    this.options = options;
    this.connection = connection ?? new Connection(options);
    this.offloaded = new OffloadedWork(this.connection, workerPath, logger);
    this.indexer = new Indexer(() => this.offloaded.indexSlice(), clock, logger);
    this.log = new SessionLog(this.connection, this.offloaded, clock, logger);
    const ports = {
      closeAbandoned: (sessionId: string) => this.log.closeAbandoned(sessionId),
      appendWithin: (sessionId: string, inputs: readonly EntryInput[]) => this.log.appendWithin(sessionId, inputs),
      deleteSession: (sessionId: string) => this.offloaded.deleteSession(sessionId),
    };
    this.sessions = new SessionRepository(this.connection, ports, owner, clock, logger);
    this.queries = new LogQueries(this.connection, ports);
    this.queued = new QueuedMessages(this.connection, ports.appendWithin, clock, logger);
    this.images = new Images(this.connection, clock);
    this.fileSnapshots = new FileSnapshots(this.connection, ports.appendWithin, clock, logger);
    this.fileOperations = new FileOperations(this.connection, clock, owner);
    this.operations = new Operations(this.connection, clock, owner, logger);
    this.madeFolders = new MadeFolders(this.connection, logger);
    this.models = new ModelRepository(this.connection, clock);
  }

  /** Features of the runtime's SQLite; null before `initialize`. */
  get capabilities(): StorageCapabilities | null {
    return this.probed;
  }

  /** Opens and migrates the database. If it throws `StorageError`, the file is unchanged. */
  async initialize(): Promise<void> {
    await this.connection.open();
    this.begin();
  }

  /** Starts the background work. Call this once, when the connection is open. */
  begin(): void {
    const { logger } = this.options;
    this.probed = probeCapabilities();
    logger.info('Storage', this.probed);
    if (!this.probed.fts5) logger.warn('This SQLite has no full-text search (FTS5)');
    this.log.onDidChange((event) => {
      if (event.revision === undefined) return;
      this.offloaded.noteWrite();
      this.indexer.note();
    });
    this.indexer.note();
    this.isOpen = true;
    if (this.connection.wasNotClosed) this.checking = this.checkLater();
  }

  /** Finds sessions with a matching entry or title, by relevance or last activity. Throws `StorageError`. */
  search(request: SearchRequest): Promise<SearchPage> {
    return this.offloaded.search(request);
  }

  /** Finds entries of one session or of all sessions. Throws `StorageError`. */
  searchEntries(request: EntrySearchRequest): Promise<EntrySearchPage> {
    return this.offloaded.searchEntries(request);
  }

  /** Rebuilds the search index from the log, in the background and before each search. Throws `StorageError`. */
  async rebuildIndex(): Promise<void> {
    await this.offloaded.dropIndex();
    this.indexer.note();
  }

  /** Lists the files with pending changes in all sessions. Throws `StorageError`. */
  pendingFiles(): Promise<PendingFilePath[]> {
    return pendingFiles(this.connection);
  }

  /** Error for all writes; null if the database is writable. */
  get readOnlyBecause(): StorageError | null {
    return this.connection.readOnlyBecause;
  }

  /** Reads the statistics from a given day on. Days are counted from the epoch, in UTC. Throws `StorageError`. */
  statistics(sinceDay: number): Promise<Statistics> {
    return this.offloaded.statistics(sinceDay);
  }

  /** Deletes all statistics. Keeps conversations. Throws `StorageError`. */
  deleteStatistics(): Promise<void> {
    return this.offloaded.deleteStatistics();
  }

  /** Writes a consistent copy of the history to a file. Replaces an existing file. Throws `StorageError`. */
  backUp(target: string): Promise<void> {
    return this.offloaded.backUp(target);
  }

  /** Checks the whole database and closes it if it is damaged. Throws `StorageError` and `CancelledError`. */
  checkIntegrity(signal?: AbortSignal): Promise<IntegrityReport> {
    return this.offloaded.checkIntegrity(signal);
  }

  /** Notifies listeners about sessions that another connection imported. */
  noteImport(): void {
    this.offloaded.noteWrite();
    this.indexer.note();
    this.sessions.noteImport();
  }

  /** Handles damage that another connection found. */
  report(failure: StorageError): void {
    this.connection.report(failure);
  }

  /** Stores pending text, releases this window's sessions and closes the database. Throws the first failure after all steps. */
  async dispose(): Promise<void> {
    const steps = new DisposableStore();
    steps.add({ dispose: () => this.connection.close() });
    steps.add({ dispose: () => this.checking });
    steps.add({ dispose: () => this.offloaded.dispose() });
    steps.add({ dispose: () => this.stop.abort() });
    steps.add(this.indexer);
    steps.add(this.sessions);
    steps.add(this.queued);
    steps.add(this.fileSnapshots);
    if (this.isOpen && this.readOnlyBecause === null) steps.add({ dispose: () => this.sessions.releaseAll() });
    if (this.isOpen) steps.add(this.log);
    this.isOpen = false;
    await steps.dispose();
  }

  /** Checks the whole database some time after the start, because it was not closed properly. */
  private async checkLater(): Promise<void> {
    const { clock, logger } = this.options;
    try {
      await clock.sleep(checkDelayMs, this.stop.signal);
      const { problems, damagedChats, sessions, entries } = await this.offloaded.checkIntegrity();
      if (problems.length > 0) logger.error(`The database is damaged after an unclean end: ${problems.join('; ')}`);
      else if (damagedChats.length > 0)
        logger.error(`Entries changed on disk after they were saved, in these chats: ${damagedChats.join(', ')}`);
      else logger.info(`The database is intact after an unclean end: ${entries} entries, ${sessions} sessions`);
    } catch (error) {
      if (!isCancelled(error) && !this.stop.signal.aborted) logger.warn('The database could not be checked', error);
    }
  }
}
