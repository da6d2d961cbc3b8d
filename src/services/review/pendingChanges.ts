import type { Resolution, SnapshotState } from '../database/log/answers';
import type { FileOperations, PlannedChange } from '../database/sessions/fileOperations';
import type { FileSnapshot, FileSnapshots, LineCounts } from '../database/sessions/fileSnapshots';
import type { Operations } from '../database/sessions/operations';
import type { SnapshotObjects } from '../../types/checkpoint';
import { Emitter } from '../../utils/emitter';
import { phrase } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { ChangesError, type HunkChoice, type UndoOutcome } from './reviewTypes';
import type { ChangedFile, ComparedFile } from './changedFile';
import {
  type BasedChange,
  ChangeReader,
  filesIn,
  filesOf,
  isCaseOf,
  joinMoves,
  keepingOf,
  originOf,
  type PendingChange,
  scopeOf,
} from './pendingFiles';
import type { FilesOnDisk } from '../files/fileOnDisk';
import { FilesLeft, WholeUndo } from './wholeUndo';
import { FileUndo, inOrder, reasonOf } from './fileUndo';
import { HunkAnswers } from './hunkAnswers';
import type { HunkEditor, ReviewQuestions } from './reviewPorts';
import { HunkReturns } from './hunkReturns';
import { turnsOf } from './fileHunks';

/** Both sides of a changed file, by their hashes in the object store; null if there is no file. */
export interface ChangeSides {
  path: string;
  shown: string;
  /** Former name of a renamed file. */
  from?: string;
  before: string | null;
  exists: boolean;
}

/** A changed file, and the snapshots that wait for an answer. */
export interface PendingFileChange extends ComparedFile {
  rows: readonly FileSnapshot[];
  /** The message that each of `hunks` answers, by its id. */
  turns: ReadonlyMap<string, number>;
}

/**
 * Lists, keeps and undoes the agent's changes that a person has not answered yet: the snapshots beside the files as they
 * are now.
 * Keep and undo are entries of the log, and can be taken back.
 */
export class PendingChanges {
  private readonly rows: FileSnapshots;
  private readonly reader: ChangeReader;
  private readonly undos: FileUndo;
  private readonly whole: WholeUndo;
  private readonly hunks: HunkAnswers;
  private readonly returns: HunkReturns;
  private readonly operations: Pick<Operations, 'perform'>;
  private readonly finished: Emitter<readonly UndoOutcome[]>;

  constructor(
    stores: { fileSnapshots: FileSnapshots; fileOperations: FileOperations; operations: Pick<Operations, 'perform'> },
    private readonly objects: SnapshotObjects,
    private readonly files: FilesOnDisk,
    questions: ReviewQuestions,
    private readonly logger: Logger,
  ) {
    this.rows = stores.fileSnapshots;
    this.reader = new ChangeReader(this.rows, objects, files, logger);
    this.operations = stores.operations;
    this.finished = new Emitter((error) => logger.error('A listener of the changes failed', error));
    this.undos = new FileUndo({ rows: this.rows, operations: stores.fileOperations, objects, files, logger });
    this.whole = new WholeUndo({ reader: this.reader, objects, questions });
    const undoWhole = (change: BasedChange) => this.whole.undoSteps(change, new FilesLeft(files));
    const parts = { rows: this.rows, reader: this.reader, files, questions };
    this.hunks = new HunkAnswers({ ...parts, undos: this.undos, undoWhole });
    this.returns = new HunkReturns(parts);
  }

  get onDidChange() {
    return this.rows.onDidChange;
  }

  /** Fires with what became of undos that had been interrupted, whenever they are finished. */
  get onDidFinish() {
    return this.finished.event;
  }

