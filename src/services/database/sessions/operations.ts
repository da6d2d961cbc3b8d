import { AsyncMutex } from '../../../utils/asyncMutex';
import type { Clock } from '../../../utils/clock';
import { isInside } from '../../../utils/files/isInside';
import type { Logger } from '../../../utils/logger';
import type { Connection } from '../sqlite/connection';
import { deadAfterMs, Heartbeat } from './heartbeat';
import type { Statements } from '../sqlite/sqlite';
import { StorageError } from '../sqlite/storageError';
import { hasProcessHere, isKnownDead } from './windowOwner';

const interval = 100;
/** Milliseconds without a heartbeat after which a process ID counts as reused. Allows for blocked windows and sleep. */
const maxSilenceMs = 120_000;

/**
 * Records file changes outside of runs before they are made. Each window
 * makes one change at a time. Every method throws `StorageError`.
 */
export class Operations {
  private readonly turn = new AsyncMutex();
  private readonly beat: Heartbeat;
  private isRunning = false;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly owner: string,
    logger: Logger,
  ) {
    this.beat = new Heartbeat(this, clock, logger);
  }

  /** Runs `work` exclusively in this window. Until it ends, this window's operations count as active. */
  perform<T>(work: () => Promise<T>): Promise<T> {
    return this.turn.runExclusive(async () => {
      this.isRunning = true;
      this.beat.start();
      try {
        return await work();
      } finally {
        this.isRunning = false;
        void this.beat.stop();
      }
    });
  }

  /** Stores a heartbeat for this window's operations. */
  async heartbeat(): Promise<void> {
    const own = "operations WHERE state = 'running' AND owner = ?";
    const isAny = () => this.connection.statement(`SELECT 1 FROM ${own}`).get(this.owner) !== undefined;
    // Do not take the write lock if there are no operations. A dialog may be open for a long time.
    if (!(await this.connection.read(isAny))) return;
    const beat = "UPDATE operations SET heartbeat_at = ? WHERE state = 'running' AND owner = ?";
    await this.connection.write(() => void this.connection.statement(beat).run(this.clock.now(), this.owner));
  }

  /** Resolves when no window runs an operation. Rejects with `CancelledError` if the signal aborts first. */
  async whenNone(signal: AbortSignal): Promise<void> {
    while (await this.isAny()) await this.clock.sleep(interval, signal);
  }

  private async isAny(): Promise<boolean> {
    const rows = await this.connection.read(() =>
      this.connection.statement("SELECT owner, heartbeat_at, created_at FROM operations WHERE state = 'running'").all(),
    );
    const now = this.clock.now();
    return rows.some((row) => (row['owner'] === this.owner ? this.isRunning : isUnderWay(row, now)));
  }
}

/**
 * Returns true if the window of an operation is still open. Reads `owner`, `heartbeat_at` and `created_at`
 * of the row. As long as a window's process exists, its worker may change files even without a heartbeat.
 */
export function isUnderWay(row: Record<string, unknown>, now: number): boolean {
  const owner = String(row['owner']);
  const beat = row['heartbeat_at'] as number | null;
  const longest = beat === null || hasProcessHere(owner) ? maxSilenceMs : deadAfterMs;
  return Math.abs(now - (beat ?? Number(row['created_at']))) < longest && !isKnownDead(owner);
}

/** Inserts an operation of the window `owner`. Call this inside a write transaction. */
export function beginOperation(
  statements: Statements,
  operation: { id: string; sessionId: string; kind: 'undo' | 'restore'; data: unknown },
  { owner, now }: { owner: string; now: number },
): void {
  const { id, sessionId, kind, data } = operation;
  statements
    .statement(
      `INSERT INTO operations (id, session_id, kind, state, owner, data, created_at, heartbeat_at)
       VALUES (:id, :sessionId, :kind, 'running', :owner, :data, :now, :now)`,
    )
    .run({ id, sessionId, kind, owner, data: JSON.stringify(data), now });
}

/** Moves an operation to the window `owner`. Call this inside a write transaction. */
export function takeOperation(statements: Statements, id: string, { owner, now }: { owner: string; now: number }): void {
  statements.statement('UPDATE operations SET owner = ?, heartbeat_at = ? WHERE id = ?').run(owner, now, id);
}

/** Throws `StorageError` `underWay` while another window changes files in these folders. Null means any folder. */
export function assertNoneUnderWay(
  statements: Statements,
  folders: readonly (string | null)[],
  { owner, now }: { owner: string; now: number },
): void {
  const others = statements
    .statement(
      `SELECT operations.owner, operations.heartbeat_at, operations.created_at,
         ifnull(json_extract(data, '$.roots'), json_array(coalesce(project_path, json_extract(data, '$.folder')))) AS folders
       FROM operations LEFT JOIN sessions ON sessions.id = session_id WHERE state = 'running' AND operations.owner <> ?`,
    )
    .all(owner)
    .filter((row) => isUnderWay(row, now))
    .flatMap((row) => JSON.parse(String(row['folders'])) as (string | null)[]);
  if (others.some((one) => folders.some((other) => isShared(one, other)))) throw underWay();
}

/** Throws `StorageError` `underWay` while an undo or redo of the session is unfinished. If `now` is given, only if its window is open. */
export function assertNoUndo(statements: Statements, sessionId: string, now?: number): void {
  const running =
    "SELECT owner, heartbeat_at, created_at FROM operations WHERE kind = 'undo' AND state = 'running' AND session_id = ?";
  const rows = statements.statement(running).all(sessionId);
  if (rows.some((row) => now === undefined || isUnderWay(row, now))) throw underWay();
}

export function underWay(): StorageError {
  return new StorageError('underWay', 'Files are being brought to other states');
}

/** Returns true if one folder contains the other. Null means any folder. */
export function isShared(one: string | null, other: string | null): boolean {
  return one === null || other === null || isInside(one, other) || isInside(other, one);
}
