import type { CheckpointConfig } from '../../../config/configTypes';
import type { Entry, EntryInput } from '../../../protocol/entries';
import type { RestoreTarget, Uncovered } from '../../../protocol/restore';
import { isAroundCommand } from '../../../types/checkpoint';
import { Emitter } from '../../../utils/emitter';
import { AppError } from '../../../utils/errors';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import type { Operations } from '../../database/sessions/operations';
import { StorageError } from '../../database/sqlite/storageError';
import type { CheckpointedFolders } from './checkpointedFolders';
import type { CheckpointProblems, ProblemCounts } from '../checkpointProblems';
import type { CheckpointInfo } from '../checkpointTable';
import type { FileChange } from '../engine/manifests/comparison';
import type { EngineClient } from './engineClient';
import type { RestoreStep } from '../engine/restore/restoreStep';
import type { RestoreResult } from '../engine/restore/restoreExecution';
import { restoreEntry } from './restoreEntry';
import { joinRoot, isAllCovered, shownPath, shownUncovered } from './shownPath';
import { withTouchedHistories } from './touchedHistories';
import { SnapshotError } from '../snapshotError';
import type { Workspace } from '../engine/manifests/snapshotTaker';

/** Files with unsaved changes in editors, by real path. */
export interface UnsavedFiles {
  paths(): string[];
  /** Saves files. A file that cannot be saved keeps its unsaved changes. */
  save(paths: readonly string[]): Promise<void>;
}

export interface RestoresHost {
  getCheckpointConfig(): CheckpointConfig;
  /** Returns the workspace folders. There are none in an untrusted workspace. */
  folders(): { name: string; path: string }[];
  /** Returns the folders that checkpoints cover. */
  checkpointed(): CheckpointedFolders;
  operations: Pick<Operations, 'perform'>;
  /** Finishes interrupted undos of files. */
  finishUndos(): Promise<unknown>;
  logger: Logger;
}

export interface PlannedRestore {
  /** Title of the target checkpoint. */
  title: string;
  steps: (RestoreStep & { file: string; shown: string })[];
  /** Files that the target checkpoint does not contain. */
  leftOut: CheckpointProblems;
  /** Files that the target checkpoint contains by name only. */
  uncovered: Uncovered;
  /** Folders of the target checkpoint that are not open. */
  closedFolders: string[];
}

/** The user's decisions about a plan. Paths are absolute. */
export interface RestoreChoice {
  files: readonly string[];
  /** Paths of conflicts to overwrite. */
  overwrite: readonly string[];
  /** For a restore of all files: `seq` of the message to go back to. If all files are restored, later turns are undone too. */
  fromSeq?: number | undefined;
  /** Tool call of a command whose changes are all undone. The log entry contains the call if all files are restored. */
  undoneCall?: string | undefined;
}

export interface ComparedWorkspace {
  title: string;
  /** Files that the checkpoint does not contain. */
  leftOut: ProblemCounts;
  changes: (FileChange & { file: string; shown: string })[];
}

interface SessionLog {
  append(sessionId: string, input: EntryInput): Promise<Entry>;
  read(sessionId: string, sinceRevision: number): Promise<{ entries: Entry[] }>;
}

/** Maximum number of unreliably stored files to list. Their count includes all files. */
const namedLeftOut = 200;
/** The same limit for the log entry of a restore. */
const namedInEntry = 50;

class NoWorkspaceError extends AppError {
  readonly code = 'noWorkspace';
}

/**
 * Restores the workspace to checkpoints, for views and the API. Plans, restores, and then writes to the session's log. Before a
 * file with unsaved changes is overwritten, it is saved, so that the checkpoint before the restore contains these changes.
 */
export class Restores {
  private readonly finished: Emitter<readonly RestoreResult[]>;

  constructor(
    private readonly engine: Pick<EngineClient, 'checkpoints' | 'restores'>,
    private readonly checkpoints: { ready(sessionId: string, signal: AbortSignal): Promise<void> },
    private readonly log: SessionLog,
    private readonly unsaved: UnsavedFiles,
    private readonly host: RestoresHost,
  ) {
    this.finished = new Emitter((error) => host.logger.error('A listener of the restores failed', error));
  }

  /** Fires with interrupted or unreported restores when they are finished and in the log. */
  get onDidFinish() {
    return this.finished.event;
  }

