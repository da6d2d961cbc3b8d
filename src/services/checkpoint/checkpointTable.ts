import type { CheckpointKind } from '../../types/checkpoint';
import type { Clock } from '../../utils/clock';
import {
  continuingCheckpointTitle,
  checkpointIdBetween,
  messageCheckpointTitle,
  nextCheckpointId,
} from '../database/sessions/checkpointName';
import { latestCheckpointId } from '../database/sessions/checkpointRows';
import { createStatements, type DatabaseSync } from '../database/sqlite/sqlite';
import { isKnownDead } from '../database/sessions/windowOwner';
import {
  problemCounts,
  countProblems,
  readProblems,
  problemsWithFirst,
  type CheckpointProblem,
  type CheckpointProblems,
  type ProblemCounts,
} from './checkpointProblems';
import { SnapshotError } from './snapshotError';

export interface CheckpointInfo {
  id: string;
  sessionId: string;
  kind: CheckpointKind;
  title: string;
  /** Name such as `session_1`. Approve and reset apply to one work session. */
  workSession: string;
  state: 'taking' | 'taken' | 'failed';
  /** Review state of the changes made after the checkpoint. `partial`: some changes are kept, others are undone. */
  status: 'pending' | 'kept' | 'undone' | 'partial';
  createdAt: number;
  fileCount: number;
  totalSize: number;
  leftOut: ProblemCounts;
}

/** Time at which a checkpoint was requested. Other checkpoints may be taken before it. */
export interface TakeRequest {
  /** Time in milliseconds, shown to the user. Default: now. */
  at?: number;
  /** `seq` of the session's last entry at that time. Later messages come after the checkpoint. Default: the last entry. */
  seq?: number;
  /** Checkpoint to compare with; null for none. Default: the previous checkpoint. */
  follows?: string | null;
}

/** Reads and writes the checkpoint rows. Call writing methods inside a transaction. */
export class CheckpointRows {
  constructor(
    private readonly database: DatabaseSync,
    private readonly clock: Clock,
    private readonly owner: string,
  ) {}

  /**
   * Adds a checkpoint in state `taking`. It is placed before messages that were sent later but already have a row. Throws
   * `SnapshotError` `notFound` for an unknown session.
   */
  begin(sessionId: string, kind: CheckpointKind, title: string, request: TakeRequest = {}): string {
    const { at = this.clock.now(), seq, follows } = request;
    if (this.database.prepare('SELECT 1 FROM sessions WHERE id = ?').get(sessionId) === undefined) {
      throw new SnapshotError('notFound', `There is no session ${sessionId}`);
    }
    const later = seq === undefined ? null : this.messageAfter(sessionId, seq);
    const parent = this.findLatest(sessionId, later);
    // Ids are ordered across sessions, because the first touches of ignored files are found by checkpoint id in all sessions.
    const id =
      later === null
        ? nextCheckpointId(latestCheckpointId(createStatements(this.database)), at)
        : checkpointIdBetween(parent, later, at);
    this.database
      .prepare(
        `INSERT INTO checkpoints (id, session_id, kind, title, work_session, parent_id, state, owner, created_at)
         VALUES (?, ?, ?, ?, ?, ?, 'taking', ?, ?)`,
      )
      .run(
        id,
        sessionId,
        kind,
        title,
        this.activeWorkSession(sessionId),
        follows === undefined ? parent : follows,
        this.owner,
        at,
      );
    return id;
  }

  /** Adds a checkpoint like `begin`. If it is the session's first checkpoint, adds the initial checkpoint before it. */
  beginNow(sessionId: string, kind: CheckpointKind, title: string, request?: TakeRequest): string[] {
    const isFirst = kind !== 'initial' && this.findLatest(sessionId) === null;
    const initial = isFirst ? [this.begin(sessionId, 'initial', 'Initial state')] : [];
    return [...initial, this.begin(sessionId, kind, title, request)];
  }

  /** Returns true if no checkpoint was attempted for the session's last message. */
  needsMessageCheckpoint(sessionId: string): boolean {
    const message = this.lastMessage(sessionId);
    if (message === null) return false;
    const known = this.database.prepare('SELECT work_session FROM checkpoints WHERE message_id = ?').get(message.id);
    return known === undefined || known.work_session === null;
  }

