import type { Entry, EntryInput } from '../../../protocol/entries';
import type { Clock } from '../../../utils/clock';
import { Emitter } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import { answeredPaths, answerRows, updateTotals, type Resolution, type SnapshotState } from '../log/answers';
import { checkpointTime } from './checkpointName';
import { latestCheckpointId } from './checkpointRows';
import type { Connection } from '../sqlite/connection';
import { endOperation } from './fileOperations';
import {
  dropHunkAnswers,
  dropPlannedAnswers,
  givenHunkAnswers,
  insertHunkAnswers,
  insertRenewedChange,
  revertibleReviews,
  type GivenHunkAnswer,
} from './hunkAnswers';
import { assertNoUndo } from './operations';
import { readPendingStats, type LineCounts, type PendingStats } from './pendingStats';
import { findRestoredFiles, type RestoredFile } from './restoredFiles';
import { findLastUndo, readSnapshots, snapshotsOfOtherSessions, type FileSnapshot, type OtherSnapshot } from './snapshotRows';

export interface NewSnapshot {
  path: string;
  shown: string;
  before: SnapshotState | null;
  movedFrom?: string | undefined;
}

/** Rows of a session that were added, kept or undone. */
export interface ChangedRows {
  sessionId: string;
  /** Changed files with former names; null if they are unknown. */
  paths: readonly string[] | null;
}

/** Stores the file snapshots of all sessions. Every method throws `StorageError`. All hashes passed in must be in the object store. */
export class FileSnapshots {
  private readonly changes: Emitter<ChangedRows>;

  constructor(
    private readonly connection: Connection,
    /** Appends to the log inside the transaction. Call `announce` after the commit. */
    private readonly appendWithin: (
      sessionId: string,
      inputs: readonly EntryInput[],
    ) => { entries: Entry[]; announce: () => void },
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.changes = new Emitter((error) => logger.error('A listener of the file snapshots failed', error));
  }

  /** Fires when rows of a session are added, kept or undone through this object. */
  get onDidChange() {
    return this.changes.event;
  }

  /**
   * Adds the snapshot of a file that is about to change. Adds nothing if the file already has a pending snapshot for this
   * message. Still adds another one if, since then, the user edited the file or decided about it, or another session
   * changed it. Throws `underWay` during an undo of the session, which would otherwise include the new snapshot. Resolves
   * with the ID of the new row, or null if nothing was added. Fires no event, because the file has not changed yet.
   */
  add(sessionId: string, snapshot: NewSnapshot): Promise<number | null> {
    return this.connection.write(() => {
      assertNoUndo(this.connection, sessionId, this.clock.now());
      return this.insert(sessionId, snapshot);
    });
  }

  /** Removes a row that `add` inserted, because the change was not made. */
  withdraw(sessionId: string, path: string, row: number): Promise<void> {
    return this.change(sessionId, () => {
      this.remove(row);
      return { paths: [path] };
    });
  }

  /**
   * Records the state of a file after the agent's change. If the snapshot `touched` was kept or undone in the
   * meantime, adds it again. It then replaces `row`, which was added for another state before the change.
   */
  recordResult(
    sessionId: string,
    path: string,
    left: SnapshotState | null,
    touched?: NewSnapshot,
    row?: number | null,
  ): Promise<void> {
    return this.change(sessionId, () => {
      if (row != null) this.remove(row);
      if (touched !== undefined) this.insert(sessionId, touched);
      this.connection
        .statement(
          `UPDATE file_snapshots SET left_state = :state, left_mode = :mode,
             left_object_id = (SELECT id FROM snapshot_objects WHERE hash = :hash)
           WHERE id = (SELECT max(id) FROM file_snapshots WHERE session_id = :session AND path = :path AND status = 'pending')`,
        )
        .run({
          session: sessionId,
          path,
          state: left === null ? 'gone' : 'file',
          hash: left?.hash ?? null,
          mode: left?.mode ?? null,
        });
      return { paths: [path, ...(touched === undefined ? [] : listPaths(touched))] };
    });
  }

