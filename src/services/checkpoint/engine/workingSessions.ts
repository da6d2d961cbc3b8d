import type { Clock } from '../../../utils/clock';
import { isAlive } from '../../database/sessions/sessionRepository';
import type { DatabaseSync } from '../../database/sqlite/sqlite';

interface WorkingSession {
  id: string;
  projectPath: string | null;
}

/** The sessions that a run works in, in this window, whose name is `owner`, or in another that lives. */
export function workingSessions(parts: { database: DatabaseSync; clock: Clock; owner: string }): WorkingSession[] {
  return parts.database
    .prepare('SELECT id, owner, heartbeat_at, project_path FROM sessions WHERE owner IS NOT NULL')
    .all()
    .filter((row) => {
      const record = { owner: String(row.owner), heartbeat_at: row.heartbeat_at as number | null };
      return record.owner === parts.owner || isAlive(record, parts.clock.now());
    })
    .map((row) => ({ id: String(row.id), projectPath: row.project_path as string | null }));
}
