import type { Clock } from '../../../utils/clock';
import { assertNoneUnderWay, isShared } from '../../database/sessions/operations';
import { isAlive } from '../../database/sessions/heartbeat';
import { createStatements, type DatabaseSync } from '../../database/sqlite/sqlite';
import { SnapshotError } from '../snapshotError';

interface Dependencies {
  database: DatabaseSync;
  clock: Clock;
  /** Id of this window. */
  owner: string;
}

interface ActiveSession {
  id: string;
  projectPath: string | null;
}

/** Returns the sessions with an active run, in this or another live window. */
export function activeSessions(parts: Dependencies): ActiveSession[] {
  return parts.database
    .prepare('SELECT id, owner, heartbeat_at, project_path FROM sessions WHERE owner IS NOT NULL')
    .all()
    .filter((row) => {
      const record = { owner: String(row.owner), heartbeat_at: row.heartbeat_at as number | null };
      return record.owner === parts.owner || isAlive(record, parts.clock.now());
    })
    .map((row) => ({ id: String(row.id), projectPath: row.project_path as string | null }));
}

/**
 * Prevents conflicting changes. Throws `SnapshotError` `busy` while a run is active in one of these folders. Throws
 * `StorageError` `underWay` while another window undoes or restores files there.
 */
export function assertNoActiveWork(parts: Dependencies, roots: readonly string[]): void {
  const isHere = (project: string | null) => roots.some((root) => isShared(root, project));
  if (activeSessions(parts).some(({ projectPath }) => isHere(projectPath)))
    throw new SnapshotError('busy', 'A run works in this workspace');
  assertNoneUnderWay(createStatements(parts.database), roots, { owner: parts.owner, now: parts.clock.now() });
}
