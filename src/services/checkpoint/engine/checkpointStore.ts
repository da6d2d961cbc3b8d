import path from 'node:path';
import type { CheckpointKind } from '../../../types/checkpoint';
import { inTransaction } from '../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../database/sqlite/sqlite';
import type { CheckpointRows, TakeRequest, CheckpointInfo } from '../checkpointTable';
import type { FileSystem } from '../../../utils/files/fileSystem';
import type { CheckpointRemoval, StoredCheckpointList } from './checkpointRemoval';
import { isImported } from './importedCheckpoints';
import { BlameReader, type Blame } from './manifests/blame';
import type { ChangeDetails, ChangeReader } from './manifests/changeDetails';
import type { Comparison, FileChange } from './manifests/comparison';
import type { ManifestStore } from './manifests/manifestStore';
import type { SnapshotTaker, Workspace } from './manifests/snapshotTaker';
import type { ObjectStore } from './objects/objectStore';
import { SessionStates } from './restore/sessionStates';
import type { UncoveredPaths, UncoveredReader } from './restore/uncovered';
import { isNameOnly, type FileState } from './scan/scannedFile';

export interface CheckpointStoreParts {
  database: DatabaseSync;
  objects: ObjectStore;
  manifests: ManifestStore;
  rows: CheckpointRows;
  comparison: Comparison;
  taker: SnapshotTaker;
  removal: CheckpointRemoval;
  reader: ChangeReader;
  uncovered: UncoveredReader;
  fileSystem: FileSystem;
  isCancelled: () => boolean;
}

/** Changes between the checkpoints before and after a command. */
export interface ChangesAround {
  count: number;
  changes: (FileChange & ChangeDetails)[];
  uncovered: UncoveredPaths;
}

/** Takes, lists, compares and removes checkpoints. Throws `SnapshotError`, and errors that `toStorageError` converts. */
export class CheckpointStore {
  constructor(private readonly parts: CheckpointStoreParts) {}

  /**
   * Takes the checkpoint before the session's last message, unless it exists.
   * For `throughSeq`, see `beginForMessage`. Returns the taken checkpoints.
   */
  takeForMessage(sessionId: string, workspace: Workspace, throughSeq: number): CheckpointInfo[] {
    const { rows } = this.parts;
    if (!rows.needsMessageCheckpoint(sessionId)) return [];
    return this.takeAs(() => rows.beginForMessage(sessionId, throughSeq), workspace);
  }

  /**
   * Adds and takes a checkpoint, or marks it as failed. If it is the session's first, also takes `initial`, the target of a
   * reset. Returns the taken checkpoints, with the requested one last.
   */
  takeNow(sessionId: string, kind: CheckpointKind, title: string, workspace: Workspace, asked?: TakeRequest): CheckpointInfo[] {
    return this.takeAs(() => this.parts.rows.beginNow(sessionId, kind, title, asked), workspace);
  }

  /** See `SnapshotTaker.stage`. Does nothing if the session has no checkpoint. */
  stage(sessionId: string, workspace: Workspace, root: string, relative: string): void {
    const latest = this.parts.rows.findLatest(sessionId);
    if (latest !== null) this.parts.taker.stage(workspace, latest, root, relative);
  }

  list(sessionId: string): CheckpointInfo[] {
    return this.parts.rows.list(sessionId);
  }

  /** See `CheckpointRows.missing`. */
  missing(sessionId: string): string[] {
    return this.parts.rows.missing(sessionId);
  }

  /** Throws `SnapshotError` `notFound`. */
  info(id: string): CheckpointInfo {
    return this.parts.rows.get(id);
  }

  /** Returns the differences between two checkpoints, sorted by path. Throws `SnapshotError` `notFound` or `notTaken`. */
  diff(from: string, to: string): FileChange[] {
    const changes = this.parts.comparison.between(this.findSide(from), this.findSide(to));
    return this.known(this.known(changes, from, 'before'), to, 'after');
  }

  /**
   * Returns the changes between the checkpoints before and after a command. If other checkpoints lie between them, skips the
   * changes made by the session's tools, other commands and restores. Throws the same errors as `diff`.
   */
  diffAround(before: string, after: string): FileChange[] {
    const changes = this.diff(before, after);
    const { database, manifests, rows } = this.parts;
    if (rows.findParent(after) === before) return changes;
    const own = new SessionStates(database, manifests, rows.get(after).sessionId, { after: before, before: after });
    const numbers = new Map([...manifests.rootPaths()].map(([number, root]) => [root, number]));
    return changes.filter(({ root, path: relative, after: state }) => !own.has(numbers.get(root) ?? 0, relative, root, state));
  }

