import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { RestoreTarget } from '../../../../protocol/restore';
import type { CheckpointProblems } from '../../checkpointProblems';
import { SnapshotError } from '../../snapshotError';
import type { Snapshot, Workspace } from '../manifests/snapshotTaker';
import { fileFlags } from '../scan/scannedFile';
import { assertNobodyWorks } from '../workingSessions';
import { withFilesOf, withHidden, type NotHidden } from './hiddenFiles';
import { InterruptedRestores } from './interruptedRestores';
import type { OperationData } from './operationRows';
import { RestoreExecution, type RestoreExecutionParts, type RestoreResult } from './restoreExecution';
import type { RestoreOptions, RestorePlanner } from './restorePlan';
import type { RestoreStep } from './restoreStep';
import { isPlanned } from './stepRunner';
import type { Uncovered, UncoveredReader } from './uncovered';

export interface RestoreParts extends RestoreExecutionParts {
  planner: RestorePlanner;
  uncovered: UncoveredReader;
  isCancelled: () => boolean;
  /** The checkpoint that a session approved last. Throws `SnapshotError` `notFound`. */
  approved: (sessionId: string) => string;
}

/** A target, looked up. */
interface Aim {
  sessionId: string;
  checkpointId: string;
  options: RestoreOptions;
  /** The restore that it undoes. */
  undoes: string | null;
  /** Holds what that one did: these files are looked at, ignored now or not. */
  undone: readonly RestoreStep[];
  /** Folders that it made. */
  tidy: string[];
  /** The work session is given up with it. */
  resets: boolean;
}

/** Brings the workspace back to a checkpoint, file by file: what is going to happen is written down first, and each restore has its opposite. */
export class Restorer {
  private readonly execution: RestoreExecution;
  private readonly interrupted: InterruptedRestores;

  constructor(private readonly parts: RestoreParts) {
    this.execution = new RestoreExecution(parts);
    this.interrupted = new InterruptedRestores(parts, this.execution);
  }

  /**
   * Returns what a restore would do. Changes no file. The undo of a restore is of the session of that one, and of its files. Throws
   * `SnapshotError` `notFound` or `notTaken`.
   */
  plan(sessionId: string, target: RestoreTarget, workspace: Workspace, options: RestoreOptions): RestoreStep[] {
    const aim = this.aimOf(sessionId, target, options);
    const { rows, taker, planner, fileSystem, isCancelled } = this.parts;
    const then = planner.target(aim.checkpointId, rows.manifestOf(aim.checkpointId));
    return withHidden(fileSystem, withFilesOf(aim.undone, then.unusual), (also, notHidden) =>
      taker.take(workspace, isCancelled, (now) => notHidden(planner.plan(aim.sessionId, now, then, aim.options)), {
        ...{ also, isDry: true },
        needs: (scanned) => planner.needed(scanned, then, aim.options),
      }),
    );
  }

  /**
   * Takes a checkpoint of what is there, restores, and takes another. Files that cannot be restored are told; the rest is. Undoing a restore
   * leaves what has changed since; going back to the approved state gives up the work session. Throws as `plan` does, `SnapshotError` `busy`
   * while a run works in the workspace, in any window, and `StorageError` `underWay` while another window is at an undo or a restore there.
   */
  restore(sessionId: string, target: RestoreTarget, workspace: Workspace, options: RestoreOptions): RestoreResult {
    const aim = this.aimOf(sessionId, target, options);
    const { rows, taker, planner, fileSystem, isCancelled } = this.parts;
    const then = planner.target(aim.checkpointId, rows.manifestOf(aim.checkpointId));
    const id = randomUUID();
    const begin = (now: Snapshot, notHidden: NotHidden): OperationData => {
      const roots = workspace.roots.map((root) => path.resolve(root));
      // In the transaction that writes the restore down: a run that begins after it waits for it.
      assertNobodyWorks(this.parts, roots);
      const steps = notHidden(planner.plan(aim.sessionId, now, then, aim.options));
      return this.writeDown(id, aim, { now, steps, roots });
    };
    const data = withHidden(fileSystem, withFilesOf(aim.undone, then.unusual), (also, notHidden) =>
      taker.take(workspace, isCancelled, (now) => begin(now, notHidden), {
        also,
        needs: (scanned) => planner.needed(scanned, then, aim.options),
      }),
    );
    const touched = touchedBy([...taker.rootsOf(workspace).keys()], data.steps);
    return this.execution.perform(id, aim.sessionId, data, workspace, touched);
  }

