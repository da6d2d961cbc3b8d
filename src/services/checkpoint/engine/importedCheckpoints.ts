import type { DatabaseSync } from '../../database/sqlite/sqlite';

/** Tells whether a checkpoint was imported: it holds some files only, and says nothing about the others. */
export function isImported(database: DatabaseSync, checkpointId: string): boolean {
  return database.prepare('SELECT kind FROM checkpoints WHERE id = ?').get(checkpointId)?.kind === 'imported';
}
