import path from 'node:path';
import type { SnapshotState } from '../log/answers';
import type { Statements } from '../sqlite/sqlite';
import { checkpointTime } from './checkpointName';
import { toSnapshotState } from './hunkAnswers';

/** File that a restore changed. Times are in milliseconds since the epoch. */
export interface RestoredFile {
  /** Absolute path. */
  path: string;
  /** State before the restore; null if the file did not exist or its content is not stored. */
  before: SnapshotState | null;
  /** State that the restore wrote; null if it deleted the file. */
  state: SnapshotState | null;
  restoredAt: number;
  /** Time of the restored checkpoint. */
  targetTime: number;
}

/** Returns the changes made to these files since the given time by completed restores in any session. Skips contents that are not stored. */
export function findRestoredFiles(statements: Statements, paths: readonly string[], since: number): RestoredFile[] {
  return statements
    .statement(
      `SELECT data ->> 'checkpointId' AS target, data ->> 'afterId' AS after, step.value ->> 'root' AS root,
         step.value ->> 'path' AS relative, step.value ->> '$.from.mode' AS was_mode, was.hash AS was,
         step.value ->> '$.to.mode' AS mode, written.hash AS hash
       FROM operations, json_each(data, '$.steps') AS step
         LEFT JOIN snapshot_objects AS was ON step.value ->> '$.from.kind' = 1 AND was.hash = step.value ->> '$.from.hash'
         LEFT JOIN snapshot_objects AS written ON step.value ->> '$.to.kind' = 1 AND written.hash = step.value ->> '$.to.hash'
       WHERE operations.kind = 'restore' AND state = 'done' AND created_at >= :since AND data ->> 'afterId' IS NOT NULL
         AND step.value ->> 'outcome' = 'done' AND (step.value ->> 'to' IS NULL OR written.hash IS NOT NULL)
         AND replace(step.value ->> 'root', '\\', '/') || '/' || (step.value ->> 'path') IN (SELECT value FROM json_each(:paths))
       ORDER BY operations.rowid`,
    )
    .all({ since, paths: JSON.stringify(paths.map((one) => one.replaceAll('\\', '/'))) })
    .map((row) => ({
      path: path.join(String(row['root']), String(row['relative'])),
      before: toSnapshotState(row['was'], row['was_mode']),
      state: toSnapshotState(row['hash'], row['mode']),
      restoredAt: checkpointTime(String(row['after'])),
      targetTime: checkpointTime(String(row['target'])),
    }));
}
