import { randomUUID } from 'node:crypto';
import { uptime } from 'node:os';
import path from 'node:path';
import type { Clock } from '../../../../utils/clock';
import { assertNoneUnderWay, isShared, underWay } from '../../../database/sessions/operations';
import { inTransaction } from '../../../database/sqlite/ownConnection';
import { statementsOf, type DatabaseSync } from '../../../database/sqlite/sqlite';
import type { CheckpointRows } from '../../checkpointTable';
import { isSystemError, type FileSystem } from '../../fileSystem';
import type { ObjectStore } from '../objects/objectStore';
import { fileFlags } from '../scan/scannedFile';
import { SnapshotError } from '../../snapshotError';
import { SyncThread } from '../syncThread';
import type { Snapshot, SnapshotTaker, Workspace } from '../manifests/snapshotTaker';
import { workingSessions } from '../workingSessions';
import { DoneStepsFolder } from './doneSteps';
import { FileWriter } from './fileWriter';
import { LeftOutFolders } from '../manifests/leftOutFolders';
import { withFilesOf, withHidden, type NotHidden } from './hiddenFiles';
import { OurFolders } from './ourFolders';
import { OperationRows, type Operation, type OperationData, type StepResult } from './operationRows';
import type { RestoreOptions, RestorePlanner, RestoreStep } from './restorePlan';
import { isPlanned, StepRunner } from './stepRunner';

export interface RestoreResult {
  /** For `undo`. */
  operationId: string;
  sessionId: string;
  /** What the workspace was brought back to. */
  checkpointId: string;
  title: string;
  /** The workspace before and after, as checkpoints. */
  beforeId: string;
  afterId: string;
  /** The restore that this one undid. */
  undoes: string | null;
  /** Whether it gave up the work session. */
  isReset: boolean;
  steps: StepResult[];
}

/** What an undo or a reset adds to a restore. */
interface Purpose {
  undoes?: string;
  /** What that one did: these files are looked at, ignored now or not. */
  undone?: readonly RestoreStep[];
  tidy?: string[];
  resets?: boolean;
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
  /** The storage root. */
  directory: string;
  /** When the machine was started, in milliseconds; by default as the system tells. */
  bootedAt?: () => number;
  /** A program that calls `serveSyncs`; without one, files become durable one by one. */
  syncThreadPath?: string;
}

/** Brings the workspace back to a checkpoint, file by file: what is going to happen is written down first, and each restore has its opposite. */
export class Restorer {
  private readonly operations: OperationRows;
  private readonly folders: OurFolders;
  private readonly progress: DoneStepsFolder;

  constructor(private readonly parts: RestoreParts) {
    this.operations = new OperationRows(parts);
    this.folders = new OurFolders(parts.database, parts.fileSystem);
    const { fileSystem, directory, bootedAt = systemBootedAt } = parts;
    this.progress = new DoneStepsFolder(fileSystem, path.join(directory, 'restoring'), bootedAt);
  }

  /** What a restore would do. Changes no file. Throws `SnapshotError` `notFound` or `notTaken`. */
  plan(
    sessionId: string,
    checkpointId: string,
    workspace: Workspace,
    options: RestoreOptions,
    undone: readonly RestoreStep[] = [],
  ): RestoreStep[] {
    const { rows, taker, planner, fileSystem, isCancelled } = this.parts;
    const then = planner.target(checkpointId, rows.manifestOf(checkpointId));
    return withHidden(fileSystem, withFilesOf(undone, then.unusual), (also, notHidden) =>
      taker.take(workspace, isCancelled, (now) => notHidden(planner.plan(sessionId, now, then, options)), {
        ...{ also, isDry: true },
        needs: (scanned) => planner.needed(scanned, then, options),
      }),
    );
  }

