import path from 'node:path';
import type { CheckpointConfig } from '../../../config/configTypes';
import type { Entry, EntryData, EntryInput } from '../../../protocol/entries';
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
import type { StepResult } from '../engine/restore/operationRows';
import type { RestoreStep } from '../engine/restore/restoreStep';
import type { RestoreResult } from '../engine/restore/restoreExecution';
import { isAllCovered, shownPath, shownUncovered } from './shownPath';
import { SnapshotError } from '../snapshotError';
import type { Workspace } from '../engine/manifests/snapshotTaker';

/** Files that editors hold with text that is not on the disk, by their real paths. */
export interface UnsavedFiles {
  paths(): string[];
  /** Saves files; one that cannot be saved stays as it is. */
  save(paths: readonly string[]): Promise<void>;
}

export interface RestoresHost {
  getCheckpointConfig(): CheckpointConfig;
  /** Workspace folders; none where the workspace is not trusted. */
  folders(): { name: string; path: string }[];
  /** Returns the folders that checkpoints are of. */
  checkpointed(): CheckpointedFolders;
  operations: Pick<Operations, 'perform'>;
  /** Finishes undos of files that were interrupted. */
  finishUndos(): Promise<unknown>;
  logger: Logger;
}

export interface PlannedRestore {
  /** Title of the checkpoint that it goes back to. */
  title: string;
  steps: (RestoreStep & { file: string; shown: string })[];
  /** By that checkpoint. */
  leftOut: CheckpointProblems;
  /** By that checkpoint too. */
  uncovered: Uncovered;
}

/** Holds what a person has decided about a plan; paths are absolute. */
export interface RestoreChoice {
  files: readonly string[];
  /** Conflicts among them that are to be replaced nevertheless. */
  overwrite: readonly string[];
  /** `seq` of the message that all files are brought back to; where each of them is, what was said since is undone too. */
  fromSeq?: number | undefined;
}

export interface ComparedWorkspace {
  title: string;
  /** By the checkpoint. */
  leftOut: ProblemCounts;
  changes: (FileChange & { file: string; shown: string })[];
}

interface SessionLog {
  append(sessionId: string, input: EntryInput): Promise<Entry>;
  read(sessionId: string, sinceRevision: number): Promise<{ entries: Entry[] }>;
}

/** Files that are named where a checkpoint does not hold them, or not for certain; all are counted. */
const namedLeftOut = 200;
/** The same in the entry of a restore. */
const namedInEntry = 50;

class NoWorkspaceError extends AppError {
  readonly code = 'noWorkspace';
}

