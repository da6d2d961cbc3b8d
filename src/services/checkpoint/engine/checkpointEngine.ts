import path from 'node:path';
import type { Clock } from '../../../utils/clock';
import { databaseFileName } from '../../database/sqlite/databaseFile';
import { inTransaction } from '../../database/sqlite/ownConnection';
import { keepStatements, openSqlite, type DatabaseSync } from '../../database/sqlite/sqlite';
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

export interface EngineOptions {
  /** The storage root; its database is migrated already. */
  directory: string;
  /** This writer among all that ever share the storage. */
  owner: string;
  environment: GitEnvironment;
  fileSystem: FileSystem;
  clock: Clock;
  /** Asked while a workspace is scanned, which is given up when it says so. */
  isCancelled: () => boolean;
  /** Told how much of what is stored `verify` has read, from 0 to 1. */
  onRead?: (share: number) => void;
  /** A program that calls `serveBlocks`; without one, this thread compresses all by itself. */
  blockThreadPath?: string;
  /** A program that calls `serveSyncs`; without one, what is restored becomes durable file by file. */
  syncThreadPath?: string;
  /** When the machine was started, in milliseconds; by default as the system tells. */
  bootedAt?: () => number;
}

/** This thread may wait for a lock. */
const timeoutMs = 10_000;

/**
 * The snapshot store on a connection of its own, by what it is about: the host's thread calls these six through the worker. All is
 * synchronous. Throws `SnapshotError` and what `toStorageError` knows.
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

  constructor(options: EngineOptions) {
    const { directory, owner, fileSystem, clock, blockThreadPath, isCancelled, onRead } = options;
    const database = open(path.join(directory, databaseFileName));
    const place = { directory: path.join(directory, 'objects'), owner, fileSystem, clock };
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
    [this.database, this.store, this.taker, this.checkpoints, this.approvals] = [
      database,
      objects,
      taker,
      checkpoints,
      approvals,
    ];
    this.objects = { put: (contents) => objects.put(contents), get: (hash) => objects.copyOf(hash) };
    this.restores = new Restorer({ ...parts, approved: (sessionId) => approvals.approved(sessionId) });
    this.histories = new KeptHistories(database, objects, options);
    this.care = new SnapshotCare(parts);
    inTransaction(database, () => rows.failAbandoned());
  }

  /** To be called while nothing is to be done: what was seen is written down for the next start. */
  rest(): void {
    this.taker.remember();
  }

  /** Rests, and closes the database: no other method may be called after it. */
  dispose(): void {
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
    return keepStatements(database);
  } catch (error) {
    throw toStorageError(error);
  }
}
