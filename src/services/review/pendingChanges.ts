import type { Resolution } from '../database/log/answers';
import type { LogQueries } from '../database/log/logQueries';
import type { FileOperations, PlannedChange } from '../database/sessions/fileOperations';
import type { FileSnapshots } from '../database/sessions/fileSnapshots';
import type { LineCounts } from '../database/sessions/pendingStats';
import type { FileSnapshot } from '../database/sessions/snapshotRows';
import type { Operations } from '../database/sessions/operations';
import type { FilesOnDisk } from '../files/fileOnDisk';
import type { SnapshotObjects } from '../../types/checkpoint';
import { Emitter } from '../../utils/emitter';
import { phrase } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { AnswerRevert } from './answerRevert';
import type { ChangedFile, ComparedFile } from './changedFile';
import { FileUndo, inOrder } from './fileUndo';
import { HunkAnswers, createReviewData, type ChosenFile } from './hunkAnswers';
import { findOrigin, PendingFiles, toRows, selectWanted, type BasedChange } from './pendingFiles';
import type { HunkEditor, ReviewQuestions } from './reviewPorts';
import { ChangesError, type HunkChoice, type UndoOutcome } from './reviewTypes';
import { FilesAfter, WholeUndo } from './wholeUndo';

/** Prevents edits in the editor, so that the plan changes the file, as in an undo of whole files. */
const noEditor: HunkEditor = { document: () => undefined, edit: () => Promise.resolve(false) };

/** Sides of a changed file: hash of the original in the object store (null if there is none), and whether the file exists. */
export interface ChangeSides {
  path: string;
  shown: string;
  /** Former name of a renamed file. */
  from?: string;
  before: string | null;
  exists: boolean;
}

/** Changed file with its pending snapshots. */
export interface PendingFileChange extends ComparedFile {
  rows: readonly FileSnapshot[];
  /** `seq` of the message for which the agent wrote each hunk, by hunk id. */
  turns: ReadonlyMap<string, number>;
}

/**
 * Lists, keeps and undoes the agent's pending changes. Finds them by comparing snapshots with the current files. Keep and undo
 * are log entries and can be reverted. When an undo is fully planned, `FileUndo` carries it out.
 */
export class PendingChanges {
  private readonly rows: FileSnapshots;
  private readonly operations: Pick<Operations, 'perform'>;
  private readonly pending: PendingFiles;
  private readonly undos: FileUndo;
  private readonly whole: WholeUndo;
  private readonly hunks: HunkAnswers;
  private readonly reverts: AnswerRevert;
  private readonly finished: Emitter<readonly UndoOutcome[]>;

  constructor(
    stores: {
      fileSnapshots: FileSnapshots;
      fileOperations: FileOperations;
      operations: Pick<Operations, 'perform'>;
      queries: Pick<LogQueries, 'page'>;
    },
    objects: SnapshotObjects,
    private readonly files: FilesOnDisk,
    questions: ReviewQuestions,
    private readonly logger: Logger,
  ) {
    const rows = stores.fileSnapshots;
    this.rows = rows;
    this.operations = stores.operations;
    this.finished = new Emitter((error) => logger.error('A listener of the changes failed', error));
    this.pending = new PendingFiles(rows, objects, files, logger);
    const parts = { rows, pending: this.pending, files, questions };
    this.undos = new FileUndo({ ...parts, operations: stores.fileOperations, logger });
    this.whole = new WholeUndo(parts);
    this.hunks = new HunkAnswers({ ...parts, whole: this.whole });
    this.reverts = new AnswerRevert({ ...parts, undos: this.undos, queries: stores.queries });
  }

  get onDidChange() {
    return this.rows.onDidChange;
  }

  /** Fires with the outcomes of interrupted undos after they are finished. */
  get onDidFinish() {
    return this.finished.event;
  }

  /** Lists the files in the order of the agent's first changes. Omits files without remaining changes. Throws `StorageError`. */
  async list(sessionId: string): Promise<ChangedFile[]> {
    const files = (await this.compared(sessionId)).map(({ path, shown, from, status, lines, places }) => {
      return { path, shown, ...(from !== undefined && { from }), status, lines, places };
    });
    await this.saveCounts(sessionId, files);
    return files;
  }

  /** Lists the files like `list`, with their contents. `only` limits the list to these paths. */
  async compared(sessionId: string, only?: ReadonlySet<string>): Promise<PendingFileChange[]> {
    const files: PendingFileChange[] = [];
    for (const change of await this.pending.all(sessionId)) {
      if (only?.has(change.file.path) === false) continue;
      const file = await this.pending.compare(change);
      if (file === undefined) continue;
      const { rows } = change.file;
      const last = rows.at(-1)?.turn ?? 0;
      const turns = new Map(file.hunks.map(({ id, change: { turn } }) => [id, turn < 0 ? last : turn]));
      files.push({ ...file, rows, turns });
    }
    return files;
  }