  /** Returns the steps of a restore of these files, or of all files. Changes no file. Throws `AppError`. */
  async plan(sessionId: string, target: RestoreTarget, files?: readonly string[]): Promise<PlannedRestore> {
    await this.checkpoints.ready(sessionId, new AbortController().signal);
    const workspace = this.workspace();
    const steps = await this.engine.restores.plan(sessionId, target, workspace, { unsaved: this.unsaved.paths(), files });
    const title = target.kind === 'checkpoint' ? (await this.engine.checkpoints.info(target.id)).title : '';
    const leftOut = await this.engine.restores.listProblems(sessionId, target, namedLeftOut);
    const uncovered = await this.uncovered(sessionId, target, namedLeftOut);
    const closedFolders = await this.engine.restores.closedFolders(sessionId, target, workspace);
    const named = steps.map((step) => ({ ...step, file: joinRoot(step), shown: this.shown(step) }));
    return { title, steps: named, leftOut, uncovered, closedFolders };
  }

  /**
   * Restores the chosen files. First finishes interrupted restores, because they would otherwise undo parts of this restore
   * later. Throws `AppError`: `SnapshotError` `busy` while a run is active in the workspace, `StorageError` `underWay` while
   * another window changes files there or in another folder of an interrupted restore.
   */
  async restore(sessionId: string, target: RestoreTarget, choice: RestoreChoice): Promise<RestoreResult> {
    await this.host.finishUndos();
    return this.host.operations.perform(async () => {
      await this.checkpoints.ready(sessionId, new AbortController().signal);
      await this.finishInterrupted();
      await this.saveOverwritten(choice.overwrite);
      const unsaved = this.unsaved.paths();
      const overwrite = choice.overwrite.filter((file) => !unsaved.includes(file));
      const options = { files: [...choice.files], overwrite, unsaved };
      const result = await this.engine.restores.restore(sessionId, target, this.workspace(), options);
      await this.report(result, choice);
      return result;
    });
  }

  /** Restores the model's access to the turns that the restore in log entry `restoreSeq` has undone. Throws `StorageError`. */
  async keepTurns(sessionId: string, restoreSeq: number): Promise<void> {
    await this.log.append(sessionId, { type: 'turns_kept', data: { restoreSeq } });
  }

  /** Returns the differences between a checkpoint and the current workspace. Throws `AppError`. */
  async compare(sessionId: string, checkpointId: string): Promise<ComparedWorkspace> {
    await this.checkpoints.ready(sessionId, new AbortController().signal);
    const changes = await this.engine.checkpoints.diffNow(checkpointId, this.workspace());
    const { title, leftOut } = await this.engine.checkpoints.info(checkpointId);
    const named = changes.map((change) => ({ ...change, file: joinRoot(change), shown: this.shown(change) }));
    return { title, changes: named, leftOut };
  }

  /**
   * Returns the differences between the checkpoints before and after a command, for all
   * files or for one. Files have their names in the conversation. Throws `AppError`.
   */
  async compareAround(
    { before, after }: { before: string; after: string },
    only?: string,
  ): Promise<ComparedWorkspace['changes']> {
    const changes = await this.engine.checkpoints.diffAround(before, after);
    const named = changes.map((change) => ({ ...change, file: joinRoot(change), shown: this.shown(change) }));
    return named.filter(({ shown }) => only === undefined || shown === only);
  }

  /** Returns the ids of checkpoints before messages, and of restores, that no longer exist. Throws `AppError`. */
  async missing(sessionId: string): Promise<string[]> {
    await this.checkpoints.ready(sessionId, new AbortController().signal);
    return this.engine.checkpoints.missing(sessionId);
  }

  /** Lists checkpoints in the order they were taken. Includes checkpoints around commands only on request. Throws `AppError`. */
  async list(sessionId: string, { hasCommands = false } = {}): Promise<CheckpointInfo[]> {
    const checkpoints = await this.engine.checkpoints.list(sessionId);
    return checkpoints.filter(({ kind }) => hasCommands || !isAroundCommand(kind));
  }

  /** Takes a manual checkpoint. Throws `AppError`. */
  async create(sessionId: string, title: string): Promise<void> {
    await this.engine.checkpoints.takeNow(sessionId, 'manual', title, this.workspace());
  }

  /** Finishes interrupted restores and writes unreported ones to the log. */
  recover(): Promise<RestoreResult[]> {
    return this.host.operations.perform(() => this.finishInterrupted(true));
  }

