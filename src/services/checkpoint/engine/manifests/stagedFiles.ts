import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import { fileFlags, takenOf, type FileKind, type FileState } from '../scan/scannedFile';

/** An ignored file as it was before the agent touched it. */
export interface Original {
  root: number;
  path: string;
  /** Null: there was none, where nothing else tells. */
  state: FileState | null;
}

/** Original that the first touch after a checkpoint found. */
export interface FirstTouch extends Original {
  /** The last checkpoint before the touch. */
  checkpointId: string;
}

/** Stores what ignored files were before the agent touched them: no earlier manifest has them. */
export class StagedFiles {
  constructor(private readonly database: DatabaseSync) {}

  /** Keeps what a file is with the checkpoint, and makes the next one take it although it is ignored. Only the first state counts. */
  add(checkpointId: string, { root, path, state }: Original): void {
    this.database
      .prepare(
        `INSERT INTO staged_files (checkpoint_id, root_id, path, kind, mode, object_id)
         VALUES (?, ?, ?, ?, ?, (SELECT id FROM snapshot_objects WHERE hash = ?))
         ON CONFLICT DO UPDATE SET is_staged = 1`,
      )
      .run(checkpointId, root, path, state?.kind ?? 0, state?.mode ?? 0, state?.hash ?? null);
  }

  /** Returns the paths in a workspace folder that the next checkpoint takes although they are ignored. */
  in(root: number): string[] {
    const rows = this.database.prepare('SELECT path FROM staged_files WHERE is_staged = 1 AND root_id = ?').all(root);
    return rows.map(({ path }) => String(path));
  }

  /** Notes that a checkpoint has taken what was staged in these workspace folders. */
  unstage(roots: readonly number[]): void {
    for (const root of roots) this.database.prepare('UPDATE staged_files SET is_staged = 0 WHERE root_id = ?').run(root);
  }

  /**
   * Returns what the first touch after a checkpoint found, up to but without the checkpoint `until`, for files that the checkpoint does
   * not hold itself, which `find` tells. A file of which it has only the name counts only if it was found.
   */
  originals(
    checkpointId: string,
    find: (root: number, path: string) => FileState | null,
    until: string | null = null,
  ): FirstTouch[] {
    const rows = this.database
      .prepare(
        `SELECT root_id, path, kind, mode, hash, size, min(checkpoint_id) AS checkpoint_id FROM staged_files
         LEFT JOIN snapshot_objects ON snapshot_objects.id = object_id
         WHERE checkpoint_id >= ? AND (? IS NULL OR checkpoint_id < ?) GROUP BY root_id, path`,
      )
      .all(checkpointId, until, until);
    return rows
      .filter(({ root_id: root, path, kind }) => {
        const held = find(Number(root), String(path));
        return kind === 0 ? held === null : takenOf(held) === null;
      })
      .map(({ root_id: root, path, kind, mode, hash, size, checkpoint_id: id }) => ({
        root: Number(root),
        path: String(path),
        checkpointId: String(id),
        state:
          kind === 0
            ? null
            : {
                kind: kind as FileKind,
                mode: mode as number,
                hash: hash as string | null,
                size: Number(size),
                flags: fileFlags.kept,
              },
      }));
  }
}