  /**
   * Takes a checkpoint of what is there, restores, and takes another. Files that cannot be restored are told; the rest is. Throws
   * `SnapshotError` `busy` while a run works in the workspace, in any window, and `StorageError` `underWay` while another window is at an
   * undo or a restore there.
   */
  restore(
    sessionId: string,
    checkpointId: string,
    workspace: Workspace,
    options: RestoreOptions,
    { undoes, undone = [], tidy = [], resets = false }: Purpose = {},
  ): RestoreResult {
    const { rows, taker, planner, fileSystem, isCancelled } = this.parts;
    const then = planner.target(checkpointId, rows.manifestOf(checkpointId));
    const id = randomUUID();
    const roots = workspace.roots.map((root) => path.resolve(root));
    const begin = (now: Snapshot, notHidden: NotHidden): OperationData => {
      // In the transaction that writes the restore down: a run that begins after it waits for it.
      this.assertNobodyWorks(roots);
      const steps = notHidden(planner.plan(sessionId, now, then, options));
      const beforeId = rows.begin(sessionId, 'restore_before', `Before restoring: ${rows.get(checkpointId).title}`);
      rows.finish(beforeId, now.manifestId, now.problems);
      this.stageIgnored(beforeId, steps, now);
      const makes = this.folders.missingAbove(steps);
      const planned = { checkpointId, beforeId, steps, tidy, makes, roots, undoes: undoes ?? null, resets };
      this.operations.insert(id, sessionId, planned);
      return planned;
    };
    const data = withHidden(fileSystem, withFilesOf(undone, then.unusual), (also, notHidden) =>
      taker.take(workspace, isCancelled, (now) => begin(now, notHidden), {
        also,
        needs: (scanned) => planner.needed(scanned, then, options),
      }),
    );
    return this.perform(id, sessionId, data, workspace, touchedBy([...taker.rootsOf(workspace).keys()], data.steps));
  }

  /** What `undo` would do. Throws `SnapshotError` `notFound`. */
  planUndo(operationId: string, workspace: Workspace, options: RestoreOptions): RestoreStep[] {
    const { sessionId, beforeId, files, undone } = this.undone(operationId, options);
    return this.plan(sessionId, beforeId, workspace, { ...options, files }, undone);
  }

  /** Brings back what was there before a restore, but for what has changed since. Throws as `restore` does. */
  undo(operationId: string, workspace: Workspace, options: RestoreOptions): RestoreResult {
    const { sessionId, beforeId, files, made, undone } = this.undone(operationId, options);
    const purpose = { undoes: operationId, undone, tidy: made };
    return this.restore(sessionId, beforeId, workspace, { ...options, files }, purpose);
  }

  /**
   * Finishes restores that were interrupted, of processes that are gone, and of this one, where one of their folders is in this workspace;
   * returns those whose session is still there. Throws as `restore` does, and what kept one from being finished, after all others.
   */
  recover(workspace: Workspace): RestoreResult[] {
    const roots = workspace.roots.map((root) => path.resolve(root));
    const failures: unknown[] = [];
    const results = this.left(roots).flatMap((operation) => {
      try {
        return this.take(operation, roots) ? this.finish(operation, workspace) : [];
      } catch (error) {
        failures.push(error);
        return [];
      }
    });
    this.progress.sweep((id) => this.operations.isRunning(id));
    if (failures.length > 0) throw failures[0];
    return results;
  }

  private finish(operation: Operation, workspace: Workspace): RestoreResult[] {
    const { id, sessionId, data } = operation;
    if (this.operations.hasSession(operation)) {
      // The folders of the checkpoint before it, whichever are open now: what differs between the two is this session's.
      const open = new Set(workspace.roots.map((root) => path.resolve(root)));
      const there = rootsOf(data).filter((root) => open.has(root) || this.holdsAny(root));
      return [this.perform(id, sessionId, data, { ...workspace, roots: there.length > 0 ? there : workspace.roots })];
    }
    // Nobody is to be told, and there is no checkpoint to go on from; but files are not left half restored.
    const done = { ...data, ...this.carryOut(id, data) };
    inTransaction(this.parts.database, () => this.end(id, done));
    this.progress.forget(id);
    this.operations.told(id);
    return [];
  }

  /** Whether a folder that nobody has open can be looked into: its disk may be gone, and the empty folder left that it stood for. */
  private holdsAny(root: string): boolean {
    try {
      return this.parts.fileSystem.list(root).length > 0;
    } catch (error) {
      if (isSystemError(error)) return false;
      throw error;
    }
  }

