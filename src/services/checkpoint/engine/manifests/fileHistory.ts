import path from 'node:path';
import { checkpointTime } from '../../../database/sessions/checkpointName';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { Comparison } from './comparison';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { ManifestReader } from './manifestReader';
import type { FileState } from '../scan/scannedFile';
import { isSystemError } from '../../../../utils/errors';

export interface HistoryParts {
  database: DatabaseSync;
  manifests: ManifestReader;
  comparison: Comparison;
  fileSystem: FileSystem;
}

/** Origin of lines. */
export interface LineOrigin {
  /** Last checkpoint before the lines appeared; null if the agent worked without checkpoints. */
  checkpointId: string | null;
  sessionId: string;
  /** Message that the agent was answering, or had answered last. Null before the session's first message. */
  message: { id: string; seq: number; content: string } | null;
  /** True if the agent's own tools wrote the lines. False if a command or anything else did. */
  isByAgent: boolean;
}

/** Moment with known file content: a checkpoint, or the agent's result after a message. */
export interface Moment {
  time: number;
  sessionId: string;
  checkpointId: string | null;
  /** `seq` of the message that the agent was answering; null for a checkpoint. */
  turn: number | null;
  isAfterRestore: boolean;
  /** Hash of the content; null if the file did not exist. */
  hash: string | null;
}

interface Checkpoint {
  id: string;
  sessionId: string;
  kind: string;
  manifestId: number;
}

type AgentMoment = Moment & { turn: number };

/** Follows one file back through the checkpoints of all sessions, and through the agent's results between them. */
export class FileVersions {
  private readonly checkpoints: Checkpoint[];
  private readonly agentMoments: AgentMoment[];
  private nextCheckpoint = 0;
  private nextAgentMoment = 0;
  private readonly isStaged: boolean;
  private last: { manifestId: number; state: FileState | null } | null = null;

  /**
   * Opens the history up to a checkpoint, or up to now if `until` is null. Returns null for a folder without stored snapshots.
   */
  static of(parts: HistoryParts, root: string, relative: string, until: string | null): FileVersions | null {
    const number = [...parts.manifests.rootPaths()].find(([, at]) => at === root)?.[0];
    return number === undefined ? null : new FileVersions(parts, number, root, relative, until);
  }

  private constructor(
    private readonly parts: HistoryParts,
    private readonly root: number,
    folder: string,
    private readonly relative: string,
    until: string | null,
  ) {
    const { database } = parts;
    this.checkpoints = database
      .prepare(
        `SELECT c.id, session_id, kind, manifest_id FROM checkpoints c JOIN manifests m ON m.id = manifest_id
         WHERE state = 'taken' AND kind <> 'imported' AND (:until IS NULL OR c.id <= :until)
           AND EXISTS (SELECT 1 FROM json_each(m.roots) WHERE value = :root) ORDER BY c.id DESC`,
      )
      .all({ until, root })
      .map((row) => ({
        id: String(row.id),
        sessionId: String(row.session_id),
        kind: String(row.kind),
        manifestId: Number(row.manifest_id),
      }));
    this.agentMoments = database
      .prepare(
        `SELECT f.session_id, f.checkpoint_id, turn_seq, f.created_at, hash FROM file_snapshots f
         JOIN snapshot_objects o ON o.id = left_object_id
         WHERE path = :file AND left_state = 'file' AND (:until IS NULL OR f.created_at < :time) ORDER BY f.created_at DESC, f.id DESC`,
      )
      .all({ file: path.join(this.realFolder(folder), relative), until, time: until === null ? 0 : checkpointTime(until) })
      .map((row) => ({
        time: Number(row.created_at),
        sessionId: String(row.session_id),
        turn: Number(row.turn_seq),
        checkpointId: row.checkpoint_id as string | null,
        isAfterRestore: false,
        hash: String(row.hash),
      }));
    this.isStaged =
      database.prepare('SELECT 1 FROM staged_files WHERE root_id = ? AND path = ? LIMIT 1').get(root, relative) !== undefined;
  }

