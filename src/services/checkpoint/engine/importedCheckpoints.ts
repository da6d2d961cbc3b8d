import type { DatabaseSync } from '../../database/sqlite/sqlite';

/** Returns true if a checkpoint is imported. An imported checkpoint contains only some files. The state of other files is unknown. */
export function isImported(database: DatabaseSync, checkpointId: string): boolean {
  return database.prepare('SELECT kind FROM checkpoints WHERE id = ?').get(checkpointId)?.kind === 'imported';
}
