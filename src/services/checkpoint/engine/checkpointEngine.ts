import path from 'node:path';
import type { RestoreTarget } from '../../../protocol/restore';
import type { CheckpointKind } from '../../../types/checkpoint';
import type { Clock } from '../../../utils/clock';
import { databaseFileName } from '../../database/sqlite/databaseFile';
import { inTransaction } from '../../database/sqlite/ownConnection';
import { keepStatements, openSqlite, type DatabaseSync } from '../../database/sqlite/sqlite';
import { toStorageError } from '../../database/sqlite/storageError';
import { ApprovalSessions, type Approval, type ApprovalRecord, type ApprovalState } from './approvalSessions';
import { ChangeReader, type ChangeDetails } from './manifests/changeDetails';
import { BlameReader, type Blame } from './manifests/blame';
import { BlockThread } from './objects/blockThread';
import { CheckpointRemoval, type StoredCheckpoints } from './checkpointRemoval';
import { Comparison, type FileChange } from './manifests/comparison';
import type { CheckpointProblems } from '../checkpointProblems';
import { CheckpointRows, type Asked, type CheckpointInfo } from '../checkpointTable';
import type { FileSystem } from '../fileSystem';
import { Garbage, type CollectedGarbage, type StorageUsage, type VerifiedStorage, type Worth } from './care/garbage';
import { isImported } from './importedCheckpoints';
import type { Files } from './manifests/manifestReader';
import { ManifestStore } from './manifests/manifestStore';
import type { Damage } from './objects/objectDamage';
import { ObjectStore } from './objects/objectStore';
import { OwnStates } from './restore/ownStates';
import { RestorePlanner, type RestoreOptions, type RestoreStep } from './restore/restorePlan';
import { Restorer, type RestoreResult } from './restore/restorer';
import type { GitEnvironment } from '../../git/repository';
import { isNameOnly, type FileState } from './scan/scannedFile';
import { SeenStore } from './scan/seenStore';
import { SnapshotTaker, type Workspace } from './manifests/snapshotTaker';
import { StagedFiles } from './manifests/stagedFiles';
import { StorageAccount, type SessionUsage } from './care/storageAccount';
import { StorageRoom, type MadeRoom } from './care/storageRoom';

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

export interface ApprovalStatus extends ApprovalState {
  /** In the order of the paths; of 500 of them with their lines. */
  changes: (FileChange & ChangeDetails)[];
  /** Whether anything differs from the approved state. */
  hasUnapproved: boolean;
}

/** This thread may wait for a lock. */
const timeoutMs = 10_000;

/** All of the snapshot store behind one synchronous face, on a connection of its own. Throws `SnapshotError` and what `toStorageError` knows. */
export class CheckpointEngine {
  private readonly database: DatabaseSync;
  private readonly objects: ObjectStore;
  private readonly manifests: ManifestStore;
  private readonly rows: CheckpointRows;
  private readonly comparison: Comparison;
  private readonly taker: SnapshotTaker;
  private readonly removal: CheckpointRemoval;
  private readonly restorer: Restorer;
  private readonly approvals: ApprovalSessions;
  private readonly garbage: Garbage;
  private readonly reader = new ChangeReader((hash) => this.objects.get(hash));

  constructor(private readonly options: EngineOptions) {
    const { directory, owner, fileSystem, clock, environment } = options;
    this.database = open(path.join(directory, databaseFileName));
    const place = { directory: path.join(directory, 'objects'), owner, fileSystem, clock };
    const { blockThreadPath } = options;
    this.objects = new ObjectStore(
      this.database,
      place,
      blockThreadPath === undefined ? undefined : new BlockThread(blockThreadPath),
    );
    this.manifests = new ManifestStore(this.database, clock);
    this.rows = new CheckpointRows(this.database, clock, owner);
    const staged = new StagedFiles(this.database);
    const seen = new SeenStore(path.join(directory, 'seen'), fileSystem);
    this.comparison = new Comparison(this.manifests, staged);
    this.taker = new SnapshotTaker(this.database, this.objects, this.manifests, { fileSystem, environment, clock, seen });
    this.removal = new CheckpointRemoval(this.database, this.manifests);
    const { database, objects, manifests, rows, taker } = this;
    const planner = new RestorePlanner(database, manifests, staged, options.fileSystem);
    this.restorer = new Restorer({ database, objects, rows, taker, planner, ...options });
    this.approvals = new ApprovalSessions(database, { rows, taker, restorer: this.restorer, ...options });
    this.garbage = new Garbage(database, manifests, objects, {
      ...place,
      isCancelled: options.isCancelled,
      onRead: options.onRead,
    });
    inTransaction(this.database, () => this.rows.failAbandoned());
  }

