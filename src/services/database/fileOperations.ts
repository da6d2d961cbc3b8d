import { randomUUID } from 'node:crypto';
import type { EntryData } from '../../protocol/entries';
import type { Clock } from '../../utils/clock';
import type { Resolution, SnapshotState } from './answers';
import type { Connection } from './connection';
import { longestOperation } from './operations';
import { StorageError } from './storageError';
import { isElsewhere, isKnownDead } from './windowOwner';

/** Done where the file is in the state `to`, carried out only where it is in the state `from`. */
export interface FileStep {
  /** Absolute. */
  path: string;
  shown: string;
  /** SHA-256 of the content; null: there is no file. */
  from: string | null;
  to: SnapshotState | null;
}

/** What is answered as one: a file, under all the names that it had. */
export interface PlannedChange {
  shown: string;
  steps: FileStep[];
  rows: Resolution['rows'];
}

/** `operations.data` of an undo of files, or of the taking back of one. */
export interface FilePlan {
  /** Of the file snapshots, once it is over. */
  status: 'pending' | 'undone';
  /** The entry that says so, without the files. */
  review: Omit<EntryData<'review'>, 'paths'>;
  /** In the order in which they are carried out. */
  changes: PlannedChange[];
}

export interface FileOperation {
  id: string;
  sessionId: string;
  plan: FilePlan;
}

/** The intents to bring files to other states outside of restores. Every method throws `StorageError`. */
export class FileOperations {
  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly owner: string,
  ) {}

  /**
   * Writes down what is going to happen, before the first file changes. What files were before is held from now on; where a content is not
   * stored any more (a person may have thought for long) nothing is written down: `notStored`.
   */
  begin(sessionId: string, plan: FilePlan): Promise<FileOperation> {
    const id = randomUUID();
    return this.connection.write(() => {
      this.assertStored(plan);
      this.connection
        .statement(
          "INSERT INTO operations (id, session_id, kind, state, owner, data, created_at) VALUES (?, ?, 'undo', 'running', ?, ?, ?)",
        )
        .run(id, sessionId, this.owner, JSON.stringify(plan), this.clock.now());
      for (const { id: row, undone } of plan.changes.flatMap(({ rows }) => rows)) {
        if (undone !== undefined) this.hold(row, undone);
      }
      return { id, sessionId, plan };
    });
  }

  /** Ends one of which there is nothing to be said in the log. */
  end(id: string): Promise<void> {
    return this.connection.write(() => endOperation(this.connection, id, this.clock.now()));
  }

  /**
   * Takes over those that nobody is carrying out: of this window, which must be at none, and, of sessions of these folders or of the folder
   * of `sessionId`, of windows that are gone, or on another machine and too old to be under way. What somebody has answered since is not in their plans any more.
   */
  async takeLeft(folders: readonly string[], sessionId: string | null = null): Promise<FileOperation[]> {
    if (!(await this.isAnyRunning())) return [];
    return this.connection.write(() => {
      const left = this.connection
        .statement(
          `SELECT operations.id, session_id, operations.owner, data, operations.created_at AS begun,
             project_path IN (SELECT value FROM json_each(:folders)) OR session_id = :session
               OR project_path = (SELECT project_path FROM sessions WHERE id = :session) AS is_here
           FROM operations JOIN sessions ON sessions.id = session_id WHERE kind = 'undo' AND state = 'running' ORDER BY operations.created_at`,
        )
        .all({ folders: JSON.stringify(folders), session: sessionId })
        .filter(
          ({ owner, begun, is_here: isHere }) =>
            owner === this.owner || (isHere === 1 && this.isLeft(String(owner), Number(begun))),
        );
      return left.map(({ id, session_id: owning, data }) => {
        this.connection.statement('UPDATE operations SET owner = ? WHERE id = ?').run(this.owner, String(id));
        const plan = JSON.parse(String(data)) as FilePlan;
        const changes = plan.changes.filter(({ rows }) => rows.every((row) => this.isWaiting(row.id, plan.status)));
        return { id: String(id), sessionId: String(owning), plan: { ...plan, changes } };
      });
    });
  }

  private isLeft(owner: string, begun: number): boolean {
    return isKnownDead(owner) || (isElsewhere(owner) && begun <= this.clock.now() - longestOperation);
  }

  private isAnyRunning(): Promise<boolean> {
    const running = "SELECT 1 FROM operations WHERE kind = 'undo' AND state = 'running'";
    return this.connection.read(() => this.connection.statement(running).get() !== undefined);
  }

  private assertStored({ changes }: FilePlan): void {
    const states = changes.flatMap(({ rows, steps }) => [...rows.map(({ undone }) => undone), ...steps.map(({ to }) => to)]);
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

  private isWaiting(row: number, status: FilePlan['status']): boolean {
    const found = this.connection.statement('SELECT status, is_released FROM file_snapshots WHERE id = ?').get(row);
    return found !== undefined && found['is_released'] === 0 && (found['status'] === 'pending') === (status === 'undone');
  }
}

/** Inside a write transaction. */
export function endOperation(connection: Connection, id: string, now: number): void {
  connection.statement("UPDATE operations SET state = 'done', finished_at = ? WHERE id = ?").run(now, id);
}
