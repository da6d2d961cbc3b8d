import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import { fileFlags, takenState, type FileKind, type FileState } from '../scan/scannedFile';

/** State of an ignored file before the agent first touched it. */
export interface Original {
  root: number;
  path: string;
  /** Null if the file did not exist. If the checkpoint's manifest contains the file, the manifest takes precedence over null. */
  state: FileState | null;
}

/** Original state, recorded at the first touch after a checkpoint. */
export interface FirstTouch extends Original {
  /** Last checkpoint before the first touch. */
  checkpointId: string;
}

/** Stores the state of ignored files before the agent touched them. No earlier manifest contains these files. */
export class StagedFiles {
  constructor(private readonly database: DatabaseSync) {}

  /** Stores the state with the checkpoint and stages the path for the next checkpoint. Does not overwrite an existing state. */
  add(checkpointId: string, { root, path, state }: Original): void {
    this.database
      .prepare(
        `INSERT INTO staged_files (checkpoint_id, root_id, path, kind, mode, object_id)
         VALUES (?, ?, ?, ?, ?, (SELECT id FROM snapshot_objects WHERE hash = ?))
         ON CONFLICT DO UPDATE SET is_staged = 1`,
      )
      .run(checkpointId, root, path, state?.kind ?? 0, state?.mode ?? 0, state?.hash ?? null);
  }

  /** Returns the ignored paths of a workspace folder that the next checkpoint includes. */
  in(root: number): string[] {
    const rows = this.database.prepare('SELECT path FROM staged_files WHERE is_staged = 1 AND root_id = ?').all(root);
    return rows.map(({ path }) => String(path));
  }

  /** Clears the staged paths of these workspace folders. Call this after a checkpoint has stored them. */
  unstage(roots: readonly number[]): void {
    for (const root of roots) this.database.prepare('UPDATE staged_files SET is_staged = 0 WHERE root_id = ?').run(root);
  }

  /**
   * Returns the originals recorded from the checkpoint on and before `until`, for files that the checkpoint does not contain.
   * `find` returns the checkpoint's state of a file. If the checkpoint contains a file by name only, its original is returned
   * only if the file existed at the first touch.
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
        return kind === 0 ? held === null : takenState(held) === null;
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