  /** Returns the sides for a diff, or undefined. */
  async sides(sessionId: string, path: string): Promise<ChangeSides | undefined> {
    const change = (await this.pending.all(sessionId)).find(({ file }) => file.path === path);
    if (change === undefined) return undefined;
    const { file } = change;
    const origin = findOrigin(change);
    const { state } = await this.files.read(path, file.shown);
    const before = change.base?.hash ?? null;
    return { path, shown: file.shown, before, exists: state !== null, ...(origin && { from: origin.shown }) };
  }

  /** Keeps changes. If `paths` is null, keeps all pending files. */
  keep(sessionId: string, paths: readonly string[] | null): Promise<void> {
    return this.answering(sessionId, async () => {
      await this.rows.resolve(sessionId, await this.resolveKeep(await this.pending.wanted(sessionId, paths), paths));
    });
  }

  /** Keeps hunks. If one of them no longer exists, throws `ChangesError` `hunkGone` and keeps none. */
  keepHunks(sessionId: string, choices: readonly HunkChoice[]): Promise<void> {
    return this.answering(sessionId, async () => {
      await this.rows.resolve(sessionId, await this.hunks.planKeep(await this.hunks.choose(sessionId, choices)));
    });
  }

  /** Undoes hunks with one log entry, in the editor if the file is open, otherwise on disk. Throws the errors of `keepHunks`. */
  undoHunks(sessionId: string, choices: readonly HunkChoice[], editor: HunkEditor): Promise<UndoOutcome> {
    return this.answering(sessionId, async () => {
      const outcome: UndoOutcome = { undone: [], left: [] };
      const changes: PlannedChange[] = [];
      const planned: ChosenFile[] = [];
      for (const file of inOrder('undone', await this.hunks.choose(sessionId, choices))) {
        const { shown } = file.change.file;
        const plan = await this.undos.plan(shown, () => this.hunks.planUndo(file, editor), outcome);
        changes.push(...plan);
        if (plan.length > 0) planned.unshift(file);
      }
      return this.undos.perform(sessionId, { status: 'undone', review: createReviewData('undo', planned), changes }, outcome);
    });
  }

  /**
   * Records `Ctrl+Z` and `Ctrl+Y` in the editor. If the user reverted the edit of the last undo of a file or its hunks, reverts
   * this undo. If the user redid the edit, records the undo again. Resolves with true if anything was recorded.
   */
  followEditor(sessionId: string, path: string, reason: 'undo' | 'redo'): Promise<boolean> {
    return this.answering(sessionId, async () => {
      if (reason === 'undo') return this.reverts.revertIfUndoneInEditor(sessionId, path);
      const plan = await this.reverts.planIfRedoneInEditor(sessionId, path);
      if (plan === undefined) return false;
      const { undone } = await this.undos.perform(sessionId, plan, { undone: [], left: [] });
      return undone.length > 0;
    });
  }

  /** Passes the data for keeping all pending changes to `write`, which stores it. Blocks other decisions in the meantime. */
  keepWith(sessionId: string, write: (kept: Resolution | null) => Promise<void>): Promise<void> {
    return this.answering(sessionId, async () => {
      const changes = await this.pending.all(sessionId);
      await write(changes.length === 0 ? null : await this.resolveKeep(changes, null));
      this.rows.noteAnswers(sessionId);
    });
  }

  /**
   * Undoes changes. If others also changed a file, merges or asks the user. If others rewrote lines of a hunk, first undoes the
   * other hunks of the file with a separate log entry, then asks about the rest. If `paths` is null, undoes all pending files.
   * Files without remaining changes are also marked as undone, but the log does not mention them.
   */
  undo(sessionId: string, paths: readonly string[] | null): Promise<UndoOutcome> {
    return this.answering(sessionId, async () => {
      const outcome: UndoOutcome = { undone: [], left: [] };
      await this.undoUncontested(sessionId, paths);
      const planned = new Map<BasedChange, PlannedChange>();
      const after = new FilesAfter(this.files);
      const all = await this.pending.all(sessionId);
      const wanted = selectWanted(all, paths);
      const named = await this.named(wanted);
      for (const change of inOrder('undone', wanted)) {
        const [plan] = await this.undos.plan(change.file.shown, () => this.whole.plan(change, after), outcome);
        if (plan === undefined) continue;
        const isNamed = named.includes(change) || plan.steps.length > 0;
        planned.set(change, isNamed ? plan : { ...plan, isUnnamed: true });
      }
      for (const { change, from } of movedAlone([...planned.keys()], all)) {
        planned.delete(change);
        const text = phrase('This file has the content of {0}, which was not restored. So it was kept.', from);
        outcome.left.push({ shown: change.file.shown, reason: new ChangesError('conflict', text).userMessage });
      }
      const review = { action: 'undo', scope: chooseScope(paths) } as const;
      return this.undos.perform(sessionId, { status: 'undone', review, changes: [...planned.values()] }, outcome);
    });
  }