  /** Counts what the checkpoint that a restore goes back to does not hold, with the first `limit`. Throws `SnapshotError` `notFound`. */
  problemsOf(sessionId: string, target: RestoreTarget, limit: number): CheckpointProblems {
    return this.parts.rows.problemsOf(this.aimOf(sessionId, target, {}).checkpointId, limit);
  }

  /** Returns what the checkpoint that a restore goes back to knows by name only; names the first `limit` that are gone. Throws as `plan` does. */
  uncovered(sessionId: string, target: RestoreTarget, limit: number): Uncovered {
    const { rows, uncovered } = this.parts;
    return uncovered.of(rows.manifestOf(this.aimOf(sessionId, target, {}).checkpointId), limit);
  }

  /** See `InterruptedRestores.recover`. */
  recover(workspace: Workspace): RestoreResult[] {
    return this.interrupted.recover(workspace);
  }

  /** See `RestoreExecution.untold`. */
  untold(): RestoreResult[] {
    return this.execution.untold();
  }

  /** See `OperationRows.told`. */
  markTold(operationId: string): void {
    this.execution.operations.told(operationId);
  }

  private aimOf(sessionId: string, target: RestoreTarget, options: RestoreOptions): Aim {
    const plain = { undoes: null, undone: [], tidy: [], resets: false };
    switch (target.kind) {
      case 'checkpoint':
        return { ...plain, sessionId, checkpointId: target.id, options };
      case 'approved':
        return { ...plain, sessionId, checkpointId: this.parts.approved(sessionId), options, resets: true };
      case 'restore':
        return this.undoOf(target.id, options);
    }
  }

  private undoOf(operationId: string, options: RestoreOptions): Aim {
    const operation = this.execution.operations.done(operationId);
    if (operation === null) throw new SnapshotError('notFound', `There is no restore ${operationId}`);
    const { beforeId, steps, made = [] } = operation.data;
    const undone = steps.filter(isPlanned);
    const touched = undone.map(({ root, path: relative }) => path.join(root, relative));
    const files = options.files === undefined ? touched : touched.filter((file) => options.files?.includes(file));
    return {
      sessionId: operation.sessionId,
      checkpointId: beforeId,
      options: { ...options, files },
      undoes: operationId,
      undone,
      tidy: made,
      resets: false,
    };
  }

  /** Inside the write transaction that takes the checkpoint before the restore. */
  private writeDown(
    id: string,
    { sessionId, checkpointId, tidy, undoes, resets }: Aim,
    { now, steps, roots }: { now: Snapshot; steps: RestoreStep[]; roots: string[] },
  ): OperationData {
    const { rows } = this.parts;
    const beforeId = rows.begin(sessionId, 'restore_before', `Before restoring: ${rows.get(checkpointId).title}`);
    rows.finish(beforeId, now.manifestId, now.problems);
    this.stageIgnored(beforeId, steps);
    const makes = this.execution.folders.missingAbove(steps);
    const planned = { checkpointId, beforeId, steps, tidy, makes, roots, undoes, resets };
    this.execution.operations.insert(id, sessionId, planned);
    return planned;
  }

  /**
   * Ignored files that come or go: the next checkpoint takes them, and whoever goes back to this one learns what they were; also of each file that
   * comes that nothing was there, as it may be ignored by now.
   */
  private stageIgnored(beforeId: string, steps: readonly RestoreStep[]): void {
    const insert = this.parts.database.prepare(
      `INSERT INTO staged_files (checkpoint_id, root_id, path, kind, mode, object_id)
       VALUES (?, ?, ?, ?, ?, (SELECT id FROM snapshot_objects WHERE hash = ?)) ON CONFLICT DO UPDATE SET is_staged = 1`,
    );
    for (const { rootId, path: relative, from, to } of steps) {
      const isKept = (((from?.flags ?? 0) | (to?.flags ?? 0)) & fileFlags.kept) !== 0;
      if (!isKept && from !== null) continue;
      insert.run(beforeId, rootId, relative, from?.kind ?? 0, from?.mode ?? 0, from?.hash ?? null);
    }
  }
}

/** Returns what a restore may change, by the numbers of the workspace folders. */
function touchedBy(roots: readonly number[], steps: readonly RestoreStep[]): Map<number, Set<string>> {
  const touched = new Map(roots.map((root) => [root, new Set<string>()]));
  for (const step of steps) if (isPlanned(step)) touched.get(step.rootId)?.add(step.path);
  return touched;
}
