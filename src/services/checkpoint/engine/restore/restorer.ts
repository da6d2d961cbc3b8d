import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { RestoreTarget } from '../../../../protocol/restore';
import type { CheckpointProblems } from '../../checkpointProblems';
import { SnapshotError } from '../../snapshotError';
import type { Snapshot, Workspace } from '../manifests/snapshotTaker';
import { fileFlags } from '../scan/scannedFile';
import { assertNoActiveWork } from '../activeSessions';
import { makeRoots } from './createdFolders';
import { addFiles, withHidden, type NotHidden } from './hiddenFiles';
import { InterruptedRestores } from './interruptedRestores';
import type { OperationData } from './operationRows';
import { RestoreExecution, type RestoreExecutionParts, type RestoreResult } from './restoreExecution';
import type { RestoreOptions, RestorePlanner } from './restorePlan';
import type { RestoreStep } from './restoreStep';
import { isPlanned } from './stepRunner';
import type { UncoveredPaths, UncoveredReader } from './uncovered';

export interface RestoreParts extends RestoreExecutionParts {
  planner: RestorePlanner;
  uncovered: UncoveredReader;
  isCancelled: () => boolean;
  /** Returns the last approved checkpoint of a session. Throws `SnapshotError` `notFound`. */
  approved: (sessionId: string) => string;
}

/** A resolved target. */
interface ResolvedTarget {
  sessionId: string;
  checkpointId: string;
  options: RestoreOptions;
  /** Id of the restore to undo. */
  undoes: string | null;
  /** Steps of the restore to undo. Their files are included, even if they are ignored now. */
  undone: readonly RestoreStep[];
  /** Folders that were created by the restore to undo. */
  tidy: string[];
  /** True if the restore abandons the work session. */
  resets: boolean;
}

/** Restores the workspace to a checkpoint, file by file. Records the plan first. Every restore can be undone. */
export class Restorer {
  private readonly execution: RestoreExecution;
  private readonly interrupted: InterruptedRestores;

  constructor(private readonly parts: RestoreParts) {
    this.execution = new RestoreExecution(parts);
    this.interrupted = new InterruptedRestores(parts, this.execution);
  }

  /**
   * Returns the steps of a restore. Changes no file. The plan to undo a restore includes only the session and files of that
   * restore. Throws `SnapshotError` `notFound` or `notTaken`.
   */
  plan(sessionId: string, target: RestoreTarget, workspace: Workspace, options: RestoreOptions): RestoreStep[] {
    const resolved = this.resolveTarget(sessionId, target, options);
    const { rows, taker, planner, fileSystem, isCancelled } = this.parts;
    const then = planner.target(resolved.checkpointId, rows.findManifest(resolved.checkpointId));
    const steps = withHidden(fileSystem, addFiles(resolved.undone, then.unusual), (also, notHidden) =>
      taker.take(workspace, isCancelled, (now) => notHidden(planner.plan(resolved.sessionId, now, then, resolved.options)), {
        also,
        isDry: true,
        needs: (scanned) => planner.needed(scanned, then, resolved.options),
      }),
    );
    // The restore usually follows soon.
    this.execution.expect(steps);
    return steps;
  }