  /** Returns the file's hash in checkpoint `id`, which must be the newest in the history. Returns null if the file did not exist. */
  contentAt(id: string): string | null {
    const [last] = this.checkpoints;
    const state = last?.id === id ? this.stateIn(last) : null;
    return state?.kind === 1 ? state.hash : null;
  }

  /** Returns the moments from newest to oldest. Returns null after the last one. */
  next(): Moment | null {
    for (;;) {
      const checkpoint = this.checkpoints[this.nextCheckpoint];
      const left = this.agentMoments[this.nextAgentMoment];
      if (left !== undefined && (checkpoint === undefined || left.time >= checkpointTime(checkpoint.id))) {
        this.nextAgentMoment += 1;
        return left;
      }
      if (checkpoint === undefined) return null;
      this.nextCheckpoint += 1;
      const state = this.stateIn(checkpoint);
      // The file is unreadable or excluded, so its content is unknown.
      if (state?.kind === 3) continue;
      return {
        time: checkpointTime(checkpoint.id),
        sessionId: checkpoint.sessionId,
        checkpointId: checkpoint.id,
        turn: null,
        isAfterRestore: checkpoint.kind === 'restore_after',
        hash: state?.kind === 1 ? state.hash : null,
      };
    }
  }

  /** Continues at the checkpoint that was the target of a restore. Returns false if that checkpoint is unknown or not earlier. */
  skipToRestored({ checkpointId }: Moment): boolean {
    const row = this.parts.database
      .prepare(
        `SELECT json_extract(data, '$.checkpointId') AS id FROM operations
         WHERE kind = 'restore' AND state = 'done' AND json_extract(data, '$.afterId') = ?`,
      )
      .get(checkpointId);
    const index = this.checkpoints.findIndex(({ id }) => id === row?.id);
    if (index < this.nextCheckpoint) return false;
    this.nextCheckpoint = index;
    const time = checkpointTime(String(row?.id));
    while ((this.agentMoments[this.nextAgentMoment]?.time ?? 0) >= time) this.nextAgentMoment += 1;
    return true;
  }

  /** Returns the origin of content that appeared between `before` and `after`. Null for `after` means now. */
  origin(before: Moment, after: Moment | null, hash: string | null): LineOrigin {
    const left = this.agentMoments.find((one) => one.hash === hash && (after === null || one.time <= after.time));
    const { sessionId, checkpointId } = left ?? before;
    const turn = left?.turn ?? before.turn;
    const message = turn === null ? this.messageBefore(before) : this.messageAt(sessionId, turn);
    return { checkpointId, sessionId, message, isByAgent: left !== undefined };
  }

  private stateIn({ id, manifestId }: Checkpoint): FileState | null {
    const { manifests, comparison } = this.parts;
    if (this.isStaged) return comparison.at(id, manifestId, this.root, this.relative);
    if (this.last?.manifestId !== manifestId) {
      this.last = { manifestId, state: manifests.lookup(manifestId)(this.root, this.relative) };
    }
    return this.last.state;
  }

  private messageBefore({ sessionId, checkpointId }: Moment): LineOrigin['message'] {
    const row = this.parts.database
      .prepare(
        `SELECT m.id, seq, content FROM checkpoints c JOIN messages m ON m.id = c.message_id
         WHERE c.session_id = ? AND c.id <= ? ORDER BY c.id DESC LIMIT 1`,
      )
      .get(sessionId, checkpointId);
    return toMessage(row);
  }

  private messageAt(sessionId: string, seq: number): LineOrigin['message'] {
    return toMessage(
      this.parts.database.prepare('SELECT id, seq, content FROM messages WHERE session_id = ? AND seq = ?').get(sessionId, seq),
    );
  }

  /** Returns the real path. File snapshots are recorded with real paths. */
  private realFolder(folder: string): string {
    try {
      return this.parts.fileSystem.realPath(folder);
    } catch (error) {
      if (isSystemError(error)) return folder;
      throw error;
    }
  }
}

function toMessage(row: Record<string, unknown> | undefined): LineOrigin['message'] {
  return row === undefined ? null : { id: String(row.id), seq: Number(row.seq), content: String(row.content) };
}
