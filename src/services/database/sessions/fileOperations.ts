import { randomUUID } from 'node:crypto';
import type { EntryData } from '../../../protocol/entries';
import type { Clock } from '../../../utils/clock';
import type { HunkAnswer, RenewedChange, Resolution, SnapshotState } from '../log/answers';
import { dropPlannedAnswers, insertHunkAnswers } from './hunkAnswers';
import type { Connection } from '../sqlite/connection';
import { assertNoneUnderWay, assertNoUndo, beginOperation, isShared, isUnderWay, takeOperation, underWay } from './operations';
import { StorageError } from '../sqlite/storageError';

/** Step that runs only if the file is in state `from`. If the file is already in state `to`, the step counts as done. */
export interface FileStep {
  /** Absolute path. */
  path: string;
  shown: string;
  /** SHA-256 of the content; null if there is no file. */
  from: string | null;
  to: SnapshotState | null;
}

/** Change of one file under all its former names. The change is kept or undone as a whole. */
export interface PlannedChange {
  shown: string;
  steps: FileStep[];
  rows: Resolution['rows'];
  hunks?: readonly HunkAnswer[];
  renewed?: readonly RenewedChange[];
  /** True if the log entry does not list the file, because no change remained in it. */
  isUnnamed?: boolean;
}

/** `operations.data` for an undo or redo of files. */
export interface FilePlan {
  /** Status of the file snapshots after the operation. */
  status: 'pending' | 'undone';
  /** Log entry for the operation, without file names. */
  review: Omit<EntryData<'review'>, 'paths'>;
  /** Changes in the order in which they run. */
  changes: PlannedChange[];
}

export interface FileOperation {
  id: string;
  sessionId: string;
  /** False if the session was deleted, so that it has no log. */
  hasSession: boolean;
  plan: FilePlan;
}

/** Stores planned changes of files outside of restores. Every method throws `StorageError`. */
export class FileOperations {
  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly owner: string,
  ) {}

  /**
   * Records the plan before the first file changes, and protects the current contents from
   * garbage collection. Throws `notStored` if garbage collection has already deleted a needed
   * content. Throws `underWay` while another window changes files in the session's folder.
   */
  begin(sessionId: string, plan: FilePlan): Promise<FileOperation> {
    const id = randomUUID();
    return this.connection.write(() => {
      const folder = this.findFolder(sessionId);
      const window = { owner: this.owner, now: this.clock.now() };
      assertNoUndo(this.connection, sessionId);
      assertNoneUnderWay(this.connection, [folder], window);
      this.assertStored(plan);
      beginOperation(this.connection, { id, sessionId, kind: 'undo', data: { ...plan, folder } }, window);
      for (const { id: row, undone } of plan.changes.flatMap(({ rows }) => rows)) {
        if (undone !== undefined) this.hold(row, undone);
      }
      const hunks = plan.changes.flatMap((change) => change.hunks ?? []);
      insertHunkAnswers(this.connection, sessionId, hunks, { operationId: id }, window.now);
      return { id, sessionId, hasSession: true, plan };
    });
  }

  /** Ends an operation that has no log entry. */
  end(id: string): Promise<void> {
    return this.connection.write(() => {
      endOperation(this.connection, id, this.clock.now());
      dropPlannedAnswers(this.connection, id);
    });
  }

  /**
   * Takes over unfinished operations of this window, which must be idle, and of windows that no longer exist. Operations
   * of other windows must have no folder, or one that overlaps `folders` or the session's folder (see `isShared`).
   * Throws `underWay` while another window runs an operation of `sessionId`.
   */
  async takeOverUnfinished(folders: readonly string[], sessionId: string | null = null): Promise<FileOperation[]> {
    if (!(await this.isAnyRunning())) return [];
    return this.connection.write(() => {
      const now = this.clock.now();
      const around = sessionId === null ? folders : [...folders, this.findFolder(sessionId)];
      const isHere = (folder: string | null) => folder === null || around.some((other) => isShared(other, folder));
      const unfinished = this.connection
        .statement(
          `SELECT operations.*, sessions.id AS has_session, coalesce(project_path, json_extract(data, '$.folder')) AS folder
           FROM operations LEFT JOIN sessions ON sessions.id = session_id
           WHERE kind = 'undo' AND state = 'running' ORDER BY operations.rowid`,
        )
        .all()
        .filter((row) => row['owner'] === this.owner || (isHere(row['folder'] as string | null) && !isUnderWay(row, now)));
      for (const { id } of unfinished) takeOperation(this.connection, String(id), { owner: this.owner, now });
      if (sessionId !== null) this.assertTaken(sessionId);
      return unfinished.map((row) => ({
        id: String(row['id']),
        sessionId: String(row['session_id']),
        hasSession: row['has_session'] !== null,
        plan: JSON.parse(String(row['data'])) as FilePlan,
      }));
    });
  }

  private findFolder(sessionId: string): string | null {
    const session = this.connection.statement('SELECT project_path FROM sessions WHERE id = ?').get(sessionId);
    return (session?.['project_path'] ?? null) as string | null;
  }

  private assertTaken(sessionId: string): void {
    const others = "SELECT 1 FROM operations WHERE kind = 'undo' AND state = 'running' AND session_id = ? AND owner <> ?";
    if (this.connection.statement(others).get(sessionId, this.owner) !== undefined) throw underWay();
  }

  private isAnyRunning(): Promise<boolean> {
    const running = "SELECT 1 FROM operations WHERE kind = 'undo' AND state = 'running'";
    return this.connection.read(() => this.connection.statement(running).get() !== undefined);
  }

  private assertStored({ changes }: FilePlan): void {
    const states = changes.flatMap(({ rows, steps, hunks = [], renewed = [] }) => [
      ...rows.map(({ undone }) => undone),
      ...steps.map(({ to }) => to),
      ...hunks.flatMap(({ from, to }) => [from, to]),
      ...renewed.flatMap(({ before, left }) => [before, left]),
    ]);
    const hashes = [...new Set(states.flatMap((state) => (state ? [state.hash] : [])))];
    const missing = this.connection
      .statement('SELECT value FROM json_each(?) WHERE value NOT IN (SELECT hash FROM snapshot_objects)')
      .get(JSON.stringify(hashes));
    if (missing !== undefined) throw new StorageError('notStored', `The content ${String(missing['value'])} is not stored`);
  }

  private hold(row: number, undone: SnapshotState | null): void {
    this.connection
      .statement('UPDATE file_snapshots SET undone_object_id = (SELECT id FROM snapshot_objects WHERE hash = ?) WHERE id = ?')
      .run(undone?.hash ?? null, row);
  }
}

/** Ends an operation. Returns false if it had already ended. Call this inside a write transaction. */
export function endOperation(connection: Connection, id: string, now: number): boolean {
  const end = "UPDATE operations SET state = 'done', finished_at = ? WHERE id = ? AND state = 'running'";
  return Number(connection.statement(end).run(now, id).changes) > 0;
}