  /**
   * Finishes interrupted and unreported restores. With `canWait`, restores that
   * other work blocks are retried at the next start and before the next restore.
   */
  private async finishInterrupted(canWait = false): Promise<RestoreResult[]> {
    const roots = this.host.folders().map((folder) => folder.path);
    if (roots.length === 0) return [];
    const failures: unknown[] = [];
    // Include folders that checkpoints no longer cover, so that no file stays half restored.
    await this.engine.restores.recover(this.toWorkspace(roots)).catch((error: unknown) => {
      if (!canWait || !isBusy(error)) failures.push(error);
    });
    const reported: RestoreResult[] = [];
    for (const result of await this.engine.restores.unreported()) {
      await this.reportOnce(result).then(
        () => reported.push(result),
        (error: unknown) => failures.push(error),
      );
    }
    if (reported.length > 0) this.finished.fire(reported);
    // Throw only now, so that a failure does not hide the finished restores.
    if (failures.length > 0) throw failures[0];
    return reported;
  }

  /** Writes the entry, unless it already exists because the process was killed before it was marked as reported. */
  private async reportOnce(result: RestoreResult): Promise<void> {
    const { entries } = await this.log.read(result.sessionId, 0);
    const isReported = entries.some(({ type, data }) => type === 'restore' && data.operationId === result.operationId);
    if (isReported) await this.engine.restores.markReported(result.operationId);
    else await this.report(result);
  }

  private async saveOverwritten(overwrite: readonly string[]): Promise<void> {
    const unsaved = this.unsaved.paths();
    const overwritten = overwrite.filter((file) => unsaved.includes(file));
    if (overwritten.length > 0) await this.unsaved.save(overwritten);
  }

  private async report(result: RestoreResult, { fromSeq, undoneCall }: Partial<RestoreChoice> = {}): Promise<void> {
    const uncovered = await this.uncoveredBy(result);
    const data = { ...restoreEntry(result, (step) => this.shown(step)), ...(uncovered !== null && { uncovered }) };
    const isComplete = data.paths.length > 0 && data.left?.length === 0;
    const undone = isComplete && { ...(fromSeq && { fromSeq }), ...(undoneCall !== undefined && { undoneCall }) };
    const whole = (await this.isAllBack(result)) && { isWhole: true as const };
    await this.log.append(result.sessionId, { type: 'restore', data: { ...data, ...undone, ...whole } });
    // If this fails, the next start finds the existing entry.
    await this.engine.restores
      .markReported(result.operationId)
      .catch((error: unknown) => this.host.logger.warn('A restore may be looked up again', error));
  }

  /** Returns true if the restore undid another restore and no file of that other restore is left to undo. */
  private async isAllBack({ sessionId, undoes }: RestoreResult): Promise<boolean> {
    if (undoes === null) return false;
    try {
      const options = { unsaved: this.unsaved.paths() };
      const target = { kind: 'restore', id: undoes } as const;
      return (await this.engine.restores.plan(sessionId, target, this.workspace(), options)).length === 0;
    } catch (error) {
      this.host.logger.warn('The files that are left to undo are not known', error);
      return false;
    }
  }

  private async uncovered(sessionId: string, target: RestoreTarget, mostNamed: number): Promise<Uncovered> {
    const all = await this.engine.restores.uncovered(sessionId, target, mostNamed);
    return shownUncovered(this.host.folders(), await withTouchedHistories(all, sessionId, this.log));
  }

  /** Returns null if the checkpoint contains everything, or no longer exists. */
  private async uncoveredBy({ sessionId, checkpointId: id }: RestoreResult): Promise<Uncovered | null> {
    try {
      const uncovered = await this.uncovered(sessionId, { kind: 'checkpoint', id }, namedInEntry);
      return isAllCovered(uncovered) ? null : uncovered;
    } catch (error) {
      this.host.logger.warn('What the checkpoint did not hold is not known', error);
      return null;
    }
  }

  private workspace(): Workspace {
    const { roots, leftOut } = this.host.checkpointed();
    if (roots.length > 0) return this.toWorkspace(roots);
    const [first] = leftOut;
    throw new NoWorkspaceError(
      'No folder',
      first?.text ?? t('Open and trust the folder that this chat belongs to, then restore.'),
    );
  }

  private toWorkspace(roots: string[]): Workspace {
    const { exclude, maxFileBytes } = this.host.getCheckpointConfig();
    return { roots, exclude, maxFileBytes };
  }

  /** Returns the name of the file in the conversation. */
  shown(step: Pick<RestoreStep, 'root' | 'path'>): string {
    return shownPath(this.host.folders(), step);
  }
}

/** Returns true if other work in the workspace blocks the restore. */
function isBusy(error: unknown): boolean {
  return (
    (error instanceof SnapshotError && error.code === 'busy') || (error instanceof StorageError && error.code === 'underWay')
  );
}
