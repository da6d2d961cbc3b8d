import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Clock } from '../../../utils/clock';
import { messageOf } from '../../../utils/errors';
import type { DatabaseSync } from '../../database/sqlite';
import { isKnownDead } from '../../database/windowOwner';
import type { CheckpointRows } from '../checkpointRows';
import { isSystemError, type FileSystem } from '../fileSystem';
import type { ObjectStore } from '../objectStore';
import { fileFlags } from '../scan/scannedFile';
import { SnapshotError } from '../snapshotError';
import type { SnapshotTaker, Workspace } from '../snapshotTaker';
import { BlockedError, FileWriter } from './fileWriter';
import { isSameContent, type RestoreOptions, type RestorePlanner, type RestoreStep } from './restorePlan';

/** What became of a step: `skipped` was planned so, `changed` the file changed under it, `failed` the system refused. */
export interface StepResult extends RestoreStep {
  outcome: 'done' | 'skipped' | 'changed' | 'failed';
  /** Of `failed`, for the log. */
  problem: string | null;
}

export interface RestoreResult {
  /** For `undo`. */
  operationId: string;
  /** The workspace before and after, as checkpoints. */
  beforeId: string;
  afterId: string;
  steps: StepResult[];
}

/** `operations.data` of a restore. */
interface OperationData {
  checkpointId: string;
  beforeId: string;
  steps: RestoreStep[];
  /** Folders that an earlier restore made and this one may take away again. */
  tidy: string[];
  /** Set when it is over. */
  made?: string[];
  afterId?: string;
}

export interface RestoreParts {
  database: DatabaseSync;
  objects: ObjectStore;
  rows: CheckpointRows;
  taker: SnapshotTaker;
  planner: RestorePlanner;
  fileSystem: FileSystem;
  clock: Clock;
  owner: string;
  isCancelled: () => boolean;
}

/** Brings the workspace back to a checkpoint, file by file: what is going to happen is written down first, and each restore has its opposite. */
export class Restorer {
  constructor(private readonly parts: RestoreParts) {}

  /** What a restore would do. Changes no file. Throws `SnapshotError` `notFound` or `notTaken`. */
  plan(sessionId: string, checkpointId: string, workspace: Workspace, options: RestoreOptions): RestoreStep[] {
    const { rows, taker, planner, isCancelled } = this.parts;
    const manifestId = rows.manifestOf(checkpointId);
    return taker.take(workspace, isCancelled, ({ files }) =>
      planner.plan({ sessionId, checkpointId, manifestId }, files, options),
    );
  }

  /** Takes a checkpoint of what is there, restores, and takes another. Files that cannot be restored are told; the rest is. */
  restore(
    sessionId: string,
    checkpointId: string,
    workspace: Workspace,
    options: RestoreOptions,
    tidy: string[] = [],
  ): RestoreResult {
    const { rows, taker, planner, isCancelled } = this.parts;
    const manifestId = rows.manifestOf(checkpointId);
    const id = randomUUID();
    const data = taker.take(workspace, isCancelled, (now): OperationData => {
      const steps = planner.plan({ sessionId, checkpointId, manifestId }, now.files, options);
      const beforeId = rows.begin(sessionId, 'restore_before', `Before restoring: ${rows.get(checkpointId).title}`);
      rows.finish(beforeId, now.manifestId, now.problems);
      this.stageIgnored(beforeId, steps);
      const planned = { checkpointId, beforeId, steps, tidy };
      this.insert(id, sessionId, planned);
      return planned;
    });
    return this.perform(id, sessionId, data, workspace);
  }

  /** Brings back what was there before a restore, but for what has changed since. Throws `SnapshotError` `notFound`. */
  undo(operationId: string, workspace: Workspace, options: RestoreOptions): RestoreResult {
    const row = this.parts.database
      .prepare("SELECT session_id, data FROM operations WHERE id = ? AND state = 'done'")
      .get(operationId);
    if (row === undefined) throw new SnapshotError('notFound', `There is no restore ${operationId}`);
    const { beforeId, steps, made } = JSON.parse(String(row.data)) as OperationData;
    const touched = steps.filter(isPlanned).map(({ root, path: relative }) => path.join(root, relative));
    const files = options.files === undefined ? touched : touched.filter((file) => options.files?.includes(file));
    return this.restore(String(row.session_id), beforeId, workspace, { ...options, files }, made);
  }

