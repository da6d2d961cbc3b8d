import type { Clock } from '../../../../utils/clock';
import { beginOperation, isUnderWay, takeOperation } from '../../../database/sessions/operations';
import { statementsOf, type DatabaseSync } from '../../../database/sqlite/sqlite';
import type { RestoreStep } from './restoreStep';

/** Result of a step: `skipped` was planned so, `changed` the file changed under it, `failed` the system refused. */
export interface StepResult extends RestoreStep {
  outcome: 'done' | 'skipped' | 'changed' | 'failed';
  /** Problem of `failed`, for the log. */
  problem: string | null;
}

/** `operations.data` of a restore. */
export interface OperationData {
  checkpointId: string;
  beforeId: string;
  /** Steps, with their results once it is over. */
  steps: (RestoreStep | StepResult)[];
  /** Folders that an earlier restore made and this one may take away again. */
  tidy: string[];
  /** Folders that were not there and it has to make, whoever finishes it; missing in older rows. */
  makes?: string[];
  /** Workspace folders, absolute; missing in older rows. */
  roots?: string[];
  undoes?: string | null;
  /** The work session is given up with it. */
  resets?: boolean;
  /** Set when it is over. */
  made?: string[];
  afterId?: string;
}

export interface Operation {
  id: string;
  sessionId: string;
  data: OperationData;
}

/** The rows of restores. */
export class OperationRows {
  constructor(private readonly parts: { database: DatabaseSync; clock: Clock; owner: string }) {}

  insert(id: string, sessionId: string, data: OperationData): void {
    beginOperation(statementsOf(this.parts.database), { id, sessionId, kind: 'restore', data }, this.window());
  }

  take(id: string): void {
    takeOperation(statementsOf(this.parts.database), id, this.window());
  }

  /** Finishes a restore; false if another process has taken it over, or ended it. */
  finish(id: string, data: OperationData): boolean {
    const { database, owner } = this.parts;
    const end = "UPDATE operations SET state = 'done', data = ? WHERE id = ? AND state = 'running' AND owner = ?";
    return Number(database.prepare(end).run(JSON.stringify(data), id, owner).changes) > 0;
  }

  /** Remembers that the entry of a restore is in the log, or that there is nobody to be told. */
  told(id: string): void {
    const { database, clock } = this.parts;
    database.prepare("UPDATE operations SET finished_at = ? WHERE id = ? AND state = 'done'").run(clock.now(), id);
  }

  /** Returns a restore that is over; null if there is none. */
  done(id: string): Operation | null {
    const row = this.parts.database
      .prepare("SELECT id, session_id, data FROM operations WHERE id = ? AND kind = 'restore' AND state = 'done'")
      .get(id);
    return row === undefined ? null : operationOf(row);
  }

  /** Tells whether a restore is not over, whoever runs it. */
  isRunning(id: string): boolean {
    return this.parts.database.prepare("SELECT 1 FROM operations WHERE id = ? AND state = 'running'").get(id) !== undefined;
  }

  /** Lists the unfinished restores of this process and of those that are gone. */
  running(): Operation[] {
    return this.left("state = 'running'");
  }

  /** Lists the restores of this process and of those that are gone that are over and were not told to anybody. */
  untold(): Operation[] {
    return this.left("state = 'done' AND finished_at IS NULL AND session_id IN (SELECT id FROM sessions)");
  }

  hasSession({ sessionId }: Operation): boolean {
    return this.parts.database.prepare('SELECT 1 FROM sessions WHERE id = ?').get(sessionId) !== undefined;
  }

  private window() {
    const { owner, clock } = this.parts;
    return { owner, now: clock.now() };
  }

  private left(where: string): Operation[] {
    const now = this.parts.clock.now();
    return this.parts.database
      .prepare(
        `SELECT id, session_id, owner, heartbeat_at, created_at, data FROM operations WHERE kind = 'restore' AND ${where} ORDER BY rowid`,
      )
      .all()
      .filter((row) => row.owner === this.parts.owner || !isUnderWay(row, now))
      .map(operationOf);
  }
}

function operationOf({ id, session_id: sessionId, data }: Record<string, unknown>): Operation {
  return { id: String(id), sessionId: String(sessionId), data: JSON.parse(String(data)) as OperationData };
}
