import { uptime } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../../utils/clock';
import { underWay } from '../../../database/sessions/operations';
import { inTransaction } from '../../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { CheckpointRows } from '../../checkpointTable';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { SnapshotTaker, Workspace } from '../manifests/snapshotTaker';
import type { ObjectStore } from '../objects/objectStore';
import type { SyncThread } from '../syncThread';
import { DoneStepsFolder } from './doneSteps';
import { FileWriter } from './fileWriter';
import { addFiles } from './hiddenFiles';
import { CreatedFolders } from './createdFolders';
import { OperationRows, type OperationData, type StepResult } from './operationRows';
import type { RestoreStep } from './restoreStep';
import { isPlanned, StepRunner } from './stepRunner';

export interface RestoreResult {
  /** Id that is used to undo this restore. */
  operationId: string;
  sessionId: string;
  /** Checkpoint that was restored. */
  checkpointId: string;
  title: string;
  /** Id of the checkpoint before the restore. */
  beforeId: string;
  afterId: string;
  /** Id of the restore that this restore undid. */
  undoes: string | null;
  /** True if the restore abandoned the work session. */
  isReset: boolean;
  steps: StepResult[];
}

export interface RestoreExecutionParts {
  database: DatabaseSync;
  objects: ObjectStore;
  rows: CheckpointRows;
  taker: SnapshotTaker;
  fileSystem: FileSystem;
  clock: Clock;
  owner: string;
  /** Storage root. */
  directory: string;
  /** Returns the machine's boot time in milliseconds. By default, reads it from the system. */
  bootedAt?: () => number;
  syncThread: SyncThread;
}

/** Carries out recorded restores, both new and interrupted. */
export class RestoreExecution {
  readonly operations: OperationRows;
  readonly folders: CreatedFolders;
  private readonly progress: DoneStepsFolder;

  constructor(private readonly parts: RestoreExecutionParts) {
    this.operations = new OperationRows(parts);
    this.folders = new CreatedFolders(parts.database, parts.fileSystem);
    const { fileSystem, directory, bootedAt = systemBootedAt } = parts;
    this.progress = new DoneStepsFolder(fileSystem, path.join(directory, 'restoring'), bootedAt);
  }

  /** Starts the thread that syncs the files of these steps. Call this before the files are written. */
  expect(steps: readonly RestoreStep[]): void {
    this.parts.syncThread.expect(steps.filter(isPlanned).length);
  }

  /** Changes the files, then takes the checkpoint after the restore. `touched`: paths that may have changed, by root number. */
  perform(
    id: string,
    sessionId: string,
    data: OperationData,
    workspace: Workspace,
    touched?: Map<number, Set<string>>,
  ): RestoreResult {
    const { rows, taker } = this.parts;
    const { verified, ...carriedOut } = this.carryOut(id, data);
    // Include restored files in this and later checkpoints, even if they are ignored now.
    const also = addFiles(data.steps.filter(isBroughtBack), new Map());
    const done = taker.take(
      workspace,
      () => false,
      (now) => {
        const after = rows.begin(sessionId, 'restore_after', `Restored: ${findTitle(rows, data.checkpointId)}`);
        rows.finish(after, now.manifestId, now.problems);
        const done = { ...data, ...carriedOut, afterId: after };
        this.end(id, done);
        // Do this in the same transaction, so that a resumed restore does it too.
        if (data.resets === true) rows.endWorkSession(sessionId, 'abandoned');
        return done;
      },
      // A step failed. Scan everything, because other programs may have changed folders.
      {
        touched: carriedOut.steps.every(({ outcome }) => outcome === 'done' || outcome === 'skipped') ? touched : undefined,
        also,
        verified,
      },
    );
    this.progress.forget(id);
    return this.createResult(id, sessionId, done);
  }

  /** Carries out a restore whose session was deleted. Writes no report and takes no checkpoint. */
  performWithoutSession(id: string, data: OperationData): void {
    const { steps, made } = this.carryOut(id, data);
    const done = { ...data, steps, made };
    inTransaction(this.parts.database, () => this.end(id, done));
    this.progress.forget(id);
    this.operations.markReported(id);
  }

  /** Returns finished restores that were not reported. */
  unreported(): RestoreResult[] {
    return this.operations.unreported().map(({ id, sessionId, data }) => this.createResult(id, sessionId, data));
  }

  /** Removes the progress records of finished restores. */
  sweep(): void {
    this.progress.sweep((id) => this.operations.isRunning(id));
  }

  /** Runs the steps. `verified` contains the hashes of contents that were read from the packs. */
  private carryOut(id: string, data: OperationData): { steps: StepResult[]; made: string[]; verified: ReadonlySet<string> } {
    const { steps, tidy, makes = [] } = data;
    const { fileSystem, objects, syncThread } = this.parts;
    const roots = listRoots(data);
    this.expect(steps);
    const writer = new FileWriter(fileSystem, id.slice(0, 8), (paths) => syncThread.begin(paths));
    const done = this.progress.open(id);
    try {
      const runner = new StepRunner(objects, writer, done);
      const results = runner.run(steps);
      writer.tidy([...tidy, ...this.folders.above(results)], roots);
      writer.syncFolders();
      return { steps: results, made: this.folders.there(makes, roots), verified: runner.read };
    } finally {
      done.close();
    }
  }

  /** Call this in a write transaction. Throws `StorageError` `underWay` if another window has taken the restore over. */
  private end(id: string, data: OperationData & { steps: StepResult[]; made: string[] }): void {
    if (!this.operations.finish(id, data)) throw underWay();
    this.folders.settle(data.made, data.steps);
  }

  private createResult(operationId: string, sessionId: string, data: OperationData): RestoreResult {
    const { checkpointId, beforeId, afterId = '', undoes = null, resets: isReset = false } = data;
    const title = findTitle(this.parts.rows, checkpointId);
    const steps = data.steps as StepResult[];
    return { operationId, sessionId, checkpointId, title, beforeId, afterId, undoes, isReset, steps };
  }
}

/** Returns the workspace folders of a restore. */
export function listRoots({ roots, steps }: OperationData): string[] {
  return roots ?? [...new Set(steps.map(({ root }) => root))];
}

function systemBootedAt(): number {
  return Math.round(Date.now() - uptime() * 1_000);
}

function isBroughtBack(step: RestoreStep): boolean {
  return isPlanned(step) && step.to !== null;
}

function findTitle(rows: CheckpointRows, id: string): string {
  try {
    return rows.get(id).title;
  } catch {
    return id;
  }
}
