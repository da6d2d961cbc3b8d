import type { Statements } from '../sqlite/sqlite';

export interface LineCounts {
  additions: number;
  deletions: number;
}

/** Totals of the pending changes of a session. */
export interface PendingStats extends LineCounts {
  files: number;
}

/** Groups by checkpoint first, then by session. If none of a checkpoint's files has line counts, the checkpoint's own totals apply. */
const pendingStatsSql = `
  SELECT session_id, sum(additions) AS additions, sum(deletions) AS deletions,
    (SELECT count(DISTINCT path) FROM file_snapshots f WHERE f.session_id = grouped.session_id AND f.status = 'pending') AS files
  FROM (
    SELECT f.session_id,
      coalesce(sum(f.additions), c.total_additions, 0) AS additions, coalesce(sum(f.deletions), c.total_deletions, 0) AS deletions
    FROM file_snapshots f LEFT JOIN checkpoints c ON c.id = f.checkpoint_id
    WHERE f.status = 'pending' GROUP BY f.session_id, f.checkpoint_id
  ) grouped GROUP BY session_id`;

/** Reads the totals of pending changes by session ID. */
export function readPendingStats(statements: Statements): Map<string, PendingStats> {
  const rows = statements.statement(pendingStatsSql).all();
  return new Map(
    rows.map(({ session_id: id, additions, deletions, files }) => [
      String(id),
      { additions: Number(additions), deletions: Number(deletions), files: Number(files) },
    ]),
  );
}
