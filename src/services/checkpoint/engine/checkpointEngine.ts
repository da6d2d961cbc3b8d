import path from 'node:path';
import type { Clock } from '../../../utils/clock';
import { databaseFileName, objectsFolderName } from '../../database/sqlite/databaseFile';
import { inTransaction } from '../../database/sqlite/ownConnection';
import { cacheStatements, openSqlite, type DatabaseSync } from '../../database/sqlite/sqlite';
import { toStorageError } from '../../database/sqlite/storageError';
import type { GitEnvironment } from '../../git/repository';
import { CheckpointRows } from '../checkpointTable';
import type { FileSystem } from '../../../utils/files/fileSystem';
import { ApprovalSessions } from './approvalSessions';
import { Garbage } from './care/garbage';
import { SnapshotCare } from './care/snapshotCare';
import { CheckpointRemoval } from './checkpointRemoval';
import { CheckpointStore } from './checkpointStore';
import { KeptHistories } from './keptHistories';
import { ChangeReader } from './manifests/changeDetails';
import { Comparison } from './manifests/comparison';
import { ManifestStore } from './manifests/manifestStore';
import { SnapshotTaker } from './manifests/snapshotTaker';
import { StagedFiles } from './manifests/stagedFiles';
import { BlockThread } from './objects/blockThread';
import { ObjectStore } from './objects/objectStore';
import { RestorePlanner } from './restore/restorePlan';
import { Restorer } from './restore/restorer';
import { UncoveredReader } from './restore/uncovered';
import { SeenStore } from './scan/seenStore';
import { SyncThread } from './syncThread';

export interface EngineOptions {
  /** Storage root with a migrated database. */
  directory: string;
  /** Id of this writer. It is unique among all writers that ever use the storage. */
  owner: string;
  environment: GitEnvironment;
  fileSystem: FileSystem;
  clock: Clock;
  /** Polled during scans. A scan stops when it returns true. */
  isCancelled: () => boolean;
  /** Called with the progress of `verify`, from 0 to 1. */
  onRead?: (share: number) => void;
  /** Path of the script that calls `serveBlocks`. Without it, this thread does all compression. */
  blockThreadPath?: string;
  /** Path of the script that calls `serveSyncs`. Without it, restored files are synced one by one. */
  syncThreadPath?: string;
  /** Returns the machine's boot time in milliseconds. By default, reads it from the system. */
  bootedAt?: () => number;
}

/** Maximum time to wait for a lock, in milliseconds. This thread may block. */
const timeoutMs = 10_000;

/**
 * Snapshot store with its own database connection. The host thread calls the methods through the worker, grouped into six
 * subjects. All methods are synchronous. Throws `SnapshotError`, and errors that `toStorageError` converts.
 */
export class CheckpointEngine {
  /** See `SnapshotObjects`. */
  readonly objects: { put(contents: Uint8Array[]): string[]; get(hash: string): Uint8Array };
  readonly checkpoints: CheckpointStore;
  readonly restores: Restorer;
  readonly approvals: ApprovalSessions;
  readonly histories: KeptHistories;
  readonly care: SnapshotCare;
  private readonly database: DatabaseSync;
  private readonly store: ObjectStore;
  private readonly taker: SnapshotTaker;
  private readonly syncThread: SyncThread;

  constructor(options: EngineOptions) {
    const { directory, owner, fileSystem, clock, blockThreadPath, isCancelled, onRead } = options;
    const database = open(path.join(directory, databaseFileName));
    const place = { directory: path.join(directory, objectsFolderName), owner, fileSystem, clock };
    const objects = new ObjectStore(
      database,
      place,
      blockThreadPath === undefined ? undefined : new BlockThread(blockThreadPath),
    );
    const manifests = new ManifestStore(database, clock);
    const rows = new CheckpointRows(database, clock, owner);
    const staged = new StagedFiles(database);
    const comparison = new Comparison(manifests, staged);
    const seen = new SeenStore(path.join(directory, 'seen'), fileSystem);
    const taker = new SnapshotTaker(staged, objects, manifests, { ...options, seen });
    const removal = new CheckpointRemoval(database, manifests);
    const reader = new ChangeReader((hash) => objects.get(hash));
    const garbage = new Garbage(database, manifests, objects, { ...place, isCancelled, onRead });
    const planner = new RestorePlanner(database, manifests, staged, fileSystem);
    const uncovered = new UncoveredReader(manifests, fileSystem);
    const shared = { ...options, database, objects, manifests, rows, comparison, taker };
    const parts = { ...shared, removal, reader, garbage, planner, uncovered };
    const checkpoints = new CheckpointStore(parts);
    const approvals = new ApprovalSessions(database, {
      ...parts,
      diffNow: (from, workspace, hints) => checkpoints.diffNow(from, workspace, hints),
    });
    this.database = database;
    this.store = objects;
    this.taker = taker;
    this.checkpoints = checkpoints;
    this.approvals = approvals;
    this.objects = { put: (contents) => objects.put(contents), get: (hash) => objects.copyContent(hash) };
    this.syncThread = new SyncThread(options.syncThreadPath);
    this.restores = new Restorer({
      ...parts,
      syncThread: this.syncThread,
      approved: (sessionId) => approvals.approved(sessionId),
    });
    this.histories = new KeptHistories(database, objects, options);
    this.care = new SnapshotCare(parts);
    inTransaction(database, () => rows.failAbandoned());
  }

  /** Saves the scan caches for the next start. Call this when the engine is idle. */
  rest(): void {
    this.taker.remember();
  }

  /** Saves the scan caches and closes the database. No other method may be called afterwards. */
  dispose(): void {
    this.syncThread.stop();
    try {
      this.rest();
      this.store.dispose();
    } finally {
      this.database.close();
    }
  }
}

function open(file: string): DatabaseSync {
  try {
    const database = openSqlite(file, { timeout: timeoutMs, enableForeignKeyConstraints: true });
    database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 16000');
    return cacheStatements(database);
  } catch (error) {
    throw toStorageError(error);
  }
}