  /** See `SnapshotObjects.put`. */
  put(contents: Uint8Array[]): string[] {
    return this.objects.put(contents);
  }

  /** See `SnapshotObjects.get`. */
  get(hash: string): Uint8Array {
    // A copy: what is sent to another thread takes the whole buffer behind it along.
    return Uint8Array.from(this.objects.get(hash));
  }

  /**
   * Adds the row of a checkpoint, which `take` completes; a session's first one is preceded by `initial`, which is the state that a reset
   * goes back to. Returns the ids, the asked-for one last.
   */
  begin(sessionId: string, kind: CheckpointKind, title: string): string[] {
    return inTransaction(this.database, () => this.rows.beginNow(sessionId, kind, title));
  }

  /** Takes the checkpoint before the session's last message, where it has none yet; `throughSeq` as in `beginForMessage`. Returns what was taken. */
  takeForMessage(sessionId: string, workspace: Workspace, throughSeq: number): CheckpointInfo[] {
    if (!this.rows.isMessageWaiting(sessionId)) return [];
    return this.takeAs(() => this.rows.beginForMessage(sessionId, throughSeq), workspace);
  }

  /** Adds a checkpoint and takes it. */
  takeNow(sessionId: string, kind: CheckpointKind, title: string, workspace: Workspace, asked?: Asked): CheckpointInfo[] {
    return this.takeAs(() => this.rows.beginNow(sessionId, kind, title, asked), workspace);
  }

  /** Stores the workspace as it is now as the content of these checkpoints. Where that fails they are marked so. */
  take(ids: string[], workspace: Workspace): CheckpointInfo[] {
    return this.takeAs(() => ids, workspace);
  }

  /** See `SnapshotTaker.stage`. Without a checkpoint to keep it with, nothing is kept. */
  stage(sessionId: string, workspace: Workspace, root: string, relative: string): void {
    const latest = this.rows.latestOf(sessionId);
    if (latest !== null) this.taker.stage(workspace, latest, root, relative);
  }

  /** In the order they were taken. */
  list(sessionId: string): CheckpointInfo[] {
    return this.rows.list(sessionId);
  }

  /** See `CheckpointRows.missing`. */
  missing(sessionId: string): string[] {
    return this.rows.missing(sessionId);
  }

  /** Throws `SnapshotError` `notFound`. */
  info(id: string): CheckpointInfo {
    return this.rows.get(id);
  }

  /** What the checkpoint that a restore goes back to does not hold: how much, and the first `limit`. Throws `SnapshotError` `notFound`. */
  problemsOf(sessionId: string, target: RestoreTarget, limit: number): CheckpointProblems {
    switch (target.kind) {
      case 'checkpoint':
        return this.rows.problemsOf(target.id, limit);
      case 'restore':
        return this.rows.problemsOf(this.restorer.beforeOf(target.id), limit);
      case 'approved':
        return this.rows.problemsOf(this.approvals.approved(sessionId), limit);
    }
  }

  /** What differs between two checkpoints, in the order of the paths. Throws `SnapshotError` `notFound` or `notTaken`. */
  diff(from: string, to: string): FileChange[] {
    const changes = this.comparison.between(this.sideOf(from), this.sideOf(to));
    return this.known(this.known(changes, from, 'before'), to, 'after');
  }

  /**
   * What changed while a command ran, by it or by others, between the checkpoints before and after it. Where that one does not follow the
   * first, the session went on meanwhile: what its tools, its other commands and its restores left is not among it. Throws as `diff` does.
   */
  diffAround(before: string, after: string): FileChange[] {
    const changes = this.diff(before, after);
    if (this.rows.parentOf(after) === before) return changes;
    const { database, manifests } = this;
    const own = new OwnStates(database, manifests, this.rows.get(after).sessionId, { after: before, before: after });
    const numbers = new Map([...manifests.rootPaths()].map(([number, root]) => [root, number]));
    return changes.filter(({ root, path: relative, after: state }) => !own.has(numbers.get(root) ?? 0, relative, root, state));
  }

