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
import { SyncThread } from '../syncThread';
import { DoneStepsFolder } from './doneSteps';
import { FileWriter } from './fileWriter';
import { withFilesOf } from './hiddenFiles';
import { OurFolders } from './ourFolders';
import { OperationRows, type OperationData, type StepResult } from './operationRows';
import type { RestoreStep } from './restoreStep';
import { isPlanned, StepRunner } from './stepRunner';

export interface RestoreResult {
  /** For `undo`. */
  operationId: string;
  sessionId: string;
  /** The checkpoint that the workspace was brought back to. */
  checkpointId: string;
  title: string;
  /** The workspace before and after, as checkpoints. */
  beforeId: string;
  afterId: string;
  /** The restore that this one undid. */
  undoes: string | null;
  /** True where it gave up the work session. */
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
  /** The storage root. */
  directory: string;
  /** When the machine was started, in milliseconds; by default as the system tells. */
  bootedAt?: () => number;
  /** A program that calls `serveSyncs`; without one, files become durable one by one. */
  syncThreadPath?: string;
}

/** Carries out restores that are written down, from where they are: those that begin now, and those that were interrupted. */
export class RestoreExecution {
  readonly operations: OperationRows;
  readonly folders: OurFolders;
  private readonly progress: DoneStepsFolder;

  constructor(private readonly parts: RestoreExecutionParts) {
    this.operations = new OperationRows(parts);
    this.folders = new OurFolders(parts.database, parts.fileSystem);
    const { fileSystem, directory, bootedAt = systemBootedAt } = parts;
    this.progress = new DoneStepsFolder(fileSystem, path.join(directory, 'restoring'), bootedAt);
  }

  /** Changes the files, and takes the checkpoint after that. `touched`: what may have changed, by the numbers of the workspace folders. */
  perform(
    id: string,
    sessionId: string,
    data: OperationData,
    workspace: Workspace,
    touched?: Map<number, Set<string>>,
  ): RestoreResult {
    const { rows, taker } = this.parts;
    const carriedOut = this.carryOut(id, data);
    // By the rules that hold now: what comes back is in this checkpoint and in later ones, ignored or not.
    const also = withFilesOf(data.steps.filter(isBroughtBack), new Map());
    const done = taker.take(
      workspace,
      () => false,
      (now) => {
        const after = rows.begin(sessionId, 'restore_after', `Restored: ${titleOf(rows, data.checkpointId)}`);
        rows.finish(after, now.manifestId, now.problems);
        const done = { ...data, ...carriedOut, afterId: after };
        this.end(id, done);
        // In one transaction, so that whoever finishes the restore does this too.
        if (data.resets === true) rows.endWorkSession(sessionId, 'abandoned');
        return done;
      },
      // What was not done may be so because others changed folders.
      {
        touched: carriedOut.steps.every(({ outcome }) => outcome === 'done' || outcome === 'skipped') ? touched : undefined,
        also,
      },
    );
    this.progress.forget(id);
    return this.resultOf(id, sessionId, done);
  }

  /** Changes the files of a restore whose session is gone: nobody is to be told, and there is no checkpoint to go on from. */
  performUntold(id: string, data: OperationData): void {
    const done = { ...data, ...this.carryOut(id, data) };
    inTransaction(this.parts.database, () => this.end(id, done));
    this.progress.forget(id);
    this.operations.told(id);
  }

  /** Restores that are over, of which nobody was told. */
  untold(): RestoreResult[] {
    return this.operations.untold().map(({ id, sessionId, data }) => this.resultOf(id, sessionId, data));
  }

  /** Forgets how far restores came that are over. */
  sweep(): void {
    this.progress.sweep((id) => this.operations.isRunning(id));
  }

  private carryOut(id: string, data: OperationData): { steps: StepResult[]; made: string[] } {
    const { steps, tidy, makes = [] } = data;
    const { fileSystem, objects } = this.parts;
    const roots = rootsOf(data);
    const thread = new SyncThread(this.parts.syncThreadPath);
    const writer = new FileWriter(fileSystem, id.slice(0, 8), (files) => thread.begin(files));
    const done = this.progress.open(id);
    try {
      const results = new StepRunner(objects, writer, done).run(steps);
      writer.tidy([...tidy, ...this.folders.above(results)], roots);
      writer.finish();
      return { steps: results, made: this.folders.there(makes, roots) };
    } finally {
      done.close();
      thread.stop();
    }
  }

  /** Inside a write transaction. Throws `StorageError` `underWay` where another window has taken it over: that one ends it, and tells. */
  private end(id: string, data: OperationData & { steps: StepResult[]; made: string[] }): void {
    if (!this.operations.finish(id, data)) throw underWay();
    this.folders.settle(data.made, data.steps);
  }

  private resultOf(operationId: string, sessionId: string, data: OperationData): RestoreResult {
    const { checkpointId, beforeId, afterId = '', undoes = null, resets: isReset = false } = data;
    const title = titleOf(this.parts.rows, checkpointId);
    const steps = data.steps as StepResult[];
    return { operationId, sessionId, checkpointId, title, beforeId, afterId, undoes, isReset, steps };
  }
}

/** The workspace folders of a restore. */
export function rootsOf({ roots, steps }: OperationData): string[] {
  return roots ?? [...new Set(steps.map(({ root }) => root))];
}

function systemBootedAt(): number {
  return Math.round(Date.now() - uptime() * 1_000);
}

function isBroughtBack(step: RestoreStep): boolean {
  return isPlanned(step) && step.to !== null;
}

function titleOf(rows: CheckpointRows, id: string): string {
  try {
    return rows.get(id).title;
  } catch {
    return id;
  }
}