  /** Finishes restores that were interrupted: of processes that are gone, and of this one. */
  recover(workspace: Workspace): RestoreResult[] {
    const { database, owner } = this.parts;
    const running = database
      .prepare("SELECT id, session_id, owner, data FROM operations WHERE state = 'running' ORDER BY created_at")
      .all();
    return running
      .filter((row) => row.owner === owner || isKnownDead(String(row.owner)))
      .map((row) =>
        this.perform(String(row.id), String(row.session_id), JSON.parse(String(row.data)) as OperationData, workspace),
      );
  }

  private perform(id: string, sessionId: string, data: OperationData, workspace: Workspace): RestoreResult {
    const { rows, taker, fileSystem } = this.parts;
    const writer = new FileWriter(fileSystem, id.slice(0, 8));
    const steps = this.apply(data.steps, writer);
    writer.tidy(data.tidy);
    writer.finish();
    const afterId = taker.take(
      workspace,
      () => false,
      (now) => {
        const after = rows.begin(sessionId, 'restore_after', `Restored: ${titleOf(rows, data.checkpointId)}`);
        rows.finish(after, now.manifestId, now.problems);
        this.finish(id, { ...data, made: writer.made, afterId: after });
        return after;
      },
    );
    return { operationId: id, beforeId: data.beforeId, afterId, steps };
  }

  private apply(steps: readonly RestoreStep[], writer: FileWriter): StepResult[] {
    // What goes makes room for what comes; of folders within folders the inner ones go first.
    const [removals, others] = [
      steps.filter(({ action }) => action === 'delete'),
      steps.filter(({ action }) => action !== 'delete'),
    ];
    const results = new Map<RestoreStep, StepResult>();
    for (const step of [...removals.toReversed(), ...others]) results.set(step, this.applyOne(step, writer));
    return steps.map((step) => results.get(step) as StepResult);
  }

  private applyOne(step: RestoreStep, writer: FileWriter): StepResult {
    if (!isPlanned(step)) return { ...step, outcome: 'skipped', problem: null };
    const file = path.join(step.root, step.path);
    try {
      writer.sweep(file);
      const state = writer.stateOf(file);
      if (state !== undefined && isSameContent(state, step.to)) return { ...step, outcome: 'done', problem: null };
      const isEmptyPlace = state === undefined && step.from === null;
      if (!isEmptyPlace && (state === undefined || !isSameContent(state, step.from))) {
        return { ...step, outcome: 'changed', problem: null };
      }
      this.change(step, file, writer);
      return { ...step, outcome: 'done', problem: null };
    } catch (error) {
      if (!isSystemError(error) && !(error instanceof BlockedError) && !(error instanceof SnapshotError)) throw error;
      return { ...step, outcome: 'failed', problem: messageOf(error) };
    }
  }

  private change({ root, from, to }: RestoreStep, file: string, writer: FileWriter): void {
    if (to === null) {
      writer.remove(file);
    } else if (from?.kind === 1 && to.kind === 1 && from.hash === to.hash) {
      writer.setMode(file, to.mode);
    } else {
      writer.write(root, file, to, this.parts.objects.get(to.hash ?? ''));
    }
  }

  /** Ignored files that come or go: the next checkpoint takes them, and whoever goes back to this one learns what they were. */
  private stageIgnored(beforeId: string, steps: readonly RestoreStep[]): void {
    const insert = this.parts.database.prepare(
      `INSERT INTO staged_files (checkpoint_id, root_id, path, kind, mode, object_id)
       VALUES (?, ?, ?, ?, ?, (SELECT id FROM snapshot_objects WHERE hash = ?)) ON CONFLICT DO UPDATE SET is_staged = 1`,
    );
    for (const { rootId, path: relative, from, to } of steps) {
      if ((((from?.flags ?? 0) | (to?.flags ?? 0)) & fileFlags.kept) === 0) continue;
      insert.run(beforeId, rootId, relative, from?.kind ?? 0, from?.mode ?? 0, from?.hash ?? null);
    }
  }

  private insert(id: string, sessionId: string, data: OperationData): void {
    const { database, clock, owner } = this.parts;
    database
      .prepare(
        "INSERT INTO operations (id, session_id, kind, state, owner, data, created_at) VALUES (?, ?, 'restore', 'running', ?, ?, ?)",
      )
      .run(id, sessionId, owner, JSON.stringify(data), clock.now());
  }

  private finish(id: string, data: OperationData): void {
    const { database, clock } = this.parts;
    database
      .prepare("UPDATE operations SET state = 'done', data = ?, finished_at = ? WHERE id = ?")
      .run(JSON.stringify(data), clock.now(), id);
  }
}

function isPlanned({ action }: RestoreStep): boolean {
  return action === 'create' || action === 'write' || action === 'delete';
}

function titleOf(rows: CheckpointRows, id: string): string {
  try {
    return rows.get(id).title;
  } catch {
    return id;
  }
}
