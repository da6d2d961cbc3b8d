import { releaseKept } from '../../../database/log/answers';
import { inTransaction } from '../../../database/sqlite/ownConnection';
import { createStatements, type DatabaseSync } from '../../../database/sqlite/sqlite';

/**
 * SQL: snapshots of kept files whose original content is stored, so that the user can undo the keep decision. `kept_at` is the
 * latest decision time so far in the session, because the clock may have been set back. Excludes pending changes and sessions
 * with an active undo.
 */
const heldSql = `
  WITH answers AS (
    SELECT session_id, seq, max(timestamp) OVER (PARTITION BY session_id ORDER BY seq) AS kept_at FROM messages WHERE type = 'review')
  SELECT f.id, f.session_id, f.path, kept_at FROM file_snapshots f
  JOIN answers ON answers.session_id = f.session_id AND answers.seq = f.review_seq
  WHERE f.status = 'kept' AND f.is_released = 0
    AND NOT EXISTS (SELECT 1 FROM operations WHERE kind = 'undo' AND state = 'running' AND session_id = f.session_id)`;

/**
 * Original contents of files whose changes the user kept. Releasing them requires the user's approval, because the keep decisions
 * can then no longer be undone.
 */
export class KeptOriginals {
  constructor(private readonly database: DatabaseSync) {}

  /**
   * Counts the kept files whose keep decision can be undone. Counts a file once per session. With `time` (milliseconds), counts
   * only files kept before it.
   */
  count(time = Number.MAX_SAFE_INTEGER): number {
    const row = this.database
      .prepare(`SELECT count(*) AS n FROM (SELECT DISTINCT session_id, path FROM (${heldSql}) WHERE kept_at < ?)`)
      .get(time);
    return Number(row?.n);
  }

  /** Returns the distinct times at which files were kept, in milliseconds, ascending. */
  moments(): number[] {
    return this.database
      .prepare(`SELECT DISTINCT kept_at FROM (${heldSql}) ORDER BY kept_at`)
      .all()
      .map(({ kept_at: at }) => Number(at));
  }

  /**
   * Releases the originals of files kept before `time`, so that garbage
   * collection removes their contents. Returns the number of files.
   */
  release(time: number): number {
    return inTransaction(this.database, () => {
      const count = this.count(time);
      const rows = this.database.prepare(`SELECT id, session_id FROM (${heldSql}) WHERE kept_at < ?`).all(time);
      const ofSession = new Map<string, number[]>();
      for (const { id, session_id: session } of rows)
        ofSession.set(String(session), [...(ofSession.get(String(session)) ?? []), Number(id)]);
      for (const [session, ids] of ofSession) releaseKept(createStatements(this.database), session, ids);
      return count;
    });
  }
}
