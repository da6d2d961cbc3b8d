import { inTransaction } from '../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../database/sqlite/sqlite';
import { readProblems, problemsWithFirst, type CheckpointProblems } from '../checkpointProblems';
import type { ManifestStore } from './manifests/manifestStore';
import { SnapshotError } from '../snapshotError';

/** SQL: the checkpoint is an approved state, which cannot be removed. */
const approved = 'EXISTS (SELECT 1 FROM approved_states WHERE checkpoint_id = checkpoints.id)';
/** SQL: the checkpoint is not being taken and is not an approved state. */
const removable = `state <> 'taking' AND NOT ${approved}`;
const step = 20;
/** Maximum number of problem files listed per checkpoint. */
const namedProblems = 20;

export interface StoredCheckpointList {
  /** Stored checkpoints, newest first. */
  checkpoints: { id: string; title: string; createdAt: number; isApproved: boolean; problems: CheckpointProblems }[];
  /** Number of older checkpoints that are not listed. */
  more: number;
}

/** Selects one checkpoint, all checkpoints older than a time in milliseconds, or all checkpoints of approved work. */
export type CheckpointsToRemove = { id: string } | { olderThan: number } | 'approved';

/** Removes checkpoints. Garbage collection later removes contents that only these checkpoints referred to. */
export class CheckpointRemoval {
  constructor(
    private readonly database: DatabaseSync,
    private readonly manifests: ManifestStore,
  ) {}

  /** Throws `SnapshotError` `notFound`, or `approved` for an approved state. */
  remove(id: string): void {
    inTransaction(this.database, () => this.removeWithin(id));
  }

  /** Lists up to `limit` checkpoints of a session, newest first. */
  stored(sessionId: string, limit: number): StoredCheckpointList {
    const rows = this.database
      .prepare(
        `SELECT id, title, created_at, ${approved} AS is_approved, ${problemsWithFirst}
         FROM checkpoints WHERE session_id = ? AND state = 'taken' ORDER BY id DESC LIMIT ?`,
      )
      .all(namedProblems, sessionId, limit);
    const all = this.database
      .prepare("SELECT count(*) AS n FROM checkpoints WHERE session_id = ? AND state = 'taken'")
      .get(sessionId);
    const checkpoints = rows.map((row) => ({
      id: String(row.id),
      title: String(row.title),
      createdAt: Number(row.created_at),
      isApproved: row.is_approved === 1,
      problems: readProblems(row),
    }));
    return { checkpoints, more: Number(all?.n) - checkpoints.length };
  }

  /** Removes a session's checkpoints older than `time`, except approved states. Returns the number of removed checkpoints. */
  removeOlder(sessionId: string, time: number): number {
    return inTransaction(this.database, () => {
      const old = this.database
        .prepare(`SELECT id FROM checkpoints WHERE session_id = ? AND created_at < ? AND ${removable}`)
        .all(sessionId, time);
      for (const { id } of old) this.removeWithin(String(id));
      return old.length;
    });
  }

  /** Like `removeOlder`, for all sessions. */
  removeOlderOfAll(time: number): number {
    return this.removeInSteps(this.older(time));
  }

  /** Counts the checkpoints that `removeOlderOfAll` would remove. `time` is in milliseconds. */
  countOlder(time: number): number {
    return this.older(time).length;
  }

  /** Returns the folders whose saved Git histories are deleted with these checkpoints, without duplicates. */
  historiesIn(which: CheckpointsToRemove): string[] {
    const ids =
      which === 'approved' ? this.approved().map(({ id }) => id) : 'id' in which ? [which.id] : this.older(which.olderThan);
    return this.database
      .prepare(
        'SELECT DISTINCT folder FROM kept_histories WHERE checkpoint_id IN (SELECT value FROM json_each(?)) ORDER BY folder',
      )
      .all(JSON.stringify(ids))
      .map(({ folder }) => String(folder));
  }

  /**
   * Lists the checkpoints of approved work, oldest first. Skips approved states. Also skips checkpoints that use no space because
   * they share a manifest with a remaining checkpoint.
   */
  approved(): { id: string; createdAt: number; manifest: number }[] {
    return this.database
      .prepare(
        `WITH mine AS (
           SELECT checkpoints.id, checkpoints.created_at, manifest_id FROM checkpoints
           JOIN work_sessions ON work_sessions.session_id = checkpoints.session_id AND name = work_session AND work_sessions.status = 'merged'
           WHERE manifest_id IS NOT NULL AND ${removable})
         SELECT id, created_at, manifest_id FROM mine WHERE NOT EXISTS
           (SELECT 1 FROM checkpoints WHERE manifest_id = mine.manifest_id AND id NOT IN (SELECT id FROM mine))
         ORDER BY id`,
      )
      .all()
      .map((row) => ({ id: String(row.id), createdAt: Number(row.created_at), manifest: Number(row.manifest_id) }));
  }

  /**
   * Removes checkpoints in short transactions, so that other writers need not wait. Skips removed checkpoints and approved
   * states. Returns the number of removed checkpoints.
   */
  removeInSteps(ids: readonly string[]): number {
    let removed = 0;
    for (let from = 0; from < ids.length; from += step) {
      removed += inTransaction(this.database, () => {
        const there = this.ids(
          `id IN (SELECT value FROM json_each(?)) AND ${removable}`,
          JSON.stringify(ids.slice(from, from + step)),
        );
        for (const id of there) this.removeWithin(id);
        return there.length;
      });
    }
    return removed;
  }

  private older(time: number): string[] {
    return this.ids(`created_at < ? AND ${removable}`, time);
  }

  private ids(where: string, value: string | number): string[] {
    return this.database
      .prepare(`SELECT id FROM checkpoints WHERE ${where} ORDER BY id`)
      .all(value)
      .map(({ id }) => String(id));
  }

  private removeWithin(id: string): void {
    const row = this.database
      .prepare(`SELECT parent_id, manifest_id, ${approved} AS is_approved FROM checkpoints WHERE id = ?`)
      .get(id);
    if (row === undefined) throw new SnapshotError('notFound', `There is no checkpoint ${id}`);
    if (row.is_approved === 1) throw new SnapshotError('approved', `${id} is an approved state`);
    const parent = row.parent_id as string | null;
    // A checkpoint after a command or restore may only be compared with the checkpoint directly before it.
    this.database
      .prepare("UPDATE checkpoints SET parent_id = iif(kind IN ('command_after', 'restore_after'), NULL, ?) WHERE parent_id = ?")
      .run(parent, id);
    this.database.prepare('DELETE FROM checkpoints WHERE id = ?').run(id);
    if (row.manifest_id !== null) this.manifests.removeIfUnused(Number(row.manifest_id));
  }
}
