import type { DatabaseSync } from '../../database/sqlite/sqlite';

/** Returns true if a checkpoint is imported. Such a checkpoint contains only some files. The state of the others is unknown. */
export function isImported(database: DatabaseSync, checkpointId: string): boolean {
  return database.prepare('SELECT kind FROM checkpoints WHERE id = ?').get(checkpointId)?.kind === 'imported';
}
