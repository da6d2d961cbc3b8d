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
/** Longest time a window may be held up, or its machine asleep, before its process is taken for another with the same number. */
const heldUpMs = 120_000;

/**
 * Records changes of files outside of runs before they are made, one at a time in a window. Every method throws
 * `StorageError`.
 */
export class Operations {
  private readonly turn = new AsyncMutex();
  private readonly beat: Heartbeat;
  private isBusy = false;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly owner: string,
    logger: Logger,
  ) {
    this.beat = new Heartbeat(this, clock, logger);
  }

  /** Runs `work` when no other is under way in this window. What it writes down counts as alive until it has ended. */
  perform<T>(work: () => Promise<T>): Promise<T> {
    return this.turn.runExclusive(async () => {
      this.isBusy = true;
      this.beat.start();
      try {
        return await work();
      } finally {
        this.isBusy = false;
        void this.beat.stop();
      }
    });
  }

  /** Gives a sign of life for the operations of this window. */
  async heartbeat(): Promise<void> {
    const own = "operations WHERE state = 'running' AND owner = ?";
    const isAny = () => this.connection.statement(`SELECT 1 FROM ${own}`).get(this.owner) !== undefined;
    // Without the write lock where there is nothing: a person may think for long about what is going to happen.
    if (!(await this.connection.read(isAny))) return;
    const beat = "UPDATE operations SET heartbeat_at = ? WHERE state = 'running' AND owner = ?";
    await this.connection.write(() => void this.connection.statement(beat).run(this.clock.now(), this.owner));
  }

  /** Resolves when no window is in the middle of one. Rejects with `CancelledError` when the signal fires first. */
  async whenNone(signal: AbortSignal): Promise<void> {
    while (await this.isAny()) await this.clock.sleep(interval, signal);
  }

  private async isAny(): Promise<boolean> {
    const rows = await this.connection.read(() =>
      this.connection.statement("SELECT owner, heartbeat_at, created_at FROM operations WHERE state = 'running'").all(),
    );
    const now = this.clock.now();
    return rows.some((row) => (row['owner'] === this.owner ? this.isBusy : isUnderWay(row, now)));
  }
}

/**
 * Tells whether the window of an operation still lives; if not, nobody carries the operation out any more. Reads
 * `owner`,
 * `heartbeat_at` and `created_at` of the row. A window that does not beat may still have a worker that changes files, as
 * long as its
 * process is there.
 */
export function isUnderWay(row: Record<string, unknown>, now: number): boolean {
  const owner = String(row['owner']);
  const beat = row['heartbeat_at'] as number | null;
  const longest = beat === null || hasProcessHere(owner) ? heldUpMs : deadAfterMs;
  return Math.abs(now - (beat ?? Number(row['created_at']))) < longest && !isKnownDead(owner);
}

/** Begins an operation of the window `owner`. Call it inside a write transaction. */
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

/** Makes an operation one of the window `owner`, so that no other takes it over too. Call it inside a write transaction. */
export function takeOperation(statements: Statements, id: string, { owner, now }: { owner: string; now: number }): void {
  statements.statement('UPDATE operations SET owner = ?, heartbeat_at = ? WHERE id = ?').run(owner, now, id);
}

/** Throws `StorageError` `underWay` where another window is bringing files of these folders to other states; null: of any. */
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

/** Throws `StorageError` `underWay` where an undo of the session, or the taking back of one, is not over; with `now`, where it is under way. */
export function assertNoUndo(statements: Statements, sessionId: string, now?: number): void {
  const running =
    "SELECT owner, heartbeat_at, created_at FROM operations WHERE kind = 'undo' AND state = 'running' AND session_id = ?";
  const rows = statements.statement(running).all(sessionId);
  if (rows.some((row) => now === undefined || isUnderWay(row, now))) throw underWay();
}

export function underWay(): StorageError {
  return new StorageError('underWay', 'Files are being brought to other states');
}

/** Tells whether one folder is the other or lies in it; null stands for any folder. */
export function isShared(one: string | null, other: string | null): boolean {
  return one === null || other === null || isInside(one, other) || isInside(other, one);
}
