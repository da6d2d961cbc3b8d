import type { Clock } from '../../../utils/clock';
import { assertNoneUnderWay, isShared } from '../../database/sessions/operations';
import { isAlive } from '../../database/sessions/heartbeat';
import { statementsOf, type DatabaseSync } from '../../database/sqlite/sqlite';
import { SnapshotError } from '../snapshotError';

interface Surroundings {
  database: DatabaseSync;
  clock: Clock;
  /** The name of this window. */
  owner: string;
}

interface WorkingSession {
  id: string;
  projectPath: string | null;
}

/** Returns the sessions that a run works in, in this window or in another that lives. */
export function workingSessions(parts: Surroundings): WorkingSession[] {
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
 * Throws `SnapshotError` `busy` while a run works in one of these folders, and `StorageError` `underWay` while another window is at an undo or
 * a restore there: each would spoil what the other is doing.
 */
export function assertNobodyWorks(parts: Surroundings, roots: readonly string[]): void {
  const isHere = (project: string | null) => roots.some((root) => isShared(root, project));
  if (workingSessions(parts).some(({ projectPath }) => isHere(projectPath)))
    throw new SnapshotError('busy', 'A run works in this workspace');
  assertNoneUnderWay(statementsOf(parts.database), roots, { owner: parts.owner, now: parts.clock.now() });
}
