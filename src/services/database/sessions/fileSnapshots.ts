import type { Entry, EntryInput } from '../../../protocol/entries';
import type { Clock } from '../../../utils/clock';
import { Emitter } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import { answeredPaths, answerRows, rollUpOf, type Resolution, type SnapshotState } from '../log/answers';
import { checkpointTime } from './checkpointName';
import { latestCheckpointId } from './checkpointRows';
import type { Connection } from '../sqlite/connection';
import { endOperation } from './fileOperations';
import {
  dropHunkAnswers,
  dropPlannedAnswers,
  givenHunkAnswers,
  insertHunkAnswers,
  renewChange,
  stateOf,
  type GivenHunkAnswer,
} from './hunkAnswers';
import { assertNoUndo } from './operations';
import { StorageError } from '../sqlite/storageError';

/** State of a file before the agent first touched it after a message. */
export interface FileSnapshot {
  id: number;
  /** `seq` of that message. */
  turn: number;
  /** The checkpoint before that message. */
  checkpointId: string | null;
  /** Absolute, free of symbolic links. */
  path: string;
  /** Path in the form that entries carry. */
  shown: string;
  before: SnapshotState | null;
  /** `path` of the file that the agent made this one of; only where there was none before. */
  movedFrom: string | null;
  /** State in which the agent left the file last; undefined if it is not known. */
  left: SnapshotState | null | undefined;
  status: 'pending' | 'kept' | 'undone';
  /** Changes that kept hunks have made since to the former state, in order. */
  kept: readonly { from: SnapshotState | null; to: SnapshotState | null }[];
  /** State of the file before it was undone. */
  undone: SnapshotState | null;
}

export interface NewSnapshot {
  path: string;
  shown: string;
  before: SnapshotState | null;
  movedFrom?: string | undefined;
}

export interface LineCounts {
  additions: number;
  deletions: number;
}

/** Rows of a session that were added or answered. */
export interface ChangedRows {
  sessionId: string;
  /** Files that they are of, with former names; null where that is not known. */
  paths: readonly string[] | null;
}

/** Sum of the changes that wait for an answer in a session. */
interface PendingStats extends LineCounts {
  files: number;
}

const columns = `file_snapshots.id, turn_seq, checkpoint_id, path, shown, mode, moved_from, status, left_state, left_mode, undone_mode, b.hash AS before, l.hash AS "left", u.hash AS undone`;
const joined = `file_snapshots
  LEFT JOIN snapshot_objects AS b ON b.id = object_id
  LEFT JOIN snapshot_objects AS l ON l.id = left_object_id
  LEFT JOIN snapshot_objects AS u ON u.id = undone_object_id`;

/** First by checkpoint, whose own totals count where its files have none yet, then by session. */
const pendingStatsSql = `
  SELECT session_id, sum(additions) AS additions, sum(deletions) AS deletions,
    (SELECT count(DISTINCT path) FROM file_snapshots f WHERE f.session_id = grouped.session_id AND f.status = 'pending') AS files
  FROM (
    SELECT f.session_id,
      coalesce(sum(f.additions), c.total_additions, 0) AS additions, coalesce(sum(f.deletions), c.total_deletions, 0) AS deletions
    FROM file_snapshots f LEFT JOIN checkpoints c ON c.id = f.checkpoint_id
    WHERE f.status = 'pending' GROUP BY f.session_id, f.checkpoint_id
  ) grouped GROUP BY session_id`;

/** The file snapshots of the sessions. Every method throws `StorageError`; hashes that are given must be in the object store. */
export class FileSnapshots {
  private readonly changes: Emitter<ChangedRows>;

  constructor(
    private readonly connection: Connection,
    /** Appends to the log inside the transaction; `announce` is called after the commit. */
    private readonly appendWithin: (
      sessionId: string,
      inputs: readonly EntryInput[],
    ) => { entries: Entry[]; announce: () => void },
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.changes = new Emitter((error) => logger.error('A listener of the file snapshots failed', error));
  }

  /** Fires when rows of a session were added or answered through this object. */
  get onDidChange() {
    return this.changes.event;
  }

  /**
   * Adds the snapshot of a file about to be touched. Only the first one of a file after each message counts while nobody has answered
   * it; another one counts if a person has changed the file since the agent left it, as those edits are theirs. Throws `underWay` during
   * an undo of the session, whose end would answer for what the agent does meanwhile.
   */
  add(sessionId: string, snapshot: NewSnapshot): Promise<void> {
    return this.change(sessionId, () => {
      assertNoUndo(this.connection, sessionId, this.clock.now());
      this.insert(sessionId, snapshot);
      return { paths: pathsOf(snapshot) };
    });
  }

  /**
   * Records the state in which the agent left a file. Adds the snapshot `touched` again if somebody has answered it
   * meanwhile.
   */
  leave(sessionId: string, path: string, left: SnapshotState | null, touched?: NewSnapshot): Promise<void> {
    return this.change(sessionId, () => {
      if (touched !== undefined) this.insert(sessionId, touched);
      this.connection
        .statement(
          `UPDATE file_snapshots SET left_state = :state, left_mode = :mode,
             left_object_id = (SELECT id FROM snapshot_objects WHERE hash = :hash)
           WHERE id = (SELECT max(id) FROM file_snapshots WHERE session_id = :session AND path = :path AND status = 'pending')`,
        )
        .run({
          ...{ session: sessionId, path, state: left === null ? 'gone' : 'file' },
          ...{ hash: left?.hash ?? null, mode: left?.mode ?? null },
        });
      return { paths: [path, ...(touched === undefined ? [] : pathsOf(touched))] };
    });
  }