  /**
   * Returns the number of changes from `diffAround`, and the first `limit` of them
   * with lines. Also returns the deleted files that are recorded by name only.
   */
  changesAround(before: string, after: string, limit: number): ChangesAround {
    const { rows, uncovered } = this.parts;
    const changes = this.diffAround(before, after);
    const named = changes.slice(0, limit);
    const details = this.parts.reader.describeChanges(named, false);
    return {
      count: changes.length,
      changes: named.map((change, at) => ({ ...change, ...(details[at] as ChangeDetails) })),
      uncovered: uncovered.between(rows.findManifest(before), rows.findManifest(after), limit),
    };
  }

  /** Returns the differences between a checkpoint and the current workspace. For `hints`, see `TakeOptions`. */
  diffNow(from: string, workspace: Workspace, hints?: readonly string[]): FileChange[] {
    const { comparison, taker, isCancelled } = this.parts;
    const before = this.findSide(from);
    return taker.take(
      workspace,
      isCancelled,
      ({ manifestId }) => this.known(comparison.between(before, { manifestId, checkpointId: null }), from, 'before'),
      { isDry: true, hints },
    );
  }

  /** Returns all files of a checkpoint, sorted by path. */
  files(id: string): { root: string; path: string; state: FileState }[] {
    const { manifests, rows } = this.parts;
    const roots = manifests.rootPaths();
    const files = [...manifests.load(rows.findManifest(id)).files].flatMap(([number, inRoot]) =>
      [...inRoot].flatMap(([relative, state]) =>
        isNameOnly(state) ? [] : [{ root: roots.get(number) ?? '', path: relative, state }],
      ),
    );
    return files.sort((one, other) => (one.root + one.path < other.root + other.path ? -1 : 1));
  }

  /** Returns the content of a file, or the target of a link, in a checkpoint. Returns null if it did not exist. */
  fileAt(id: string, root: string, relative: string): Uint8Array | null {
    const { comparison, manifests, objects, rows } = this.parts;
    const number = [...manifests.rootPaths()].find(([, at]) => at === path.resolve(root))?.[0];
    const state = number === undefined ? null : comparison.at(id, rows.findManifest(id), number, relative);
    return state === null || state.hash === null ? null : objects.copyContent(state.hash);
  }

  /** See `BlameReader.blame`. */
  blame(root: string, relative: string, id: string | null): Blame | null {
    if (id !== null) this.parts.rows.findManifest(id);
    return new BlameReader(this.parts).blame(root, relative, id);
  }

  /** Throws `SnapshotError` `notFound` or `approved`. */
  remove(id: string): void {
    this.parts.removal.remove(id);
  }

  /** See `CheckpointRemoval.stored`. */
  stored(sessionId: string, limit: number): StoredCheckpointList {
    return this.parts.removal.stored(sessionId, limit);
  }

  /** Removes the session's checkpoints older than `time`. Returns the number of removed checkpoints. */
  removeOlder(sessionId: string, time: number): number {
    return this.parts.removal.removeOlder(sessionId, time);
  }

  /**
   * Writes rows and content in one transaction, because each transaction waits for the disk. `begin` adds the rows and returns
   * their ids. It runs again after a failure, so that the checkpoints are marked as failed.
   */
  private takeAs(begin: () => string[], workspace: Workspace): CheckpointInfo[] {
    const { database, rows, taker, isCancelled } = this.parts;
    try {
      return taker.take(workspace, isCancelled, ({ manifestId, problems }) => {
        const ids = begin();
        for (const id of ids) rows.finish(id, manifestId, problems);
        return ids.map((id) => rows.get(id));
      });
    } catch (error) {
      inTransaction(database, () => begin().forEach((id) => rows.fail(id)));
      throw error;
    }
  }

  private findSide(id: string): { manifestId: number; checkpointId: string } {
    return { manifestId: this.parts.rows.findManifest(id), checkpointId: id };
  }

  /** Omits files that an imported checkpoint does not contain, because such a checkpoint has only some files. */
  private known(changes: FileChange[], id: string, side: 'before' | 'after'): FileChange[] {
    return isImported(this.parts.database, id) ? changes.filter((change) => change[side] !== null) : changes;
  }
}
