import type { HunkAnswer, RenewedChange, SnapshotState } from '../log/answers';
import type { Statements } from '../sqlite/sqlite';

/** Statements on decisions about hunks. Call the writing ones inside a write transaction. */

export interface GivenHunkAnswer extends HunkAnswer {
  /** `seq` of the log entry of the decision. */
  seq: number;
  path: string;
  shown: string;
  createdAt: number;
}

/** Cause of a decision: a planned operation or a log entry. */
type AnswerCause = { operationId: string } | { seq: number | null };

export function insertHunkAnswers(
  statements: Statements,
  sessionId: string,
  answers: readonly HunkAnswer[],
  cause: AnswerCause,
  now: number,
): void {
  const insert = statements.statement(
    `INSERT INTO hunk_answers (session_id, snapshot_id, operation_id, review_seq, action,
       from_object_id, from_mode, to_object_id, to_mode, created_at)
     VALUES (:session, :snapshot, :operation, :seq, :action, (SELECT id FROM snapshot_objects WHERE hash = :from), :fromMode,
       (SELECT id FROM snapshot_objects WHERE hash = :to), :toMode, :now)`,
  );
  for (const { action, snapshotId, from, to } of answers) {
    insert.run({
      session: sessionId,
      snapshot: snapshotId,
      action,
      now,
      operation: 'operationId' in cause ? cause.operationId : null,
      seq: 'seq' in cause ? cause.seq : null,
      from: from?.hash ?? null,
      fromMode: from?.mode ?? null,
      to: to?.hash ?? null,
      toMode: to?.mode ?? null,
    });
  }
}

/** Removes the planned decisions of an operation. */
export function dropPlannedAnswers(statements: Statements, operationId: string): void {
  statements.statement('DELETE FROM hunk_answers WHERE operation_id = ?').run(operationId);
}

/** Removes the decisions of entry `seq` for files whose decisions are reverted. `shown` contains the names of these files in the log. */
export function dropHunkAnswers(statements: Statements, sessionId: string, seq: number, shown: readonly string[]): void {
  statements
    .statement(
      `DELETE FROM hunk_answers WHERE session_id = ? AND review_seq = ?
         AND snapshot_id IN (SELECT id FROM file_snapshots WHERE shown IN (SELECT value FROM json_each(?)))`,
    )
    .run(sessionId, seq, JSON.stringify(shown));
}

/** Returns the decisions about hunks in the entry `seq`, in order. If `seq` is null, returns those of all entries. */
export function givenHunkAnswers(statements: Statements, sessionId: string, seq: number | null): GivenHunkAnswer[] {
  return statements
    .statement(
      `SELECT hunk_answers.review_seq AS seq, snapshot_id, action, f.hash AS from_hash, from_mode, t.hash AS to_hash, to_mode, path, shown,
         hunk_answers.created_at
       FROM hunk_answers JOIN file_snapshots ON file_snapshots.id = snapshot_id
         LEFT JOIN snapshot_objects AS f ON f.id = from_object_id LEFT JOIN snapshot_objects AS t ON t.id = to_object_id
       WHERE hunk_answers.session_id = :session AND hunk_answers.review_seq IS NOT NULL
         AND (:seq IS NULL OR hunk_answers.review_seq = :seq) AND is_released = 0
       ORDER BY hunk_answers.id`,
    )
    .all({ session: sessionId, seq })
    .map((row) => ({
      seq: Number(row['seq']),
      snapshotId: Number(row['snapshot_id']),
      path: String(row['path']),
      shown: String(row['shown']),
      action: row['action'] === 'keep' ? 'keep' : 'undo',
      from: toSnapshotState(row['from_hash'], row['from_mode']),
      to: toSnapshotState(row['to_hash'], row['to_mode']),
      createdAt: Number(row['created_at']),
    }));
}

/**
 * Returns the `seq` of the review entries that can be reverted. Decisions about hunks cannot be
 * reverted if the whole file was kept or undone later. Entries of imported sessions have no rows here.
 */
export function revertibleReviews(statements: Statements, sessionId: string): number[] {
  return statements
    .statement(
      `SELECT review_seq AS seq FROM file_snapshots
       WHERE session_id = :session AND status <> 'pending' AND is_released = 0 AND review_seq IS NOT NULL
       UNION SELECT h.review_seq FROM hunk_answers h JOIN file_snapshots f ON f.id = h.snapshot_id
       WHERE h.session_id = :session AND h.review_seq IS NOT NULL AND f.is_released = 0
         AND (f.status = 'pending' OR EXISTS (
           SELECT 1 FROM hunk_answers o JOIN file_snapshots p ON p.id = o.snapshot_id
           WHERE o.session_id = :session AND o.review_seq = f.review_seq AND p.path = f.path))
       ORDER BY 1`,
    )
    .all({ session: sessionId })
    .map((row) => Number(row['seq']));
}

export function toSnapshotState(hash: unknown, mode: unknown): SnapshotState | null {
  return typeof hash === 'string' ? { hash, mode: typeof mode === 'number' ? mode : null } : null;
}

/** Adds a change made at `now` as a new change by the agent, for the message of the preceding snapshot. */
export function insertRenewedChange(statements: Statements, { id, before, left }: RenewedChange, now: number): void {
  const readHash = (name: string) => `(SELECT id FROM snapshot_objects WHERE hash = :${name})`;
  statements
    .statement(
      `INSERT INTO file_snapshots (session_id, checkpoint_id, turn_seq, path, shown, object_id, mode,
           left_state, left_object_id, left_mode, created_at)
         SELECT session_id, checkpoint_id, turn_seq, path, shown, ${readHash('before')}, :mode, :state, ${readHash('left')}, :leftMode, max(created_at, :now)
         FROM file_snapshots WHERE id = :id`,
    )
    .run({
      id,
      now,
      before: before?.hash ?? null,
      mode: before?.mode ?? null,
      state: left === null ? 'gone' : 'file',
      left: left?.hash ?? null,
      leftMode: left?.mode ?? null,
    });
}
