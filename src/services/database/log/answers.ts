import type { EntryInput } from '../../../protocol/entries';
import { rollUp } from '../sessions/checkpointRows';
import type { Statements } from '../sqlite/sqlite';

/** The statements that answer file snapshots. All of them run inside a write transaction. */

/** A state that a file had: its content by the hash, and its permission bits. Null where there was no file. */
export interface SnapshotState {
  hash: string;
  mode: number | null;
}

/** States of a file's base (`keep`), or of the file (`undo`), before and after an answer; null if there was none. */
export interface HunkAnswer {
  action: 'keep' | 'undo';
  /** The last snapshot of the file that waits. */
  snapshotId: number;
  from: SnapshotState | null;
  to: SnapshotState | null;
}

/** Change of a file that counts as one more of the agent's, after the snapshot `id`: lines of its came back. */
export interface RenewedChange {
  id: number;
  before: SnapshotState | null;
  left: SnapshotState | null;
}

/** Rows that a person has answered, with one entry of the log that says so. */
export interface Resolution {
  status: 'pending' | 'kept' | 'undone';
  rows: readonly { id: number; undone?: SnapshotState | null }[];
  /** Answers hunk by hunk; the rows of a file are answered with its last hunks. */
  hunks?: readonly HunkAnswer[];
  renewed?: readonly RenewedChange[];
  entry: Extract<EntryInput, { type: 'review' }>;
}

/** Answered rows of which the files are named one by one. */
const mostNamed = 50;

/** Returns the files of the rows that were answered, whole or by hunks, with former names; null where they are many. */
export function answeredPaths(statements: Statements, { rows, hunks = [] }: Resolution): string[] | null {
  const ids = new Set([...rows.map(({ id }) => id), ...hunks.map(({ snapshotId }) => snapshotId)]);
  if (ids.size > mostNamed) return null;
  const statement = statements.statement('SELECT path, moved_from AS movedFrom FROM file_snapshots WHERE id = ?');
  const found = [...ids].flatMap((id) => {
    const row = statement.get(id);
    return [row?.['path'], row?.['movedFrom']].filter((path) => typeof path === 'string');
  });
  return [...new Set(found)];
}

/**
 * Marks snapshots as answered. `seq` is that of the entry that says so. The caller has made sure that no undo is under way, see
 * `assertNoUndo`.
 */
export function answerRows(
  statements: Statements,
  sessionId: string,
  { status, rows }: Pick<Resolution, 'status' | 'rows'>,
  seq: number | null,
): void {
  const answered = rows.map(({ id, undone = null }) =>
    statements
      .statement(
        `UPDATE file_snapshots SET status = :status, review_seq = :seq, undone_mode = :mode,
           undone_object_id = (SELECT id FROM snapshot_objects WHERE hash = :hash)
         WHERE id = :id AND session_id = :session RETURNING checkpoint_id AS checkpoint`,
      )
      .get({
        ...{ id, status, session: sessionId, hash: undone?.hash ?? null, mode: undone?.mode ?? null },
        seq: status === 'pending' ? null : seq,
      }),
  );
  rollUpOf(statements, answered);
}

/**
 * Releases the snapshots of kept files, of `ids` where they are given: their former content need not be held for them, and the answer
 * cannot be taken back.
 */
export function releaseKept(statements: Statements, sessionId: string, ids: readonly number[] | null = null): void {
  statements
    .statement(
      `UPDATE file_snapshots SET is_released = 1, object_id = NULL, undone_object_id = NULL
       WHERE session_id = :session AND status = 'kept' AND is_released = 0
         AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))`,
    )
    .run({ session: sessionId, ids: ids && JSON.stringify(ids) });
  statements
    .statement(
      `DELETE FROM hunk_answers WHERE session_id = ? AND snapshot_id IN (SELECT id FROM file_snapshots WHERE is_released = 1)`,
    )
    .run(sessionId);
}

/** Rolls up the checkpoints that the rows belong to. */
export function rollUpOf(statements: Statements, rows: readonly (Record<string, unknown> | undefined)[]): void {
  rollUp(
    statements,
    rows.flatMap((row) => (typeof row?.['checkpoint'] === 'string' ? [row['checkpoint']] : [])),
  );
}