  /** Restores that are over, of which nobody was told. */
  untold(): RestoreResult[] {
    return this.operations.untold().map(({ id, sessionId, data }) => this.resultOf(id, sessionId, data));
  }

  /** See `OperationRows.told`. */
  told(operationId: string): void {
    this.operations.told(operationId);
  }

  /** The checkpoint before a restore. Throws `SnapshotError` `notFound`. */
  beforeOf(operationId: string): string {
    return this.undone(operationId, {}).beforeId;
  }

  private undone(operationId: string, options: RestoreOptions) {
    const operation = this.operations.done(operationId);
    if (operation === null) throw new SnapshotError('notFound', `There is no restore ${operationId}`);
    const { beforeId, steps, made = [] } = operation.data;
    const undone = steps.filter(isPlanned);
    const touched = undone.map(({ root, path: relative }) => path.join(root, relative));
    const files = options.files === undefined ? touched : touched.filter((file) => options.files?.includes(file));
    return { sessionId: operation.sessionId, beforeId, files, made, undone };
  }

  private left(roots: readonly string[]): Operation[] {
    return this.operations.running().filter(({ data }) => {
      const own = rootsOf(data);
      // The others may never be opened again.
      return own.length === 0 || own.some((root) => roots.includes(root));
    });
  }

  /** False where another process has taken it over, or ended it. */
  private take({ id, data }: Operation, roots: readonly string[]): boolean {
    return inTransaction(this.parts.database, () => {
      if (!this.operations.running().some((operation) => operation.id === id)) return false;
      this.assertNobodyWorks([...roots, ...rootsOf(data)]);
      this.operations.take(id);
      return true;
    });
  }

  /** A run or an undo and a restore in one workspace would each spoil what the other is doing. */
  private assertNobodyWorks(roots: readonly string[]): void {
    const { database, clock, owner } = this.parts;
    const isHere = (project: string | null) => roots.some((root) => isShared(root, project));
    if (workingSessions(this.parts).some(({ projectPath }) => isHere(projectPath)))
      throw new SnapshotError('busy', 'A run works in this workspace');
    assertNoneUnderWay(statementsOf(database), roots, { owner, now: clock.now() });
  }

  private perform(
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

  /**
   * Ignored files that come or go: the next checkpoint takes them, and whoever goes back to this one learns what they were; also that nothing was
   * there, where a file comes into a folder that is left out.
   */
  private stageIgnored(beforeId: string, steps: readonly RestoreStep[], now: Snapshot): void {
    const folders = new LeftOutFolders((root, relative) => now.files.get(root)?.get(relative) ?? null);
    const insert = this.parts.database.prepare(
      `INSERT INTO staged_files (checkpoint_id, root_id, path, kind, mode, object_id)
       VALUES (?, ?, ?, ?, ?, (SELECT id FROM snapshot_objects WHERE hash = ?)) ON CONFLICT DO UPDATE SET is_staged = 1`,
    );
    for (const { rootId, path: relative, from, to } of steps) {
      const isKept = (((from?.flags ?? 0) | (to?.flags ?? 0)) & fileFlags.kept) !== 0;
      if (!isKept && (from !== null || !folders.holds(rootId, relative))) continue;
      insert.run(beforeId, rootId, relative, from?.kind ?? 0, from?.mode ?? 0, from?.hash ?? null);
    }
  }
}

function systemBootedAt(): number {
  return Math.round(Date.now() - uptime() * 1_000);
}

function isBroughtBack(step: RestoreStep): boolean {
  return isPlanned(step) && step.to !== null;
}

/** What a restore may change, by the numbers of the workspace folders. */
function touchedBy(roots: readonly number[], steps: readonly RestoreStep[]): Map<number, Set<string>> {
  const touched = new Map(roots.map((root) => [root, new Set<string>()]));
  for (const step of steps) if (isPlanned(step)) touched.get(step.rootId)?.add(step.path);
  return touched;
}

function rootsOf({ roots, steps }: OperationData): string[] {
  return roots ?? [...new Set(steps.map(({ root }) => root))];
}

function titleOf(rows: CheckpointRows, id: string): string {
  try {
    return rows.get(id).title;
  } catch {
    return id;
  }
}
