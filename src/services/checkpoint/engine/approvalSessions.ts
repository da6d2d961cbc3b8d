import path from 'node:path';
import { answerRows, releaseKept, type Resolution } from '../../database/log/answers';
import { insertRecord } from '../../database/log/logInsert';
import { assertNoneUnderWay, assertNoUndo } from '../../database/sessions/operations';
import { inTransaction } from '../../database/sqlite/ownConnection';
import { createStatements, type DatabaseSync } from '../../database/sqlite/sqlite';
import type { EarlierWorkSession } from '../../../protocol/restore';
import type { MessageRecord } from '../../../types/session';
import type { Clock } from '../../../utils/clock';
import type { CheckpointRows } from '../checkpointTable';
import type { ChangeDetails, ChangeReader } from './manifests/changeDetails';
import type { FileChange } from './manifests/comparison';
import { SnapshotError } from '../snapshotError';
import type { SnapshotTaker, Workspace } from './manifests/snapshotTaker';
import { activeSessions } from './activeSessions';

export interface Approval {
  checkpointId: string;
  /** The new active work session. */
  workSession: string;
  /** Number of checkpoints in the approved work session, excluding the initial checkpoint. */
  checkpointCount: number;
  /** Log records written with the approval. */
  records: MessageRecord[];
}

/** Data that is written to the log with an approval. */
export interface ApprovalRecord {
  /** Decision to keep the pending changes; null if there are none. */
  kept: Resolution | null;
  /** Files that differ from the previously approved state, with their names in the conversation. */
  paths: string[];
}

export interface ApprovalState {
  /** The active work session. */
  workSession: string;
  /** Target of a reset; null before the session's first checkpoint. */
  approvedCheckpointId: string | null;
  /** Time in milliseconds; null if the user has never approved. */
  lastApprovedAt: number | null;
}

export interface ApprovalStatus extends ApprovalState {
  /** Changes sorted by path. Lines are counted for up to 500 of them. */
  changes: (FileChange & ChangeDetails)[];
  hasUnapproved: boolean;
  /** Earlier work sessions, newest first. */
  earlier: EarlierWorkSession[];
}

/** Largest number of earlier work sessions listed. */
const maxEarlier = 50;

/** Approves or resets a work session: all changes since the last approval. */
export class ApprovalSessions {
  constructor(
    private readonly database: DatabaseSync,
    private readonly parts: {
      rows: CheckpointRows;
      taker: SnapshotTaker;
      reader: ChangeReader;
      /** See `CheckpointStore.diffNow`. */
      diffNow: (from: string, workspace: Workspace, hints?: readonly string[]) => FileChange[];
      clock: Clock;
      owner: string;
      isCancelled: () => boolean;
    },
  ) {}

  /**
   * Approves the current workspace and begins the next work session. With a record, also keeps the pending changes and writes the
   * log, in the same transaction. Throws `SnapshotError` `busy` while a run of the session is active, because its next change
   * would be kept without review. Throws `StorageError` `underWay` while an undo of the session is unfinished, or while another
   * window restores files in the workspace.
   */
  approve(sessionId: string, workspace: Workspace, message: string | null, record: ApprovalRecord | null = null): Approval {
    const { rows, taker, clock, owner, isCancelled } = this.parts;
    return taker.take(workspace, isCancelled, ({ manifestId, problems }) => {
      if (activeSessions({ database: this.database, clock, owner }).some(({ id }) => id === sessionId))
        throw new SnapshotError('busy', 'A run works in this session');
      const statements = createStatements(this.database);
      assertNoUndo(statements, sessionId);
      const roots = workspace.roots.map((root) => path.resolve(root));
      assertNoneUnderWay(statements, roots, { owner, now: clock.now() });
      const approved = rows.activeWorkSession(sessionId);
      const checkpointId = rows.begin(sessionId, 'manual', message ?? `Approved: ${approved}`);
      rows.finish(checkpointId, manifestId, problems);
      this.database
        .prepare(
          `INSERT INTO approved_states (session_id, number, checkpoint_id, work_session, message, approved_at)
           SELECT :session, max(number) + 1, :checkpoint, :approved, :message, :now FROM approved_states WHERE session_id = :session`,
        )
        .run({ session: sessionId, checkpoint: checkpointId, approved, message, now: clock.now() });
      const count = this.database
        .prepare(
          "SELECT count(*) AS n FROM checkpoints WHERE session_id = ? AND work_session = ? AND manifest_id IS NOT NULL AND kind <> 'initial' AND id <> ?",
        )
        .get(sessionId, approved, checkpointId);
      const workSession = rows.endWorkSession(sessionId, 'merged');
      const records = record === null ? [] : this.write(sessionId, record, { workSession: approved, message });
      return { checkpointId, workSession, checkpointCount: Number(count?.n), records };
    });
  }

