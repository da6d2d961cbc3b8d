import type { EntryData } from '../../protocol/entries';
import type { Resolution, SnapshotState } from '../../services/database/answers';
import type { FileSnapshots, LineCounts } from '../../services/database/fileSnapshots';
import type { SnapshotObjects } from '../../types/checkpoint';
import { AsyncMutex } from '../../utils/asyncMutex';
import { AppError, messageOf } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { AgentError } from '../agentError';
import { compareFile, type ChangedFile } from './changedFile';
import { isThere, type CurrentFile, type FilesOnDisk } from './fileOnDisk';
import { filesOf, joinMoves, originOf, type PendingChange, type PendingFile } from './pendingFiles';
import { planUndo, textOf, type ReviewQuestions } from './undoPlan';

/** What became of an undo: files that were brought back, and those that were left with the reason why. */
export interface UndoOutcome {
  undone: string[];
  left: { shown: string; reason: string }[];
}

/** Both sides of a changed file, by their hashes in the object store; null where there is no file. */
export interface ChangeSides {
  path: string;
  shown: string;
  /** Of a renamed file: what it was called before. */
  from?: string;
  before: string | null;
  exists: boolean;
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
    private readonly files: FilesOnDisk,
    private readonly questions: ReviewQuestions,
    private readonly logger: Logger,
  ) {}

  get onDidChange() {
    return this.rows.onDidChange;
  }

  /** In the order in which the agent touched them; a file that is again as it was is not there. Throws `StorageError`. */
  async list(sessionId: string): Promise<ChangedFile[]> {
    const files: ChangedFile[] = [];
    for (const change of await this.pending(sessionId)) {
      const file = await this.compare(change);
      if (file !== undefined) files.push(file);
    }
    await this.saveCounts(sessionId, files);
    return files;
  }

  /** For a diff; undefined where the file has nothing to compare. */
  async sides(sessionId: string, path: string): Promise<ChangeSides | undefined> {
    const change = (await this.pending(sessionId)).find(({ file }) => file.path === path);
    if (change === undefined) return undefined;
    const { file } = change;
    const origin = originOf(change);
    const { state } = await this.files.read(path, file.shown);
    const before = (origin ?? file).before?.hash ?? null;
    return { path, shown: file.shown, before, exists: state !== null, ...(origin && { from: origin.shown }) };
  }

  /** `paths` null: all that wait. */
  keep(sessionId: string, paths: readonly string[] | null): Promise<void> {
    return this.turn.runExclusive(async () => {
      await this.rows.resolve(sessionId, keepingOf(await this.wanted(sessionId, paths), paths));
    });
  }

  /** Hands what keeping all that waits would write to somebody who writes it with more; nobody answers here meanwhile. */
  keepWith(sessionId: string, write: (kept: Resolution | null) => Promise<void>): Promise<void> {
    return this.turn.runExclusive(async () => {
      const changes = await this.pending(sessionId);
      await write(changes.length === 0 ? null : keepingOf(changes, null));
      this.rows.noteAnswers(sessionId);
    });
  }

  /** Brings files back; one that somebody else has changed too is merged, or a person is asked. `paths` null: all that wait. */
  undo(sessionId: string, paths: readonly string[] | null): Promise<UndoOutcome> {
    return this.turn.runExclusive(async () => {
      const outcome: UndoOutcome = { undone: [], left: [] };
      const done: { change: PendingChange; undone: SnapshotState | null }[] = [];
      // The last one touched goes first: a file that was moved is free to come back when its new place is.
      for (const change of (await this.wanted(sessionId, paths)).toReversed()) {
        const { shown } = change.file;
        try {
          const undone = await this.undoOne(change);
          if (undone === undefined) outcome.left.push({ shown, reason: 'asked' });
          else done.unshift({ change, undone });
        } catch (error) {
          this.logger.warn(`Could not undo ${shown}`, error);
          outcome.left.push({ shown, reason: reasonOf(error) });
        }
      }
      if (done.length > 0) {
        const rows = done.flatMap(({ change, undone }) =>
          filesIn(change).flatMap((file, at) =>
            file.rows.map(({ id }, index) => ({ id, ...(at === 0 && index === 0 && { undone }) })),
          ),
        );
        const changes = done.map(({ change }) => change);
        outcome.undone = changes.map(({ file }) => file.shown);
        await this.rows.resolve(sessionId, { status: 'undone', rows, entry: entryOf('undo', changes, paths) });
      }
      return outcome;
    });
  }

  /** Makes the answer that the review entry `seq` was undone: what was kept waits again, what was undone is as before. */
  takeBack(sessionId: string, seq: number): Promise<UndoOutcome> {
    return this.turn.runExclusive(async () => {
      const files = await filesOf(await this.rows.answeredBy(sessionId, seq), this.objects);
      if (files.length === 0) {
        throw new AgentError('reviewGone', phrase('There is nothing to take back: this was taken back already.'));
      }
      const origins = new Set(files.map(({ movedFrom }) => movedFrom));
      const outcome: UndoOutcome = { undone: [], left: [] };
      const done: PendingChange[] = [];
      for (const change of await joinMoves(files, (path) => Promise.resolve(!origins.has(path)))) {
        const wasUndone = change.file.rows[0]?.status === 'undone';
        if (!wasUndone || (await this.redo(filesIn(change), outcome))) done.push(change);
      }
      if (done.length === 0) return outcome;
      outcome.undone = done.map(({ file }) => file.shown);
      const { type, data } = entryOf('revert', done, null);
      await this.rows.resolve(sessionId, {
        status: 'pending',
        rows: done.flatMap((change) => filesIn(change).flatMap(({ rows }) => rows.map(({ id }) => ({ id })))),
        entry: { type, data: { ...data, targetSeq: seq } },
      });
      return outcome;
    });
  }

  /** The state before the undo, to be able to take it back; undefined when a person decided to leave the file. */
  private async undoOne(change: PendingChange): Promise<SnapshotState | null | undefined> {
    const { file } = change;
    const origin = originOf(change);
    const current = await this.files.read(file.path, file.shown);
    const undone = await this.stored(current);
    const was = (origin ?? file).before;
    const before = await this.wantedOf(was);
    const plan = await planUndo({
      ...{ current, before, beforeHash: was?.hash ?? null, left: file.left, questions: this.questions },
      load: (hash) => this.objects.get(hash),
    });
    if (plan.kind === 'leave') return undefined;
    if (origin !== undefined) {
      const back = plan.kind === 'bring' ? plan.to : before;
      // It is at its old place before it leaves the new one.
      await this.files.bringTo(await this.files.read(origin.path, origin.shown), back);
      await this.files.bringTo(current, null);
    } else if (plan.kind === 'bring') await this.files.bringTo(current, plan.to);
    return undone;
  }

  /** False, with the reason, where a file has been changed since it was undone. What comes back does so before anything goes. */
  private async redo(files: readonly PendingFile[], outcome: UndoOutcome): Promise<boolean> {
    try {
      const steps = [];
      for (const { path, shown, before, rows } of files) {
        const undone = rows[0]?.undone ?? null;
        const current = await this.files.read(path, shown);
        const isAsUndone = current.hash === (before?.hash ?? null) || current.hash === (undone?.hash ?? null);
        const wanted = await this.wantedOf(undone);
        const mayReplace = () =>
          this.questions.replace({ path, shown, why: 'takeBack', text: wanted === null ? undefined : textOf(wanted.bytes) });
        if (!isAsUndone && !(await mayReplace())) {
          outcome.left.push({ shown, reason: 'asked' });
          return false;
        }
        steps.push({ current, wanted });
      }
      for (const { current, wanted } of steps) await this.files.bringTo(current, wanted);
      return true;
    } catch (error) {
      outcome.left.push({ shown: files[0]?.shown ?? '', reason: reasonOf(error) });
      return false;
    }
  }

  private async compare(change: PendingChange): Promise<ChangedFile | undefined> {
    const { path, shown } = change.file;
    const origin = originOf(change);
    try {
      const current = await this.files.read(path, shown);
      const { before } = origin ?? change.file;
      if (origin === undefined && current.hash === (before?.hash ?? null)) return undefined;
      const was = before === null ? null : await this.objects.get(before.hash);
      return compareFile({ path, shown, ...(origin && { from: origin.shown }) }, was, current.state?.bytes ?? null);
    } catch (error) {
      // What cannot be compared now is still there to be answered.
      this.logger.warn(`Could not compare ${shown}`, error);
      return { path, shown, status: 'modified', lines: null, places: [1] };
    }
  }

  private async wanted(sessionId: string, paths: readonly string[] | null): Promise<PendingChange[]> {
    const changes = await this.pending(sessionId);
    const wanted = paths === null ? changes : changes.filter(({ file }) => paths.includes(file.path));
    if (wanted.length === 0) throw new AgentError('reviewGone', phrase('No change of this file waits for an answer any more.'));
    return wanted;
  }

  private async pending(sessionId: string): Promise<PendingChange[]> {
    return joinMoves(await filesOf(await this.rows.pending(sessionId), this.objects), isThere);
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

function filesIn({ file, origins }: PendingChange): PendingFile[] {
  return [file, ...origins];
}

function keepingOf(changes: readonly PendingChange[], paths: readonly string[] | null): Resolution {
  const rows = changes.flatMap((change) => filesIn(change).flatMap((file) => file.rows.map(({ id }) => ({ id }))));
  return { status: 'kept', rows, entry: entryOf('keep', changes, paths) };
}

function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.userMessage : messageOf(error);
}

function entryOf(action: EntryData<'review'>['action'], changes: readonly PendingChange[], paths: readonly string[] | null) {
  const data = {
    action,
    scope: paths === null ? ('all' as const) : ('file' as const),
    paths: changes.map(({ file }) => file.shown),
  };
  return { type: 'review' as const, data };
}