  /**
   * Begins the checkpoint before the session's last message. Uses the row that was reserved
   * with the message, if there is one. `throughSeq` is the `seq` of the last entry when the
   * run began. If a run continues earlier work, the title of its checkpoint says so.
   */
  beginForMessage(sessionId: string, throughSeq: number): string[] {
    const message = this.lastMessage(sessionId);
    if (message === null) return [];
    const known = this.database.prepare('SELECT id FROM checkpoints WHERE message_id = ?').get(message.id);
    if (this.hasToolCalls(sessionId, message.seq, throughSeq)) {
      this.failReserved(sessionId);
      return this.beginNow(sessionId, 'message', continuingCheckpointTitle(message.content));
    }
    if (known !== undefined) return this.beginReserved(sessionId, String(known.id));
    const ids = this.beginNow(sessionId, 'message', messageCheckpointTitle(message.content));
    this.database.prepare('UPDATE checkpoints SET message_id = ? WHERE id = ?').run(message.id, ids.at(-1) ?? null);
    return ids;
  }

  /** Returns true if the message already has tool calls. The state before the message may then be lost. */
  private hasToolCalls(sessionId: string, seq: number, throughSeq: number): boolean {
    const call = this.database.prepare(
      "SELECT 1 FROM messages WHERE session_id = ? AND seq > ? AND seq <= ? AND type = 'tool_call' LIMIT 1",
    );
    return call.get(sessionId, seq, throughSeq) !== undefined;
  }

  /** Marks the reserved rows as failed permanently. */
  private failReserved(sessionId: string): void {
    this.database
      .prepare("UPDATE checkpoints SET work_session = ? WHERE session_id = ? AND state = 'failed' AND work_session IS NULL")
      .run(this.activeWorkSession(sessionId), sessionId);
  }

  private lastMessage(sessionId: string): { id: string; seq: number; content: string } | null {
    const row = this.database
      .prepare("SELECT id, seq, content FROM messages WHERE session_id = ? AND type = 'user_input' ORDER BY seq DESC LIMIT 1")
      .get(sessionId);
    return row === undefined ? null : { id: String(row.id), seq: Number(row.seq), content: String(row.content) };
  }

  /** Uses the rows reserved for the message and for the initial checkpoint, unless another caller already used them. */
  private beginReserved(sessionId: string, id: string): string[] {
    const rows = this.database
      .prepare(
        `UPDATE checkpoints SET state = 'taking', owner = ?, work_session = ?
         WHERE session_id = ? AND (id = ? OR kind = 'initial') AND state = 'failed' AND work_session IS NULL RETURNING id`,
      )
      .all(this.owner, this.activeWorkSession(sessionId), sessionId, id);
    return rows.map((row) => String(row.id)).sort();
  }

  /**
   * Marks a checkpoint as taken. A session's first checkpoint becomes its approved state. Throws `SnapshotError` `notFound` if it
   * was deleted.
   */
  finish(id: string, manifestId: number, problems: readonly CheckpointProblem[]): void {
    const taken =
      "UPDATE checkpoints SET state = 'taken', manifest_id = ?, problems = ?, owner = NULL WHERE id = ? AND state = 'taking'";
    const { changes } = this.database.prepare(taken).run(manifestId, JSON.stringify(problems), id);
    if (Number(changes) !== 1) throw new SnapshotError('notFound', `${id} was deleted meanwhile`);
    this.database
      .prepare(
        `INSERT INTO approved_states (session_id, number, checkpoint_id, approved_at)
         SELECT session_id, 0, id, created_at FROM checkpoints WHERE id = ? AND NOT EXISTS
           (SELECT 1 FROM approved_states a WHERE a.session_id = checkpoints.session_id)`,
      )
      .run(id);
  }

  fail(id: string): void {
    this.database.prepare("UPDATE checkpoints SET state = 'failed', owner = NULL WHERE id = ? AND state = 'taking'").run(id);
  }

  /** Marks checkpoints as failed if their process exited before it stored a manifest. */
  failAbandoned(): void {
    const rows = this.database.prepare("SELECT id, owner FROM checkpoints WHERE state = 'taking'").all();
    for (const { id, owner } of rows) if (owner === null || isKnownDead(String(owner))) this.fail(String(id));
  }

  list(sessionId: string): CheckpointInfo[] {
    return this.select('WHERE session_id = ? ORDER BY checkpoints.id', sessionId);
  }

  /** Lists failed or removed message checkpoints, and restores that cannot be undone because their checkpoint is missing. */
  missing(sessionId: string): string[] {
    return this.database
      .prepare(
        `SELECT checkpoint_id AS id FROM messages WHERE session_id = :session AND type = 'user_input' AND checkpoint_id IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE id = checkpoint_id AND state <> 'failed')
         UNION ALL
         SELECT json_extract(m.data, '$.operationId') AS operation FROM messages m
         WHERE m.session_id = :session AND m.type = 'restore' AND operation IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM operations o JOIN checkpoints c ON c.id = json_extract(o.data, '$.beforeId')
             WHERE o.id = operation AND o.state = 'done' AND c.state <> 'failed')`,
      )
      .all({ session: sessionId })
      .map(({ id }) => String(id));
  }