  /**
   * Takes a checkpoint, restores, and takes another checkpoint. Reports files that cannot be
   * restored. Undoing a restore keeps later changes. A reset abandons the work session. Throws the
   * same errors as `plan`. Throws `SnapshotError` `busy` while any window has an active run in the
   * workspace. Throws `StorageError` `underWay` while another window undoes or restores files there.
   */
  restore(sessionId: string, target: RestoreTarget, workspace: Workspace, options: RestoreOptions): RestoreResult {
    const resolved = this.resolveTarget(sessionId, target, options);
    const { rows, taker, planner, fileSystem, isCancelled } = this.parts;
    const then = planner.target(resolved.checkpointId, rows.findManifest(resolved.checkpointId));
    const id = randomUUID();
    const begin = (now: Snapshot, notHidden: NotHidden): OperationData => {
      const roots = workspace.roots.map((root) => path.resolve(root));
      // Check this in the transaction that records the restore. A run that begins later waits for that transaction.
      assertNoActiveWork(this.parts, roots);
      const steps = notHidden(planner.plan(resolved.sessionId, now, then, resolved.options));
      this.execution.expect(steps);
      return this.recordPlan(id, resolved, { now, steps, roots });
    };
    const data = withHidden(fileSystem, addFiles(resolved.undone, then.unusual), (also, notHidden) =>
      taker.take(workspace, isCancelled, (now) => begin(now, notHidden), {
        also,
        needs: (scanned) => planner.needed(scanned, then, resolved.options),
      }),
    );
    const touched = touchedBy([...taker.numberRoots(workspace).keys()], data.steps);
    makeRoots(fileSystem, data.steps);
    return this.execution.perform(id, resolved.sessionId, data, workspace, touched);
  }

  /** Returns the problems of the target checkpoint, with the first `limit` files. Throws `SnapshotError` `notFound`. */
  listProblems(sessionId: string, target: RestoreTarget, limit: number): CheckpointProblems {
    return this.parts.rows.listProblems(this.resolveTarget(sessionId, target, {}).checkpointId, limit);
  }

  /** Returns the paths that the target records by name only. Lists at most `limit` deleted paths. Throws the errors of `plan`. */
  uncovered(sessionId: string, target: RestoreTarget, limit: number): UncoveredPaths {
    const { rows, uncovered } = this.parts;
    return uncovered.of(rows.findManifest(this.resolveTarget(sessionId, target, {}).checkpointId), limit);
  }

  /** Returns the folders of the target checkpoint that are not in the workspace. Throws the same errors as `plan`. */
  closedFolders(sessionId: string, target: RestoreTarget, workspace: Workspace): string[] {
    const { rows, uncovered } = this.parts;
    const open = workspace.roots.map((root) => path.resolve(root));
    return uncovered.closedFolders(rows.findManifest(this.resolveTarget(sessionId, target, {}).checkpointId), open);
  }

  /** See `InterruptedRestores.recover`. */
  recover(workspace: Workspace): RestoreResult[] {
    return this.interrupted.recover(workspace);
  }

  /** See `RestoreExecution.unreported`. */
  unreported(): RestoreResult[] {
    return this.execution.unreported();
  }

  /** See `OperationRows.markReported`. */
  markReported(operationId: string): void {
    this.execution.operations.markReported(operationId);
  }

  private resolveTarget(sessionId: string, target: RestoreTarget, options: RestoreOptions): ResolvedTarget {
    const plain = { undoes: null, undone: [], tidy: [], resets: false };
    switch (target.kind) {
      case 'checkpoint':
        return { ...plain, sessionId, checkpointId: target.id, options };
      case 'approved':
        return { ...plain, sessionId, checkpointId: this.parts.approved(sessionId), options, resets: true };
      case 'restore':
        return this.resolveUndo(target.id, options);
    }
  }

  private resolveUndo(operationId: string, options: RestoreOptions): ResolvedTarget {
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

  /** Records the plan. Call this in the write transaction of the checkpoint before the restore. */
  private recordPlan(
    id: string,
    { sessionId, checkpointId, tidy, undoes, resets }: ResolvedTarget,
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
   * Stages ignored files that the restore creates, replaces or deletes. The next checkpoint then includes them and undoing the
   * restore covers them. Also records that each created file did not exist, because it may be ignored by now.
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

/** Returns the paths that a restore may change, by root number. */
function touchedBy(roots: readonly number[], steps: readonly RestoreStep[]): Map<number, Set<string>> {
  const touched = new Map(roots.map((root) => [root, new Set<string>()]));
  for (const step of steps) if (isPlanned(step)) touched.get(step.rootId)?.add(step.path);
  return touched;
}