  private write(
    sessionId: string,
    { kept, paths }: ApprovalRecord,
    { workSession, message }: { workSession: string; message: string | null },
  ): MessageRecord[] {
    const statements = createStatements(this.database);
    const append = (entry: Resolution['entry']) => insertRecord(statements, sessionId, entry, false, this.parts.clock.now());
    const keeping = kept && append(kept.entry);
    if (kept && keeping) answerRows(statements, sessionId, kept, keeping.seq);
    releaseKept(statements, sessionId);
    const data = { action: 'approve', scope: 'all', paths, workSession, ...(message !== null && { message }) } as const;
    return [...(keeping ? [keeping] : []), append({ type: 'review', data })];
  }

  /**
   * Returns the work session, the approved state and the current differences. With `hasTexts`, includes their texts. Counts lines
   * starting at file index `from`. For `hints`, see `TakeOptions`.
   */
  status(sessionId: string, workspace: Workspace, hasTexts = false, hints?: readonly string[], from = 0): ApprovalStatus {
    const state = this.state(sessionId);
    const { reader, diffNow } = this.parts;
    const changes = state.approvedCheckpointId === null ? [] : diffNow(state.approvedCheckpointId, workspace, hints);
    const details = reader.describeChanges(changes, hasTexts, from);
    const detailed = changes.map((change, index) => ({ ...change, ...(details[index] as ChangeDetails) }));
    return { ...state, changes: detailed, hasUnapproved: detailed.length > 0, earlier: this.earlier(sessionId) };
  }

  private earlier(sessionId: string): EarlierWorkSession[] {
    return this.database
      .prepare(
        `SELECT name, status, closed_at, message, checkpoint_id FROM work_sessions
         LEFT JOIN approved_states ON approved_states.session_id = work_sessions.session_id AND work_session = name
         WHERE work_sessions.session_id = ? AND closed_at IS NOT NULL ORDER BY work_sessions.number DESC LIMIT ?`,
      )
      .all(sessionId, maxEarlier)
      .map(({ name, status, closed_at: closedAt, message, checkpoint_id: checkpointId }) => ({
        name: String(name),
        outcome: status === 'merged' ? 'approved' : 'reset',
        closedAt: Number(closedAt),
        message: (message ?? null) as string | null,
        checkpointId: (checkpointId ?? null) as string | null,
      }));
  }

  state(sessionId: string): ApprovalState {
    const last = this.database
      .prepare('SELECT checkpoint_id FROM approved_states WHERE session_id = ? ORDER BY number DESC LIMIT 1')
      .get(sessionId);
    const approved = this.database
      .prepare(
        'SELECT approved_at AS at FROM approved_states WHERE session_id = ? AND work_session IS NOT NULL ORDER BY number DESC LIMIT 1',
      )
      .get(sessionId);
    return {
      workSession: inTransaction(this.database, () => this.parts.rows.activeWorkSession(sessionId)),
      approvedCheckpointId: (last?.checkpoint_id ?? null) as string | null,
      lastApprovedAt: (approved?.at ?? null) as number | null,
    };
  }

  /** Returns the last approved checkpoint. Throws `SnapshotError` `notFound`. */
  approved(sessionId: string): string {
    const { approvedCheckpointId } = this.state(sessionId);
    if (approvedCheckpointId === null) throw new SnapshotError('notFound', `${sessionId} has no approved state`);
    return approvedCheckpointId;
  }
}