  /** As `diffAround`: how many there are, and the first `limit` of them with their lines. */
  changesAround(before: string, after: string, limit: number): { count: number; changes: (FileChange & ChangeDetails)[] } {
    const changes = this.diffAround(before, after);
    const named = changes.slice(0, limit);
    const details = this.reader.detailsOf(named, false);
    return { count: changes.length, changes: named.map((change, at) => ({ ...change, ...(details[at] as ChangeDetails) })) };
  }

  /** What differs between a checkpoint and the workspace as it is now; `hints` as in `TakeOptions`. */
  diffNow(from: string, workspace: Workspace, hints?: readonly string[]): FileChange[] {
    const before = this.sideOf(from);
    return this.taker.take(
      workspace,
      this.options.isCancelled,
      ({ manifestId }) => this.known(this.comparison.between(before, { manifestId, checkpointId: null }), from, 'before'),
      { isDry: true, hints },
    );
  }

  /** All files of a checkpoint, in the order of their paths. */
  files(id: string): { root: string; path: string; state: FileState }[] {
    const roots = this.manifests.rootPaths();
    const files = [...this.filesOf(id)].flatMap(([number, inRoot]) =>
      [...inRoot].flatMap(([relative, state]) =>
        isNameOnly(state) ? [] : [{ root: roots.get(number) ?? '', path: relative, state }],
      ),
    );
    return files.sort((one, other) => (one.root + one.path < other.root + other.path ? -1 : 1));
  }

  /** The content of a file in a checkpoint, of a link its target; null where there was none. */
  fileAt(id: string, root: string, relative: string): Uint8Array | null {
    const number = [...this.manifests.rootPaths()].find(([, at]) => at === path.resolve(root))?.[0];
    const state = number === undefined ? null : this.comparison.at(id, this.rows.manifestOf(id), number, relative);
    return state === null || state.hash === null ? null : this.get(state.hash);
  }

  /** See `BlameReader.blame`. */
  blame(root: string, relative: string, id: string | null): Blame | null {
    if (id !== null) this.rows.manifestOf(id);
    const { database, objects, manifests, comparison } = this;
    return new BlameReader({ ...this.options, database, objects, manifests, comparison }).blame(root, relative, id);
  }

  /** Throws `SnapshotError` `notFound` or `approved`. */
  remove(id: string): void {
    this.removal.remove(id);
  }

  /** See `CheckpointRemoval.stored`. */
  stored(sessionId: string, limit: number): StoredCheckpoints {
    return this.removal.stored(sessionId, limit);
  }

  /** Returns how many. */
  removeOlder(sessionId: string, time: number): number {
    return this.removal.removeOlder(sessionId, time);
  }

  /** See `Restorer.plan`. */
  plan(sessionId: string, id: string, workspace: Workspace, options: RestoreOptions): RestoreStep[] {
    return this.restorer.plan(sessionId, id, workspace, options);
  }

  /** See `Restorer.restore`. */
  restore(sessionId: string, id: string, workspace: Workspace, options: RestoreOptions): RestoreResult {
    return this.restorer.restore(sessionId, id, workspace, options);
  }

  /** See `Restorer.planUndo`. */
  planUndo(operationId: string, workspace: Workspace, options: RestoreOptions): RestoreStep[] {
    return this.restorer.planUndo(operationId, workspace, options);
  }

  /** See `Restorer.undo`. */
  undoRestore(operationId: string, workspace: Workspace, options: RestoreOptions): RestoreResult {
    return this.restorer.undo(operationId, workspace, options);
  }

  /** See `Restorer.recover`. */
  recover(workspace: Workspace): RestoreResult[] {
    return this.restorer.recover(workspace);
  }

  /** See `Restorer.untold`. */
  untoldRestores(): RestoreResult[] {
    return this.restorer.untold();
  }

  /** See `Restorer.told`. */
  markTold(operationId: string): void {
    this.restorer.told(operationId);
  }

  /** See `ApprovalSessions.approve`. */
  approve(sessionId: string, workspace: Workspace, message: string | null, record: ApprovalRecord | null = null): Approval {
    return this.approvals.approve(sessionId, workspace, message, record);
  }

  /** See `ApprovalSessions.reset`. */
  reset(sessionId: string, workspace: Workspace, options: RestoreOptions): RestoreResult & { workSession: string } {
    return this.approvals.reset(sessionId, workspace, options);
  }

