import type { Clock } from '../../../../utils/clock';
import { beginOperation, isUnderWay, takeOperation } from '../../../database/sessions/operations';
import { createStatements, type DatabaseSync } from '../../../database/sqlite/sqlite';
import type { RestoreStep } from './restoreStep';

/**
 * Result of a step. `skipped`: not planned. `changed`: the file has changed since planning. `failed`: a system error occurred.
 */
export interface StepResult extends RestoreStep {
  outcome: 'done' | 'skipped' | 'changed' | 'failed';
  /** Error message of a `failed` step, for the log. */
  problem: string | null;
}

export interface OperationData {
  checkpointId: string;
  beforeId: string;
  /** Steps of the restore. They include results once it has finished. */
  steps: (RestoreStep | StepResult)[];
  /** Folders that an earlier restore created and this restore may remove. */
  tidy: string[];
  /** Missing folders that this restore must create. Absent in older rows. */
  makes?: string[];
  /** Absolute paths of the workspace folders. Absent in older rows. */
  roots?: string[];
  undoes?: string | null;
  /** True if the restore abandons the work session. */
  resets?: boolean;
  /** Folders that the restore created. Set when it has finished. */
  made?: string[];
  afterId?: string;
}

export interface Operation {
  id: string;
  sessionId: string;
  data: OperationData;
}

/** Reads and writes the rows of restores. */
export class OperationRows {
  constructor(private readonly parts: { database: DatabaseSync; clock: Clock; owner: string }) {}

  insert(id: string, sessionId: string, data: OperationData): void {
    beginOperation(createStatements(this.parts.database), { id, sessionId, kind: 'restore', data }, this.window());
  }

  take(id: string): void {
    takeOperation(createStatements(this.parts.database), id, this.window());
  }

  /** Finishes a restore. Returns false if another process has taken it over or finished it. */
  finish(id: string, data: OperationData): boolean {
    const { database, owner } = this.parts;
    const end = "UPDATE operations SET state = 'done', data = ? WHERE id = ? AND state = 'running' AND owner = ?";
    return Number(database.prepare(end).run(JSON.stringify(data), id, owner).changes) > 0;
  }

  /** Marks a restore as reported in the log. Also used if its session was deleted, so that there is no log. */
  markReported(id: string): void {
    const { database, clock } = this.parts;
    database.prepare("UPDATE operations SET finished_at = ? WHERE id = ? AND state = 'done'").run(clock.now(), id);
  }

  /** Returns a finished restore, or null. */
  done(id: string): Operation | null {
    const row = this.parts.database
      .prepare("SELECT id, session_id, data FROM operations WHERE id = ? AND kind = 'restore' AND state = 'done'")
      .get(id);
    return row === undefined ? null : toOperation(row);
  }

  /** Returns true if the restore is unfinished. Any process may be running it. */
  isRunning(id: string): boolean {
    return this.parts.database.prepare("SELECT 1 FROM operations WHERE id = ? AND state = 'running'").get(id) !== undefined;
  }

  /** Lists the unfinished restores of this process and of processes that have exited. */
  running(): Operation[] {
    return this.unowned("state = 'running'");
  }

  /** Lists the finished, unreported restores of this process and of processes that have exited. */
  unreported(): Operation[] {
    return this.unowned("state = 'done' AND finished_at IS NULL AND session_id IN (SELECT id FROM sessions)");
  }

  hasSession({ sessionId }: Operation): boolean {
    return this.parts.database.prepare('SELECT 1 FROM sessions WHERE id = ?').get(sessionId) !== undefined;
  }

  private window() {
    const { owner, clock } = this.parts;
    return { owner, now: clock.now() };
  }

  private unowned(where: string): Operation[] {
    const now = this.parts.clock.now();
    return this.parts.database
      .prepare(
        `SELECT id, session_id, owner, heartbeat_at, created_at, data FROM operations WHERE kind = 'restore' AND ${where} ORDER BY rowid`,
      )
      .all()
      .filter((row) => row.owner === this.parts.owner || !isUnderWay(row, now))
      .map(toOperation);
  }
}

function toOperation({ id, session_id: sessionId, data }: Record<string, unknown>): Operation {
  return { id: String(id), sessionId: String(sessionId), data: JSON.parse(String(data)) as OperationData };
}