  /** Reads the pending snapshots in the order in which the files were changed. */
  pending(sessionId: string): Promise<FileSnapshot[]> {
    return this.read(sessionId, `status = 'pending'`);
  }

  /** Reads the snapshots that the review entry `seq` kept or undid, unless this review was reverted. */
  answeredBy(sessionId: string, seq: number): Promise<FileSnapshot[]> {
    return this.read(sessionId, `review_seq = ? AND status <> 'pending' AND is_released = 0`, seq);
  }

  /** Returns the hunk decisions of the review entry `seq`, or of all entries if it is null. Omits decisions that were reverted. */
  hunkAnswers(sessionId: string, seq: number | null): Promise<GivenHunkAnswer[]> {
    return this.connection.read(() => givenHunkAnswers(this.connection, sessionId, seq));
  }

  /** Returns the `seq` of the review entries that can be reverted. */
  revertible(sessionId: string): Promise<number[]> {
    return this.connection.read(() => revertibleReviews(this.connection, sessionId));
  }

  /** Returns the last review entry that undid changes of a file and was not reverted. Returns null if there is none. */
  lastUndo(sessionId: string, path: string): Promise<number | null> {
    return this.connection.read(() => findLastUndo(this.connection, sessionId, path));
  }

  /** Reads the snapshots of these paths in other sessions, in the order in which the files were changed. */
  ofOtherSessions(sessionId: string, paths: readonly string[]): Promise<OtherSnapshot[]> {
    return this.connection.read(() => snapshotsOfOtherSessions(this.connection, sessionId, paths));
  }

  /** See `findRestoredFiles`. */
  restored(paths: readonly string[], since: number): Promise<RestoredFile[]> {
    return this.connection.read(() => findRestoredFiles(this.connection, paths, since));
  }

  private read(sessionId: string, condition: string, ...given: readonly number[]): Promise<FileSnapshot[]> {
    return this.connection.read(() => readSnapshots(this.connection, sessionId, condition, given));
  }

  /**
   * Keeps, undoes or reopens rows, writes the log and ends the operation, in one transaction. Does nothing if
   * another window has ended the operation. Without an operation, throws `underWay` during an undo of the
   * session. With an operation, undos left unfinished by an older version do not matter. They are finished later.
   */
  resolve(sessionId: string, resolution: Resolution, operationId?: string): Promise<void> {
    return this.change(sessionId, () => {
      if (operationId === undefined) assertNoUndo(this.connection, sessionId);
      else if (!endOperation(this.connection, operationId, this.clock.now())) return { paths: [] };
      const { entries, announce } = this.appendWithin(sessionId, [resolution.entry]);
      const seq = entries[0]?.seq ?? null;
      answerRows(this.connection, sessionId, resolution, seq);
      const { action, targetSeq, paths } = resolution.entry.data;
      if (action === 'revert' && targetSeq !== undefined) dropHunkAnswers(this.connection, sessionId, targetSeq, paths);
      if (operationId !== undefined) dropPlannedAnswers(this.connection, operationId);
      insertHunkAnswers(this.connection, sessionId, resolution.hunks ?? [], { seq }, this.clock.now());
      for (const change of resolution.renewed ?? []) insertRenewedChange(this.connection, change, this.clock.now());
      return { announce, paths: action === 'revert' ? null : answeredPaths(this.connection, resolution) };
    });
  }

  /** Fires the event for rows that another connection kept or undid. */
  noteAnswers(sessionId: string): void {
    this.changes.fire({ sessionId, paths: null });
  }

  /** Stores the line counts for the session list. Files that are not in `counts` have a count of 0. */
  async saveCounts(sessionId: string, counts: ReadonlyMap<string, LineCounts>): Promise<void> {
    await this.connection.write(() => {
      const first = new Set<string>();
      const counted: Record<string, unknown>[] = [];
      for (const row of this.connection
        .statement(
          `SELECT id, path, checkpoint_id AS checkpoint FROM file_snapshots WHERE session_id = ? AND status = 'pending' ORDER BY id`,
        )
        .all(sessionId)) {
        const path = String(row['path']);
        const found = first.has(path) ? undefined : counts.get(path);
        first.add(path);
        this.connection
          .statement('UPDATE file_snapshots SET additions = ?, deletions = ? WHERE id = ?')
          .run(found?.additions ?? 0, found?.deletions ?? 0, Number(row['id']));
        counted.push(row);
      }
      updateTotals(this.connection, counted);
    });
  }

