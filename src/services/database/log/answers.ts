import type { EntryInput } from '../../../protocol/entries';
import { rollUp } from '../sessions/checkpointRows';
import type { Statements } from '../sqlite/sqlite';

/** Statements that record keep and undo decisions for file snapshots. Call them inside a write transaction. */

/** State of a file: hash of its content, and permission bits. Null if the file does not exist. */
export interface SnapshotState {
  hash: string;
  mode: number | null;
}

/**
 * Decision to keep or undo a hunk. `keep` changes the state of the file's base, and `undo` the state of the
 * file. `from` and `to` are the states before and after the decision. They are null if the file did not exist.
 */
export interface HunkAnswer {
  action: 'keep' | 'undo';
  /** The file's last pending snapshot. */
  snapshotId: number;
  from: SnapshotState | null;
  to: SnapshotState | null;
}

/** Change that counts as a new change by the agent, after snapshot `id`, because its lines were restored. */
export interface RenewedChange {
  id: number;
  before: SnapshotState | null;
  left: SnapshotState | null;
}

/** Decisions about snapshots, and the log entry that records them. */
export interface Resolution {
  status: 'pending' | 'kept' | 'undone';
  rows: readonly { id: number; undone?: SnapshotState | null }[];
  /** Decisions per hunk. The decision about the last hunk of a file also keeps or undoes the file's snapshots. */
  hunks?: readonly HunkAnswer[];
  renewed?: readonly RenewedChange[];
  entry: Extract<EntryInput, { type: 'review' }>;
}

/** Maximum number of snapshots with decisions whose files are listed. */
const mostNamed = 50;

/** Returns the files of the rows and hunks with decisions, including former names. Returns null if there are too many. */
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

/** Records that entry `seq` contains the user's decision about these snapshots. Call `assertNoUndo` first. */
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
        id,
        status,
        session: sessionId,
        hash: undone?.hash ?? null,
        mode: undone?.mode ?? null,
        seq: status === 'pending' ? null : seq,
      }),
  );
  updateTotals(statements, answered);
}

/** Releases the originals of all kept files, or of the snapshots `ids`. After that, keeping these files can no longer be undone. */
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

/** Updates the totals of the checkpoints of these rows. */
export function updateTotals(statements: Statements, rows: readonly (Record<string, unknown> | undefined)[]): void {
  rollUp(
    statements,
    rows.flatMap((row) => (typeof row?.['checkpoint'] === 'string' ? [row['checkpoint']] : [])),
  );
}