/**
 * Brings the workspace back to checkpoints, for views and the API: planned first, then done, then told in the log of the session. Unsaved
 * text that a person gives up is saved before, so that it is in the checkpoint from which it can be brought back.
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

  /** Fires with restores that had been interrupted, or of which nobody was told, once they are finished and in the log. */
  get onDidFinish() {
    return this.finished.event;
  }

  /** Returns what a restore would do now, to these files or to all; changes no file. Throws `AppError`. */
  async plan(sessionId: string, target: RestoreTarget, files?: readonly string[]): Promise<PlannedRestore> {
    await this.checkpoints.ready(sessionId, new AbortController().signal);
    const options = { unsaved: this.unsaved.paths(), files };
    const steps = await this.engine.restores.plan(sessionId, target, this.workspace(), options);
    const title = target.kind === 'checkpoint' ? (await this.engine.checkpoints.info(target.id)).title : '';
    const leftOut = await this.engine.restores.problemsOf(sessionId, target, namedLeftOut);
    const uncovered = shownUncovered(this.host.folders(), await this.engine.restores.uncovered(sessionId, target, namedLeftOut));
    return { title, steps: steps.map((step) => ({ ...step, file: fileOf(step), shown: this.shown(step) })), leftOut, uncovered };
  }

  /**
   * Throws `AppError`; `SnapshotError` `busy` while a run works in the workspace, `StorageError` `underWay` while another window changes files
   * there, or in another folder of a restore that was cut off here: finished after this one, that would undo some of it.
   */
  async restore(sessionId: string, target: RestoreTarget, choice: RestoreChoice): Promise<RestoreResult> {
    await this.host.finishUndos();
    return this.host.operations.perform(async () => {
      await this.checkpoints.ready(sessionId, new AbortController().signal);
      await this.finishLeft();
      await this.saveGivenUp(choice.overwrite);
      const unsaved = this.unsaved.paths();
      const overwrite = choice.overwrite.filter((file) => !unsaved.includes(file));
      const options = { files: [...choice.files], overwrite, unsaved };
      const result = await this.engine.restores.restore(sessionId, target, this.workspace(), options);
      await this.tell(result, choice.fromSeq);
      return result;
    });
  }

  /** Sends the turns that the restore of the entry `restoreSeq` has undone to the model nevertheless. Throws `StorageError`. */
  async keepTurns(sessionId: string, restoreSeq: number): Promise<void> {
    await this.log.append(sessionId, { type: 'turns_kept', data: { restoreSeq } });
  }

  /** Returns what differs between a checkpoint and the workspace as it is now. Throws `AppError`. */
  async compare(sessionId: string, checkpointId: string): Promise<ComparedWorkspace> {
    await this.checkpoints.ready(sessionId, new AbortController().signal);
    const changes = await this.engine.checkpoints.diffNow(checkpointId, this.workspace());
    const { title, leftOut } = await this.engine.checkpoints.info(checkpointId);
    const named = changes.map((change) => ({ ...change, file: fileOf(change), shown: this.shown(change) }));
    return { title, changes: named, leftOut };
  }

  /** Opens what changed between the checkpoints around a command, in all files or in one, as the conversation names it. Throws `AppError`. */
  async compareAround(
    { before, after }: { before: string; after: string },
    only?: string,
  ): Promise<ComparedWorkspace['changes']> {
    const changes = await this.engine.checkpoints.diffAround(before, after);
    const named = changes.map((change) => ({ ...change, file: fileOf(change), shown: this.shown(change) }));
    return named.filter(({ shown }) => only === undefined || shown === only);
  }

  /** Returns the checkpoints before messages, and the restores, that are there no more. Throws `AppError`. */
  async missing(sessionId: string): Promise<string[]> {
    await this.checkpoints.ready(sessionId, new AbortController().signal);
    return this.engine.checkpoints.missing(sessionId);
  }

  /** In the order they were taken; those around commands, which are many, only where they are asked for. Throws `AppError`. */
  async list(sessionId: string, { hasCommands = false } = {}): Promise<CheckpointInfo[]> {
    const checkpoints = await this.engine.checkpoints.list(sessionId);
    return checkpoints.filter(({ kind }) => hasCommands || !isAroundCommand(kind));
  }

  /** Takes one by hand. Throws `AppError`. */
  async create(sessionId: string, title: string): Promise<void> {
    await this.engine.checkpoints.takeNow(sessionId, 'manual', title, this.workspace());
  }

  /** Finishes restores that were interrupted, and tells in the log what nobody was told. */
  recover(): Promise<RestoreResult[]> {
    return this.host.operations.perform(() => this.finishLeft(true));
  }

  /** With `canWait`, what others keep from being finished by working there is tried again at the next start, and before the next restore. */
  private async finishLeft(canWait = false): Promise<RestoreResult[]> {
    const roots = this.host.folders().map((folder) => folder.path);
    if (roots.length === 0) return [];
    const failures: unknown[] = [];
    // Also in a folder of which no more are begun: no file is left half restored.
    await this.engine.restores.recover(this.workspaceOf(roots)).catch((error: unknown) => {
      if (!canWait || !isBusy(error)) failures.push(error);
    });
    const told: RestoreResult[] = [];
    for (const result of await this.engine.restores.untold()) {
      await this.tellOnce(result).then(
        () => told.push(result),
        (error: unknown) => failures.push(error),
      );
    }
    if (told.length > 0) this.finished.fire(told);
    // One that cannot be finished or told hides none that was.
    if (failures.length > 0) throw failures[0];
    return told;
  }

  /** One that was killed between the entry and the mark is not told twice. */
  private async tellOnce(result: RestoreResult): Promise<void> {
    const { entries } = await this.log.read(result.sessionId, 0);
    const isTold = entries.some(({ type, data }) => type === 'restore' && data.operationId === result.operationId);
    if (isTold) await this.engine.restores.markTold(result.operationId);
    else await this.tell(result);
  }

  private async saveGivenUp(overwrite: readonly string[]): Promise<void> {
    const unsaved = this.unsaved.paths();
    const given = overwrite.filter((file) => unsaved.includes(file));
    if (given.length > 0) await this.unsaved.save(given);
  }

  private async tell(result: RestoreResult, fromSeq?: number): Promise<void> {
    const uncovered = await this.uncoveredBy(result);
    const data = { ...this.entryOf(result), ...(uncovered !== null && { uncovered }) };
    const isWhole = data.paths.length > 0 && data.left?.length === 0;
    await this.log.append(result.sessionId, { type: 'restore', data: isWhole && fromSeq ? { ...data, fromSeq } : data });
    // Where this fails, the next start finds the entry.
    await this.engine.restores
      .markTold(result.operationId)
      .catch((error: unknown) => this.host.logger.warn('A restore may be looked up again', error));
  }

  /** Returns null where the checkpoint held all, and where it is gone by now: the restore is told of nevertheless. */
  private async uncoveredBy({ sessionId, checkpointId: id }: RestoreResult): Promise<Uncovered | null> {
    try {
      const uncovered = await this.engine.restores.uncovered(sessionId, { kind: 'checkpoint', id }, namedInEntry);
      return isAllCovered(uncovered) ? null : shownUncovered(this.host.folders(), uncovered);
    } catch (error) {
      this.host.logger.warn('What the checkpoint did not hold is not known', error);
      return null;
    }
  }

  private entryOf({ operationId, checkpointId, title, undoes, isReset, steps }: RestoreResult): EntryData<'restore'> {
    const isDone = ({ outcome }: StepResult) => outcome === 'done';
    return {
      targetCheckpointId: checkpointId,
      paths: steps.filter(isDone).map((step) => this.shown(step)),
      ...{ operationId, title },
      left: steps.filter((step) => !isDone(step)).map((step) => ({ path: this.shown(step), reason: reasonOf(step) })),
      ...(undoes !== null && { undoes }),
      ...(isReset && { isReset }),
    };
  }

  private workspace(): Workspace {
    const { roots, leftOut } = this.host.checkpointed();
    if (roots.length > 0) return this.workspaceOf(roots);
    const [first] = leftOut;
    throw new NoWorkspaceError('No folder', first?.text ?? t('Open the folder of this chat and trust it, then restore.'));
  }

  private workspaceOf(roots: string[]): Workspace {
    const { exclude, maxFileBytes } = this.host.getCheckpointConfig();
    return { roots, exclude, maxFileBytes };
  }

  /** Returns the name that the conversation has for a file. */
  shown(step: Pick<RestoreStep, 'root' | 'path'>): string {
    return shownPath(this.host.folders(), step);
  }
}

/** Tells whether somebody else works in the workspace. */
function isBusy(error: unknown): boolean {
  return (
    (error instanceof SnapshotError && error.code === 'busy') || (error instanceof StorageError && error.code === 'underWay')
  );
}

function fileOf(step: Pick<RestoreStep, 'root' | 'path'>): string {
  return path.join(step.root, step.path);
}

function reasonOf({ outcome, reason }: StepResult): NonNullable<EntryData<'restore'>['left']>[number]['reason'] {
  if (outcome === 'failed') return reason === 'damaged' ? reason : 'failed';
  return outcome === 'changed' || reason === null ? 'changed' : reason;
}