  /** What `reset` would do. */
  planReset(sessionId: string, workspace: Workspace, options: RestoreOptions): RestoreStep[] {
    return this.approvals.planReset(sessionId, workspace, options);
  }

  /**
   * The work session, the approved state, and what differs from it now; with `hasTexts` the texts of it too. The lines are those of the files
   * from number `from` on. `hints` as in `TakeOptions`.
   */
  approvalStatus(sessionId: string, workspace: Workspace, hasTexts = false, hints?: readonly string[], from = 0): ApprovalStatus {
    const state = this.approvals.state(sessionId);
    const changes = state.approvedCheckpointId === null ? [] : this.diffNow(state.approvedCheckpointId, workspace, hints);
    const details = this.reader.detailsOf(changes, hasTexts, from);
    const detailed = changes.map((change, index) => ({ ...change, ...(details[index] as ChangeDetails) }));
    return { ...state, changes: detailed, hasUnapproved: detailed.length > 0 };
  }

  /** As `removeOlder`, of all sessions. */
  removeOlderOfAll(time: number): number {
    return this.removal.removeOlderOfAll(time);
  }

  /** How many checkpoints `removeOlderOfAll` would remove. */
  countOlder(time: number): number {
    return this.removal.countOlder(time);
  }

  /** See `Garbage.collect`. */
  collectGarbage(worth?: Worth): CollectedGarbage {
    return this.garbage.collect(worth);
  }

  /** See `StorageRoom.make`. */
  makeRoom(limit: number): MadeRoom {
    return new StorageRoom(this.database, this.garbage, this.removal).make(limit);
  }

  /** What is stored, for whom, which checkpoints of approved work could go, and what collecting garbage would free. */
  account(): StorageUsage & { sessions: SessionUsage[]; approved: { count: number; oldest: number | null }; freeable: number } {
    const approved = this.removal.approved();
    const sessions = new StorageAccount(this.database).sessions();
    const old = { count: approved.length, oldest: approved[0]?.createdAt ?? null };
    return { ...this.usage(), sessions, approved: old, freeable: this.garbage.freeable() };
  }

  /** See `Garbage.verify`. */
  verify(): VerifiedStorage {
    return this.garbage.verify();
  }

  /** Counts, and bytes on the disk: see `Garbage.usage`. */
  usage(): StorageUsage {
    return this.garbage.usage();
  }

  /** See `ObjectDamage.sum`. */
  damage(): Damage {
    return this.objects.damage.sum();
  }

  /** Stores anew what is damaged and lies in the workspace. Returns what became of it, and what nobody has any more. */
  heal(workspace: Workspace): Damage {
    const before = this.objects.damage.healed;
    this.taker.take(workspace, this.options.isCancelled, () => undefined, { isDry: true });
    this.garbage.healHeaders();
    const { healed, left } = this.damage();
    return { healed: healed - before, left };
  }

  /** To be called while nothing is to be done: what was seen is written down for the next start. */
  rest(): void {
    this.taker.remember();
  }

  /** Rests, and closes the database: no other method may be called after it. */
  dispose(): void {
    try {
      this.rest();
      this.objects.dispose();
    } finally {
      this.database.close();
    }
  }

  /** One transaction for rows and content: each costs a wait for the disk. `begin` gives the rows, again where they are to be marked as failed. */
  private takeAs(begin: () => string[], workspace: Workspace): CheckpointInfo[] {
    try {
      return this.taker.take(workspace, this.options.isCancelled, ({ manifestId, problems }) => {
        const ids = begin();
        for (const id of ids) this.rows.finish(id, manifestId, problems);
        return ids.map((id) => this.rows.get(id));
      });
    } catch (error) {
      inTransaction(this.database, () => begin().forEach((id) => this.rows.fail(id)));
      throw error;
    }
  }

  private sideOf(id: string): { manifestId: number; checkpointId: string } {
    return { manifestId: this.rows.manifestOf(id), checkpointId: id };
  }

  /** Without files that one of the two says nothing about, because it comes from elsewhere and holds some only. */
  private known(changes: FileChange[], id: string, side: 'before' | 'after'): FileChange[] {
    return isImported(this.database, id) ? changes.filter((change) => change[side] !== null) : changes;
  }

  private filesOf(id: string): Files {
    return this.manifests.load(this.rows.manifestOf(id)).files;
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