  /** Returns the totals of pending changes by session. */
  getSessionsPendingStats(): Promise<Map<string, PendingStats>> {
    return this.connection.read(() => readPendingStats(this.connection));
  }

  dispose(): void {
    this.changes.dispose();
  }

  /** Removes a row, unless the result of its change is recorded or the user has decided about it. */
  private remove(row: number): void {
    const removed = this.connection
      .statement(
        `DELETE FROM file_snapshots WHERE id = ? AND status = 'pending' AND left_state = 'unknown'
           AND NOT EXISTS (SELECT 1 FROM hunk_answers WHERE snapshot_id = file_snapshots.id)
         RETURNING checkpoint_id AS checkpoint`,
      )
      .get(row);
    updateTotals(this.connection, [removed]);
  }

  /** Inserts a row. Returns its id, or null if the file already has a pending snapshot. */
  private insert(sessionId: string, { path, shown, before, movedFrom }: NewSnapshot): number | null {
    const moved = before === null ? (movedFrom ?? null) : null;
    const added = this.connection
      .statement(
        `WITH turn AS (SELECT coalesce(max(seq), 0) AS seq FROM messages WHERE session_id = :session AND type = 'user_input')
         INSERT INTO file_snapshots (session_id, checkpoint_id, turn_seq, path, shown, object_id, mode, moved_from, created_at)
         SELECT :session,
           (SELECT id FROM checkpoints WHERE session_id = :session AND kind = 'message' ORDER BY id DESC LIMIT 1),
           turn.seq, :path, :shown, (SELECT id FROM snapshot_objects WHERE hash = :hash), :mode, :moved, max(:now, :latest)
         FROM turn WHERE NOT EXISTS (
           SELECT 1 FROM file_snapshots
           WHERE id = (SELECT max(id) FROM file_snapshots WHERE path = :path)
             AND session_id = :session AND status = 'pending' AND turn_seq = turn.seq
             AND NOT EXISTS (SELECT 1 FROM hunk_answers WHERE snapshot_id = file_snapshots.id AND review_seq IS NOT NULL)
             AND (left_state = 'unknown' OR left_object_id IS (SELECT id FROM snapshot_objects WHERE hash = :hash)
               OR object_id IS (SELECT id FROM snapshot_objects WHERE hash = :hash)))
         RETURNING id, checkpoint_id AS checkpoint`,
      )
      .get({
        session: sessionId,
        path,
        shown,
        moved,
        hash: before?.hash ?? null,
        mode: before?.mode ?? null,
        // Keep the order after earlier checkpoints if the clock was set back.
        now: this.clock.now(),
        latest: checkpointTime(latestCheckpointId(this.connection) ?? ''),
      });
    if (before === null && added === undefined) this.moveLatest(sessionId, path, moved);
    updateTotals(this.connection, [added]);
    return added === undefined ? null : Number(added['id']);
  }

  /** Updates the origin of a file that was created, deleted and created again. */
  private moveLatest(sessionId: string, path: string, movedFrom: string | null): void {
    this.connection
      .statement(
        `UPDATE file_snapshots SET moved_from = :movedFrom WHERE object_id IS NULL
           AND id = (SELECT max(id) FROM file_snapshots WHERE session_id = :session AND path = :path AND status = 'pending')`,
      )
      .run({ session: sessionId, path, movedFrom });
  }

  private async change(sessionId: string, work: () => Pick<ChangedRows, 'paths'> & { announce?: () => void }): Promise<void> {
    await this.connection.write(work, ({ announce, paths }) => {
      announce?.();
      this.changes.fire({ sessionId, paths });
    });
  }
}

function listPaths({ path, movedFrom }: NewSnapshot): string[] {
  return movedFrom === undefined ? [path] : [path, movedFrom];
}
