import type { SnapshotState } from '../log/answers';
import type { Statements } from '../sqlite/sqlite';
import { StorageError } from '../sqlite/storageError';
import { givenHunkAnswers, toSnapshotState, type GivenHunkAnswer } from './hunkAnswers';

/** State of a file before the agent's first change after a message. */
export interface FileSnapshot {
  id: number;
  /** `seq` of the message. */
  turn: number;
  /** Checkpoint before the message. */
  checkpointId: string | null;
  /** Absolute path without symbolic links. */
  path: string;
  /** Path in log entries. */
  shown: string;
  before: SnapshotState | null;
  /** Former `path` of a renamed file. Only set if the new path did not exist before. */
  movedFrom: string | null;
  /** State of the file after the agent's last change; undefined if unknown. */
  left: SnapshotState | null | undefined;
  status: 'pending' | 'kept' | 'undone';
  /** Later decisions about hunks, in order. They were made while this was the last pending snapshot of the file. */
  answers: readonly GivenHunkAnswer[];
  /** State of the file before it was undone. */
  undone: SnapshotState | null;
  createdAt: number;
}

/** Snapshot of another chat that changed the same file. */
export interface OtherSnapshot extends FileSnapshot {
  sessionId: string;
  /** Time when it was kept or undone; null while it is pending. */
  answeredAt: number | null;
}

const columns = `file_snapshots.id, turn_seq, checkpoint_id, path, shown, mode, moved_from, status, left_state, left_mode, undone_mode, b.hash AS before, l.hash AS "left", u.hash AS undone,
  file_snapshots.created_at`;
const joined = `file_snapshots
  LEFT JOIN snapshot_objects AS b ON b.id = object_id
  LEFT JOIN snapshot_objects AS l ON l.id = left_object_id
  LEFT JOIN snapshot_objects AS u ON u.id = undone_object_id`;

/** Returns the snapshots of a session that meet a condition, in the order in which the files were changed. */
export function readSnapshots(
  statements: Statements,
  sessionId: string,
  condition: string,
  given: readonly number[],
): FileSnapshot[] {
  const rows = statements
    .statement(`SELECT ${columns} FROM ${joined} WHERE session_id = ? AND ${condition} ORDER BY file_snapshots.id`)
    .all(sessionId, ...given);
  const answers = rows.length === 0 ? [] : givenHunkAnswers(statements, sessionId, null);
  return rows.map((row) => toSnapshot(row, answers));
}

/** Returns the snapshots of these paths in other sessions, in the order in which the files were changed. */
export function snapshotsOfOtherSessions(statements: Statements, sessionId: string, paths: readonly string[]): OtherSnapshot[] {
  const rows = statements
    .statement(
      `SELECT ${columns}, session_id, (SELECT messages.timestamp FROM messages
           WHERE messages.session_id = file_snapshots.session_id AND seq = review_seq) AS answered_at
         FROM ${joined} WHERE path IN (SELECT value FROM json_each(?)) AND session_id <> ? AND is_released = 0
         ORDER BY file_snapshots.id`,
    )
    .all(JSON.stringify(paths), sessionId);
  const sessions = new Set(rows.map((row) => String(row['session_id'])));
  const answers = [...sessions].flatMap((id) => givenHunkAnswers(statements, id, null));
  return rows.map((row) => ({
    ...toSnapshot(row, answers),
    sessionId: String(row['session_id']),
    answeredAt: row['answered_at'] === null ? null : Number(row['answered_at']),
  }));
}

/** Returns the last review entry that undid changes of a file and was not reverted. Returns null if there is none. */
export function findLastUndo(statements: Statements, sessionId: string, path: string): number | null {
  const row = statements
    .statement(
      `SELECT max(seq) AS seq FROM (
         SELECT review_seq AS seq FROM file_snapshots
         WHERE session_id = :session AND path = :path AND status = 'undone' AND is_released = 0
         UNION ALL
         SELECT hunk_answers.review_seq FROM hunk_answers JOIN file_snapshots ON file_snapshots.id = snapshot_id
         WHERE hunk_answers.session_id = :session AND path = :path AND action = 'undo' AND is_released = 0)`,
    )
    .get({ session: sessionId, path });
  return typeof row?.['seq'] === 'number' ? row['seq'] : null;
}

function toSnapshot(row: Record<string, unknown>, answers: readonly GivenHunkAnswer[]): FileSnapshot {
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
    before: toSnapshotState(row['before'], mode),
    movedFrom: typeof movedFrom === 'string' ? movedFrom : null,
    left: leftState === 'unknown' ? undefined : toSnapshotState(row['left'], row['left_mode']),
    status,
    answers: answers.filter(({ snapshotId }) => snapshotId === Number(id)),
    createdAt: Number(row['created_at']),
    undone: toSnapshotState(row['undone'], row['undone_mode']),
  };
}