  /** Reads the snapshots that wait for an answer, in the order in which the files were touched. */
  pending(sessionId: string): Promise<FileSnapshot[]> {
    return this.read(sessionId, `status = 'pending'`);
  }

  /** Reads the snapshots that the review entry `seq` answered and nobody has taken back since. */
  answeredBy(sessionId: string, seq: number): Promise<FileSnapshot[]> {
    return this.read(sessionId, `review_seq = ? AND status <> 'pending' AND is_released = 0`, seq);
  }

  /** Returns what was answered hunk by hunk and not taken back: by the review entry `seq` or, where that is null, by all. */
  hunkAnswers(sessionId: string, seq: number | null): Promise<GivenHunkAnswer[]> {
    return this.connection.read(() => givenHunkAnswers(this.connection, sessionId, seq));
  }

  private read(sessionId: string, condition: string, ...given: readonly number[]): Promise<FileSnapshot[]> {
    return this.connection.read(() => {
      const rows = this.connection
        .statement(`SELECT ${columns} FROM ${joined} WHERE session_id = ? AND ${condition} ORDER BY file_snapshots.id`)
        .all(sessionId, ...given);
      const kept =
        rows.length === 0 ? [] : givenHunkAnswers(this.connection, sessionId, null).filter(({ action }) => action === 'keep');
      return rows.map((row) => toSnapshot(row, kept));
    });
  }

  /**
   * Answers rows, or takes answers back, says so in the log and ends the operation that it is of: all of it or nothing. Nothing where
   * another window has ended that. Without an operation throws `underWay` where an undo of the session is not over; with one, others that
   * an older version left are finished after it.
   */
  resolve(sessionId: string, resolution: Resolution, operationId?: string): Promise<void> {
    return this.change(sessionId, () => {
      if (operationId === undefined) assertNoUndo(this.connection, sessionId);
      else if (!endOperation(this.connection, operationId, this.clock.now())) return { paths: [] };
      const { entries, announce } = this.appendWithin(sessionId, [resolution.entry]);
      const seq = entries[0]?.seq ?? null;
      answerRows(this.connection, sessionId, resolution, seq);
      const { action, targetSeq } = resolution.entry.data;
      if (action === 'revert' && targetSeq !== undefined) dropHunkAnswers(this.connection, sessionId, targetSeq);
      if (operationId !== undefined) dropPlannedAnswers(this.connection, operationId);
      insertHunkAnswers(this.connection, sessionId, resolution.hunks ?? [], { seq }, this.clock.now());
      for (const change of resolution.renewed ?? []) renewChange(this.connection, change);
      return { announce, paths: action === 'revert' ? null : answeredPaths(this.connection, resolution) };
    });
  }

  /** Rows of the session were answered on another connection. */
  noteAnswers(sessionId: string): void {
    this.changes.fire({ sessionId, paths: null });
  }

  /** Keeps what a list of sessions shows; the files of the session that are not named count nothing. */
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
      rollUpOf(this.connection, counted);
    });
  }

  /** Returns the sum of the waiting changes of each session that has any. */
  getSessionsPendingStats(): Promise<Map<string, PendingStats>> {
    return this.connection.read(() => {
      const rows = this.connection.statement(pendingStatsSql).all();
      return new Map(
        rows.map(({ session_id: id, additions, deletions, files }) => [
          String(id),
          { additions: Number(additions), deletions: Number(deletions), files: Number(files) },
        ]),
      );
    });
  }

  dispose(): void {
    this.changes.dispose();
  }

  private insert(sessionId: string, { path, shown, before, movedFrom }: NewSnapshot): void {
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
           WHERE id = (SELECT max(id) FROM file_snapshots
               WHERE session_id = :session AND status = 'pending' AND path = :path AND turn_seq = turn.seq)
             AND (left_state = 'unknown' OR left_object_id IS (SELECT id FROM snapshot_objects WHERE hash = :hash)
               OR object_id IS (SELECT id FROM snapshot_objects WHERE hash = :hash)))
         RETURNING checkpoint_id AS checkpoint`,
      )
      .get({
        session: sessionId,
        ...{ path, shown, moved, hash: before?.hash ?? null, mode: before?.mode ?? null },
        // Not before the checkpoints that it is after, also where the clock was set back.
        ...{ now: this.clock.now(), latest: checkpointTime(latestCheckpointId(this.connection) ?? '') },
      });
    if (before === null && added === undefined) this.moveLatest(sessionId, path, moved);
    rollUpOf(this.connection, [added]);
  }

  /** Notes a new origin for a file that was made and taken away again. */
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

function pathsOf({ path, movedFrom }: NewSnapshot): string[] {
  return movedFrom === undefined ? [path] : [path, movedFrom];
}

function toSnapshot(row: Record<string, unknown>, kept: readonly GivenHunkAnswer[]): FileSnapshot {
  const { id, path, shown, mode, status, left_state: leftState, moved_from: movedFrom } = row;
  if (status !== 'pending' && status !== 'kept' && status !== 'undone') {
    throw new StorageError('corrupt', `The file snapshot ${String(id)} has the status ${String(status)}`);
  }
  return {
    id: Number(id),
    turn: Number(row['turn_seq']),
    checkpointId: typeof row['checkpoint_id'] === 'string' ? row['checkpoint_id'] : null,
    path: String(path),
    shown: String(shown),
    before: stateOf(row['before'], mode),
    movedFrom: typeof movedFrom === 'string' ? movedFrom : null,
    left: leftState === 'unknown' ? undefined : stateOf(row['left'], row['left_mode']),
    status,
    kept: kept.filter(({ snapshotId }) => snapshotId === Number(id)),
    undone: stateOf(row['undone'], row['undone_mode']),
  };
}
