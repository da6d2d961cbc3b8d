import type { DatabaseSync } from '../../database/sqlite/sqlite';

/** Returns true for an imported checkpoint, which holds only some files and says nothing about the others. */
export function isImported(database: DatabaseSync, checkpointId: string): boolean {
  return database.prepare('SELECT kind FROM checkpoints WHERE id = ?').get(checkpointId)?.kind === 'imported';
}