  /**
   * Lists the files in the order in which the agent touched them; a file that is as it was before is not listed. Throws
   * `StorageError`.
   */
  async list(sessionId: string): Promise<ChangedFile[]> {
    const files = (await this.compared(sessionId)).map(({ path, shown, from, status, lines, places }) => {
      return { path, shown, ...(from !== undefined && { from }), status, lines, places };
    });
    await this.saveCounts(sessionId, files);
    return files;
  }

  /** Lists the files like `list`, each with its content; `only` limits it to the files at these paths. */
  async compared(sessionId: string, only?: ReadonlySet<string>): Promise<PendingFileChange[]> {
    const files: PendingFileChange[] = [];
    for (const change of await this.reader.pending(sessionId)) {
      if (only?.has(change.file.path) === false) continue;
      const file = await this.reader.compare(change);
      if (file === undefined) continue;
      const { rows } = change.file;
      files.push({ ...file, rows, turns: await turnsOf(file.hunks, file.texts?.now ?? [], rows, this.objects) });
    }
    return files;
  }

  /** Returns the sides for a diff; undefined if the file has nothing to compare. */
  async sides(sessionId: string, path: string): Promise<ChangeSides | undefined> {
    const change = (await this.reader.pending(sessionId)).find(({ file }) => file.path === path);
    if (change === undefined) return undefined;
    const { file } = change;
    const origin = originOf(change);
    const { state } = await this.files.read(path, file.shown);
    const before = change.base?.hash ?? null;
    return { path, shown: file.shown, before, exists: state !== null, ...(origin && { from: origin.shown }) };
  }

  /** `paths` null: all that wait. */
  keep(sessionId: string, paths: readonly string[] | null): Promise<void> {
    return this.answering(sessionId, async () => {
      await this.rows.resolve(sessionId, keepingOf(await this.reader.wanted(sessionId, paths), paths));
    });
  }

  /** Throws `ChangesError` `hunkGone`, with nothing answered, if one of the hunks does not stand any more. */
  keepHunks(sessionId: string, choices: readonly HunkChoice[]): Promise<void> {
    return this.answering(sessionId, () => this.hunks.keep(sessionId, choices));
  }

  /** Undoes hunks as one answer: in the editor where a file is open there, else on the disk. Throws as `keepHunks`. */
  undoHunks(sessionId: string, choices: readonly HunkChoice[], editor: HunkEditor): Promise<UndoOutcome> {
    return this.answering(sessionId, () => this.hunks.undo(sessionId, choices, editor));
  }

  /**
   * Takes the last undo of hunks of a file back if its text is again what it was before: a person has undone the edit in the editor. False
   * if it is not.
   */
  noticeReturn(sessionId: string, path: string): Promise<boolean> {
    return this.answering(sessionId, () => this.returns.noticeReturn(sessionId, path));
  }

  /** Hands what keeping all that waits would write to somebody who writes it with more; nobody answers here meanwhile. */
  keepWith(sessionId: string, write: (kept: Resolution | null) => Promise<void>): Promise<void> {
    return this.answering(sessionId, async () => {
      const changes = await this.reader.pending(sessionId);
      await write(changes.length === 0 ? null : keepingOf(changes, null));
      this.rows.noteAnswers(sessionId);
    });
  }

  /** Brings files back; one that somebody else has changed too is merged, or a person is asked. `paths` null: all that wait. */
  undo(sessionId: string, paths: readonly string[] | null): Promise<UndoOutcome> {
    return this.answering(sessionId, async () => {
      const outcome: UndoOutcome = { undone: [], left: [] };
      const changes: PlannedChange[] = [];
      const files = new FilesLeft(this.files);
      for (const change of inOrder('undone', await this.reader.wanted(sessionId, paths))) {
        const plan = await this.plan(change, files, () => this.whole.undoSteps(change, files), outcome);
        if (plan !== undefined) changes.push(plan);
      }
      const review = { action: 'undo', scope: scopeOf(paths) } as const;
      await this.undos.perform(sessionId, { status: 'undone', review, changes }, outcome);
      return outcome;
    });
  }