  /** Throws `SnapshotError` `notFound`. */
  get(id: string): CheckpointInfo {
    const [info] = this.select('WHERE checkpoints.id = ?', id);
    if (info === undefined) throw new SnapshotError('notFound', `There is no checkpoint ${id}`);
    return info;
  }

  /** Returns how many files the checkpoint does not store reliably, and the first `limit`. Throws `SnapshotError` `notFound`. */
  listProblems(id: string, limit: number): CheckpointProblems {
    const row = this.database.prepare(`SELECT ${problemsWithFirst} FROM checkpoints WHERE id = ?`).get(limit, id);
    if (row === undefined) throw new SnapshotError('notFound', `There is no checkpoint ${id}`);
    return readProblems(row);
  }

  /** Throws `SnapshotError` `notFound` or `notTaken`. */
  findManifest(id: string): number {
    const row = this.database.prepare('SELECT manifest_id FROM checkpoints WHERE id = ?').get(id);
    if (row === undefined) throw new SnapshotError('notFound', `There is no checkpoint ${id}`);
    if (row.manifest_id === null) throw new SnapshotError('notTaken', `${id} has no manifest`);
    return Number(row.manifest_id);
  }

  /** Returns the first reserved checkpoint of a message that was sent after the entry `seq`. */
  private messageAfter(sessionId: string, seq: number): string | null {
    const row = this.database
      .prepare(
        `SELECT min(c.id) AS id FROM checkpoints c JOIN messages m ON m.id = message_id
         WHERE c.session_id = ? AND kind = 'message' AND state = 'failed' AND work_session IS NULL AND m.seq > ?`,
      )
      .get(sessionId, seq);
    return (row?.id ?? null) as string | null;
  }

  findLatest(sessionId: string, before: string | null = null): string | null {
    const row = this.database
      .prepare('SELECT max(id) AS id FROM checkpoints WHERE session_id = :sessionId AND (:before IS NULL OR id < :before)')
      .get({ sessionId, before });
    return (row?.id ?? null) as string | null;
  }

  /** Returns the checkpoint to compare with, by default the previous one. */
  findParent(id: string): string | null {
    return (this.database.prepare('SELECT parent_id AS id FROM checkpoints WHERE id = ?').get(id)?.id ?? null) as string | null;
  }

  /** Returns the name of the active work session. Creates the first one if needed. */
  activeWorkSession(sessionId: string): string {
    const find = this.database.prepare("SELECT name FROM work_sessions WHERE session_id = ? AND status = 'active'");
    const active = find.get(sessionId);
    if (active !== undefined) return String(active.name);
    this.database
      .prepare(
        `INSERT INTO work_sessions (session_id, number, name, status, created_at)
         SELECT :session, n, 'session_' || n, 'active', :now
         FROM (SELECT ifnull(max(number), 0) + 1 AS n FROM work_sessions WHERE session_id = :session)`,
      )
      .run({ session: sessionId, now: this.clock.now() });
    return String(find.get(sessionId)?.name);
  }

  /** Ends the active work session. Returns the name of the next one. */
  endWorkSession(sessionId: string, status: 'merged' | 'abandoned'): string {
    this.database
      .prepare("UPDATE work_sessions SET status = ?, closed_at = ? WHERE session_id = ? AND status = 'active'")
      .run(status, this.clock.now(), sessionId);
    return this.activeWorkSession(sessionId);
  }

  private select(where: string, value: string): CheckpointInfo[] {
    return this.database
      .prepare(
        `SELECT checkpoints.id, session_id, kind, title, work_session, state, status, checkpoints.created_at, file_count, total_size,
           ${problemCounts}
         FROM checkpoints LEFT JOIN manifests ON manifests.id = manifest_id ${where}`,
      )
      .all(value)
      .map((row) => ({
        id: String(row.id),
        sessionId: String(row.session_id),
        kind: row.kind as CheckpointKind,
        title: String(row.title),
        workSession: String(row.work_session),
        state: row.state as CheckpointInfo['state'],
        status: row.status as CheckpointInfo['status'],
        createdAt: Number(row.created_at),
        fileCount: Number(row.file_count ?? 0),
        totalSize: Number(row.total_size ?? 0),
        leftOut: countProblems(row),
      }));
  }
}
