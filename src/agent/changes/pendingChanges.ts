import type { EntryData } from '../../protocol/entries';
import type { FileSnapshot, FileSnapshots, LineCounts, SnapshotState } from '../../services/database/fileSnapshots';
import type { SnapshotObjects } from '../../types/checkpoint';
import { AsyncMutex } from '../../utils/asyncMutex';
import { AppError, messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { AgentError } from '../agentError';
import type { OpenFiles } from '../ports';
import { baseOf } from './baseOf';
import { compareFile, type ChangedFile } from './changedFile';
import { bringTo, readCurrent, type CurrentFile } from './fileOnDisk';
import { planUndo, type ReviewQuestions } from './undoPlan';

/** What became of an undo: files that were brought back, and those that were left with the reason why. */
export interface UndoOutcome {
  undone: string[];
  left: { shown: string; reason: string }[];
}

/** Both sides of a changed file, by their hashes in the object store; null where there is no file. */
export interface ChangeSides {
  path: string;
  shown: string;
  before: string | null;
  exists: boolean;
}

/** All snapshots of one file that wait for an answer. */
interface PendingFile {
  path: string;
  shown: string;
  before: SnapshotState | null;
  left: SnapshotState | null | undefined;
  rows: FileSnapshot[];
}

/**
 * What the agent has changed and a person has not answered yet: the snapshots beside the files as they are now. Keep and undo are
 * entries of the log, and can be taken back.
 */
export class PendingChanges {
  private readonly turn = new AsyncMutex();

  constructor(
    private readonly rows: FileSnapshots,
    private readonly objects: SnapshotObjects,
    private readonly open: OpenFiles,
    private readonly questions: ReviewQuestions,
    private readonly logger: Logger,
  ) {}

  get onDidChange() {
    return this.rows.onDidChange;
  }

  /** In the order in which the agent touched them; a file that is again as it was is not there. Throws `StorageError`. */
  async list(sessionId: string): Promise<ChangedFile[]> {
    const files: ChangedFile[] = [];
    for (const pending of await this.pendingFiles(sessionId)) {
      const file = await this.compare(pending);
      if (file !== undefined) files.push(file);
    }
    await this.saveCounts(sessionId, files);
    return files;
  }

  /** For a diff; undefined where the file has nothing to compare. */
  async sides(sessionId: string, path: string): Promise<ChangeSides | undefined> {
    const pending = (await this.pendingFiles(sessionId)).find((file) => file.path === path);
    if (pending === undefined) return undefined;
    const { state } = await readCurrent(path, pending.shown, this.open);
    return { path, shown: pending.shown, before: pending.before?.hash ?? null, exists: state !== null };
  }

  /** `paths` null: all that wait. */
  keep(sessionId: string, paths: readonly string[] | null): Promise<void> {
    return this.turn.runExclusive(async () => {
      const files = await this.wanted(sessionId, paths);
      const rows = files.flatMap((file) => file.rows.map(({ id }) => ({ id })));
      await this.rows.resolve(sessionId, { status: 'kept', rows, entry: entryOf('keep', files, paths) });
    });
  }

  /** Brings files back; one that somebody else has changed too is merged, or a person is asked. `paths` null: all that wait. */
  undo(sessionId: string, paths: readonly string[] | null): Promise<UndoOutcome> {
    return this.turn.runExclusive(async () => {
      const outcome: UndoOutcome = { undone: [], left: [] };
      const done: { file: PendingFile; undone: SnapshotState | null }[] = [];
      // The last one touched goes first: a file that was moved is free to come back when its new place is.
      for (const file of (await this.wanted(sessionId, paths)).toReversed()) {
        try {
          const undone = await this.undoFile(file);
          if (undone === undefined) outcome.left.push({ shown: file.shown, reason: 'asked' });
          else done.push({ file, undone });
        } catch (error) {
          const reason = error instanceof AppError ? error.userMessage : messageOf(error);
          this.logger.warn(`Could not undo ${file.shown}`, error);
          outcome.left.push({ shown: file.shown, reason });
        }
      }
      if (done.length > 0) {
        const rows = done.flatMap(({ file, undone }) =>
          file.rows.map(({ id }, index) => ({ id, ...(index === 0 && { undone }) })),
        );
        const files = done.map(({ file }) => file).toReversed();
        outcome.undone = files.map(({ shown }) => shown);
        await this.rows.resolve(sessionId, { status: 'undone', rows, entry: entryOf('undo', files, paths) });
      }
      return outcome;
    });
  }

  /** Makes the answer that the review entry `seq` was undone: what was kept waits again, what was undone is as before. */
  takeBack(sessionId: string, seq: number): Promise<UndoOutcome> {
    return this.turn.runExclusive(async () => {
      const files = await byPath(await this.rows.answeredBy(sessionId, seq), this.objects);
      if (files.length === 0) {
        throw new AgentError('reviewGone', 'There is nothing to take back: this was taken back already.');
      }
      const outcome: UndoOutcome = { undone: [], left: [] };
      const done: PendingFile[] = [];
      for (const file of files) {
        const [first] = file.rows;
        const isBack = first?.status !== 'undone' || (await this.redo(file, first.undone, outcome));
        if (isBack) done.push(file);
      }
      if (done.length === 0) return outcome;
      outcome.undone = done.map(({ shown }) => shown);
      const entry = { ...entryOf('revert', done, null), data: { ...entryOf('revert', done, null).data, targetSeq: seq } };
      await this.rows.resolve(sessionId, {
        status: 'pending',
        rows: done.flatMap(({ rows }) => rows.map(({ id }) => ({ id }))),
        entry,
      });
      return outcome;
    });
  }

  /** The state before the undo, to be able to take it back; undefined when a person decided to leave the file. */
  private async undoFile(file: PendingFile): Promise<SnapshotState | null | undefined> {
    const current = await readCurrent(file.path, file.shown, this.open);
    const undone = await this.stored(current);
    const before = await this.wantedOf(file.before);
    const plan = await planUndo({
      ...{ current, before, beforeHash: file.before?.hash ?? null, left: file.left, questions: this.questions },
      load: (hash) => this.objects.get(hash),
    });
    if (plan.kind === 'leave') return undefined;
    if (plan.kind === 'bring') await bringTo(current, plan.to, this.open);
    return undone;
  }

  /** False, with the reason, where the file has been changed since it was undone. */
  private async redo(file: PendingFile, undone: SnapshotState | null, outcome: UndoOutcome): Promise<boolean> {
    const current = await readCurrent(file.path, file.shown, this.open);
    const isAsUndone = current.hash === (file.before?.hash ?? null);
    if (!isAsUndone && current.hash !== (undone?.hash ?? null)) {
      const isMeant = await this.questions.replace(file.shown, 'takeBack');
      if (!isMeant) {
        outcome.left.push({ shown: file.shown, reason: 'asked' });
        return false;
      }
    }
    try {
      await bringTo(current, await this.wantedOf(undone), this.open);
      return true;
    } catch (error) {
      outcome.left.push({ shown: file.shown, reason: error instanceof AppError ? error.userMessage : messageOf(error) });
      return false;
    }
  }

  private async compare({ path, shown, before }: PendingFile): Promise<ChangedFile | undefined> {
    try {
      const current = await readCurrent(path, shown, this.open);
      if (current.hash === (before?.hash ?? null)) return undefined;
      return compareFile(path, shown, before === null ? null : await this.objects.get(before.hash), current.state?.bytes ?? null);
    } catch (error) {
      // What cannot be compared now is still there to be answered.
      this.logger.warn(`Could not compare ${shown}`, error);
      return { path, shown, status: 'modified', lines: null, places: [1] };
    }
  }

  private async wanted(sessionId: string, paths: readonly string[] | null): Promise<PendingFile[]> {
    const files = await this.pendingFiles(sessionId);
    const wanted = paths === null ? files : files.filter(({ path }) => paths.includes(path));
    if (wanted.length === 0) throw new AgentError('reviewGone', 'No change of this file waits for an answer any more.');
    return wanted;
  }

  private async pendingFiles(sessionId: string): Promise<PendingFile[]> {
    return byPath(await this.rows.pending(sessionId), this.objects);
  }

  private async wantedOf(state: SnapshotState | null) {
    return state === null ? null : { bytes: Buffer.from(await this.objects.get(state.hash)), mode: state.mode };
  }

  private async stored({ state }: CurrentFile): Promise<SnapshotState | null> {
    if (state === null) return null;
    const [hash] = await this.objects.put([state.bytes]);
    return hash === undefined ? null : { hash, mode: state.stats.mode & 0o7777 };
  }

  private async saveCounts(sessionId: string, files: readonly ChangedFile[]): Promise<void> {
    const counts = new Map<string, LineCounts>();
    for (const { path, lines } of files) if (lines !== null) counts.set(path, lines);
    await this.rows
      .saveCounts(sessionId, counts)
      .catch((error: unknown) => this.logger.warn('Could not keep the numbers of changed lines', error));
  }
}

/** The snapshots of a file together say what it was, the last one what the agent has made of it. */
async function byPath(rows: readonly FileSnapshot[], objects: SnapshotObjects): Promise<PendingFile[]> {
  const files = new Map<string, PendingFile>();
  for (const row of rows) {
    const file = files.get(row.path) ?? { path: row.path, shown: row.shown, before: row.before, left: row.left, rows: [] };
    file.rows.push(row);
    file.left = row.left;
    files.set(row.path, file);
  }
  for (const file of files.values()) file.before = await baseOf(file.rows, objects);
  return [...files.values()];
}

function entryOf(action: EntryData<'review'>['action'], files: readonly PendingFile[], paths: readonly string[] | null) {
  const data = { action, scope: paths === null ? ('all' as const) : ('file' as const), paths: files.map(({ shown }) => shown) };
  return { type: 'review' as const, data };
}