  /** Makes the answer that the review entry `seq` was undone: what was kept waits again, what was undone is as before. */
  takeBack(sessionId: string, seq: number): Promise<UndoOutcome> {
    return this.answering(sessionId, async () => {
      const answered = await this.rows.answeredBy(sessionId, seq);
      const hunks = await this.rows.hunkAnswers(sessionId, seq);
      const outcome: UndoOutcome = { undone: [], left: [] };
      const changes = await this.returns.planBack(sessionId, hunks, answered, outcome);
      const whole = answered.filter(({ path }) => !hunks.some((hunk) => hunk.path === path));
      const files = await filesOf(whole, this.objects);
      if (files.length + changes.length + outcome.left.length === 0) {
        throw new ChangesError(
          'reviewGone',
          phrase('There is nothing to undo: this was undone already, or the former contents were deleted to free room.'),
        );
      }
      const origins = new Set(files.map(({ movedFrom }) => movedFrom));
      // Of a rename that changed only the case the old name goes before the new one comes: one change each.
      const isFree = (path: string) => origins.has(path) && !files.some((other) => isCaseOf(other.path, path));
      const left = new FilesLeft(this.files);
      for (const change of await joinMoves(files, (path) => Promise.resolve(isFree(path) ? null : path))) {
        const wasUndone = change.file.rows[0]?.status === 'undone';
        const steps = async () => (wasUndone ? this.whole.redoSteps(change, left) : { steps: [] });
        const plan = await this.plan(change, left, steps, outcome);
        if (plan !== undefined) changes.push(plan);
      }
      const review = { action: 'revert', scope: hunks.length > 0 ? 'hunk' : 'all', targetSeq: seq } as const;
      await this.undos.perform(sessionId, { status: 'pending', review, changes }, outcome);
      return outcome;
    });
  }

  /** Finishes what was interrupted in sessions of these folders, and of no folder. */
  recover(folders: readonly string[]): Promise<UndoOutcome[]> {
    return this.operations.perform(() => this.finishLeft(folders));
  }

  /** None before what an earlier one left undone in the middle. Throws `StorageError` `underWay` where another window is at one. */
  private answering<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    return this.operations.perform(async () => {
      await this.finishLeft([], sessionId);
      return work();
    });
  }

  private async finishLeft(folders: readonly string[], sessionId?: string): Promise<UndoOutcome[]> {
    const outcomes = await this.undos.finishLeft(folders, sessionId);
    if (outcomes.length > 0) this.finished.fire(outcomes);
    return outcomes;
  }

  /** Undefined, with the reason, where it is left. */
  private async plan(
    change: PendingChange,
    files: FilesLeft,
    plan: () => Promise<(Pick<PlannedChange, 'steps'> & { undone?: SnapshotState | null }) | undefined>,
    outcome: UndoOutcome,
  ): Promise<PlannedChange | undefined> {
    const { shown } = change.file;
    try {
      const planned = await plan();
      if (planned === undefined) {
        outcome.left.push({ shown, reason: 'asked' });
        return undefined;
      }
      const { steps, undone } = planned;
      files.plan(steps);
      const [first, ...others] = filesIn(change).flatMap(({ rows }) => rows.map(({ id }) => ({ id })));
      const rows = first === undefined ? [] : [undone === undefined ? first : { ...first, undone }, ...others];
      return { shown, steps, rows };
    } catch (error) {
      this.logger.warn(`Could not undo ${shown}`, error);
      outcome.left.push({ shown, reason: reasonOf(error) });
      return undefined;
    }
  }

  private async saveCounts(sessionId: string, files: readonly ChangedFile[]): Promise<void> {
    const counts = new Map<string, LineCounts>();
    for (const { path, lines } of files) if (lines !== null) counts.set(path, lines);
    await this.rows
      .saveCounts(sessionId, counts)
      .catch((error: unknown) => this.logger.warn('Could not keep the numbers of changed lines', error));
  }
}
