import path from 'node:path';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { FileState } from '../scan/scannedFile';

/** States of files after changes by the tools of other sessions. Used to distinguish these edits from the user's edits. */
export class OtherChatStates {
  private states: ReadonlySet<string> | null = null;

  constructor(
    private readonly database: DatabaseSync,
    private readonly sessionId: string,
  ) {}

  /** Returns true if the file has this content after a change by a tool of another session. The mode is ignored. */
  has(root: string, relative: string, state: Pick<FileState, 'hash'> | null): boolean {
    this.states ??= this.read();
    return this.states.has(createName(path.join(root, relative), state?.hash ?? null));
  }

  private read(): ReadonlySet<string> {
    const rows = this.database
      .prepare(
        `SELECT path, hash FROM file_snapshots LEFT JOIN snapshot_objects ON snapshot_objects.id = left_object_id
         WHERE session_id <> ? AND (left_state = 'gone' OR hash IS NOT NULL)`,
      )
      .all(this.sessionId);
    return new Set(rows.map(({ path: file, hash }) => createName(String(file), hash === null ? null : String(hash))));
  }
}

function createName(file: string, hash: string | null): string {
  return `${hash ?? 'gone'} ${file}`;
}