  /**
   * Returns the `seq` of the review entries that `revertAnswer` can revert. Excludes imported entries and entries whose stored
   * contents were released.
   */
  revertible(sessionId: string): Promise<number[]> {
    return this.rows.revertible(sessionId);
  }

  /** Reverts the decision in the review entry `seq`. Kept changes become pending, and undone changes are reapplied. */
  revertAnswer(sessionId: string, seq: number): Promise<UndoOutcome> {
    return this.answering(sessionId, async () => {
      const outcome: UndoOutcome = { undone: [], left: [] };
      return this.undos.perform(sessionId, await this.reverts.plan(sessionId, seq, outcome), outcome);
    });
  }

  /** Finishes interrupted operations of sessions in these folders, or of sessions without a folder. */
  recover(folders: readonly string[]): Promise<UndoOutcome[]> {
    return this.operations.perform(() => this.finishUnfinished(folders));
  }

  /** Returns the data for keeping files. If `paths` is null, includes all pending files. */
  private async resolveKeep(changes: readonly BasedChange[], paths: readonly string[] | null): Promise<Resolution> {
    const named = await this.named(changes);
    const data = { action: 'keep' as const, scope: chooseScope(paths), paths: named.map(({ file }) => file.shown) };
    return { status: 'kept', rows: changes.flatMap((change) => toRows(change)), entry: { type: 'review', data } };
  }

  /** Returns the changes that the log entry mentions: those that remain in their files, or all if none remains. */
  private async named(changes: readonly BasedChange[]): Promise<readonly BasedChange[]> {
    const remaining: BasedChange[] = [];
    for (const change of changes) if ((await this.pending.compare(change)) !== undefined) remaining.push(change);
    return remaining.length === 0 ? changes : remaining;
  }

  /** In files with hunks that others have rewritten, undoes the other hunks. Failures are reported with the whole file later. */
  private async undoUncontested(sessionId: string, paths: readonly string[] | null): Promise<void> {
    const outcome: UndoOutcome = { undone: [], left: [] };
    const changes: PlannedChange[] = [];
    const planned: ChosenFile[] = [];
    for (const change of inOrder('undone', selectWanted(await this.pending.all(sessionId), paths))) {
      const file = await this.hunks.chooseUncontested(change).catch(() => undefined);
      const plan = file && (await this.undos.plan(change.file.shown, () => this.hunks.planUndo(file, noEditor), outcome));
      if (file === undefined || plan?.[0] === undefined) continue;
      changes.push(plan[0]);
      planned.unshift(file);
    }
    await this.undos.perform(sessionId, { status: 'undone', review: createReviewData('undo', planned), changes }, outcome);
  }

  /** Finishes interrupted operations before `work`. Throws `StorageError` `underWay` while another window runs one. */
  private answering<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    return this.operations.perform(async () => {
      await this.finishUnfinished([], sessionId);
      return work();
    });
  }

  private async finishUnfinished(folders: readonly string[], sessionId?: string): Promise<UndoOutcome[]> {
    const outcomes = await this.undos.finishUnfinished(folders, sessionId);
    if (outcomes.length > 0) this.finished.fire(outcomes);
    return outcomes;
  }

  private async saveCounts(sessionId: string, files: readonly ChangedFile[]): Promise<void> {
    const counts = new Map<string, LineCounts>();
    for (const { path, lines } of files) if (lines !== null) counts.set(path, lines);
    await this.rows
      .saveCounts(sessionId, counts)
      .catch((error: unknown) => this.logger.warn('Could not keep the numbers of changed lines', error));
  }
}

/**
 * Returns files that the agent moved, if a new file at the old path is not undone
 * here. Deleting a returned file would delete the only copy of its content.
 */
function movedAlone(undone: readonly BasedChange[], all: readonly BasedChange[]): { change: BasedChange; from: string }[] {
  const paths = new Set(undone.map(({ file }) => file.path));
  return undone.flatMap((change) => {
    const { movedFrom, history } = change.file;
    const from = all.find(({ file }) => file.path === movedFrom && file.history.base !== null);
    return history.base === null && change.origins.length === 0 && from !== undefined && !paths.has(from.file.path)
      ? [{ change, from: from.file.shown }]
      : [];
  });
}

function chooseScope(paths: readonly string[] | null): 'all' | 'file' {
  return paths === null ? 'all' : 'file';
}
