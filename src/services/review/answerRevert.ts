import type { EntryData } from '../../protocol/entries';
import type { HunkAnswer, RenewedChange, SnapshotState } from '../database/log/answers';
import type { LogQueries } from '../database/log/logQueries';
import type { FilePlan, FileStep, PlannedChange } from '../database/sessions/fileOperations';
import type { FileSnapshots } from '../database/sessions/fileSnapshots';
import type { FileSnapshot } from '../database/sessions/snapshotRows';
import type { GivenHunkAnswer } from '../database/sessions/hunkAnswers';
import { fileMode, type FilesOnDisk } from '../files/fileOnDisk';
import { phrase } from '../../utils/l10n';
import { decodeText } from '../../utils/text/textFile';
import type { FileUndo } from './fileUndo';
import { mergeTexts, withoutChanges } from './mergedTexts';
import {
  filesIn,
  differsInCase,
  hasNewerState,
  joinMoves,
  toRows,
  type OwnChat,
  type PendingChange,
  type PendingFiles,
} from './pendingFiles';
import type { ReviewQuestions } from './reviewPorts';
import { ChangesError, type UndoOutcome } from './reviewTypes';
import { FilesAfter } from './wholeUndo';

interface RevertParts {
  rows: FileSnapshots;
  pending: PendingFiles;
  files: FilesOnDisk;
  questions: ReviewQuestions;
  undos: FileUndo;
  queries: Pick<LogQueries, 'page'>;
}

/** Undo of the changes to one file. The user has reverted this undo in the editor. */
interface RevertedUndo {
  review: FilePlan['review'];
  change: PlannedChange & { hunks: readonly HunkAnswer[] };
  /** Ids of the snapshots of the file that were pending when the undo was reverted. */
  pending: string;
}

/** Plans to revert keep and undo decisions. Kept changes become pending again, and undone changes are reapplied. */
export class AnswerRevert {
  /** Undos that `Ctrl+Y` in the editor may redo, by session and file. The newest undo is last. */
  private readonly reverted = new Map<string, RevertedUndo[]>();

  constructor(private readonly parts: RevertParts) {}

  /**
   * Plans to revert the decision in the review entry `seq`. Throws
   * `ChangesError` `reviewGone` if there is nothing left to revert.
   */
  async plan(sessionId: string, seq: number, outcome: UndoOutcome): Promise<FilePlan> {
    const { rows, pending } = this.parts;
    const answered = await rows.answeredBy(sessionId, seq);
    const hunks = await rows.hunkAnswers(sessionId, seq);
    const changes = await this.planHunks(sessionId, hunks, answered, outcome);
    const whole = answered.filter(({ path }) => !hunks.some((hunk) => hunk.path === path));
    if (whole.length + changes.length + outcome.left.length === 0) {
      throw new ChangesError(
        'reviewGone',
        phrase(
          'There is nothing to undo. The action was already undone, or the stored contents were deleted to free up disk space.',
        ),
      );
    }
    const chat = await pending.loadChat(sessionId, whole);
    const files = await pending.groupFiles(whole, chat);
    const origins = new Set(files.map(({ movedFrom }) => movedFrom));
    // A rename that changes only the case is planned as two changes. The old name is deleted before the new one is created.
    const isFree = (path: string) => origins.has(path) && !files.some((other) => differsInCase(other.path, path));
    const after = new FilesAfter(this.parts.files);
    for (const change of await joinMoves(files, (path) => Promise.resolve(isFree(path) ? null : path)))
      changes.push(...(await this.parts.undos.plan(change.file.shown, () => this.planFile(chat, change, after), outcome)));
    const scope = hunks.length > 0 ? 'hunk' : 'all';
    const named = (await this.entryAt(sessionId, seq))?.paths;
    const planned = changes.map((change) => (named?.includes(change.shown) === false ? { ...change, isUnnamed: true } : change));
    return { status: 'pending', review: { action: 'revert', scope, targetSeq: seq }, changes: planned };
  }

  /**
   * Reverts the last undo of a file if the user reverted its edit in the editor. This is the
   * case if the file has its content from before the undo. Reverts the undo for this file only.
   * Otherwise returns false. Skips renamed files, because the editor cannot revert their undo.
   */
  async revertIfUndoneInEditor(sessionId: string, path: string): Promise<boolean> {
    const { rows, files } = this.parts;
    const seq = await rows.lastUndo(sessionId, path);
    if (seq === null) return false;
    const answered = (await rows.answeredBy(sessionId, seq)).filter((row) => row.path === path);
    const hunks = (await rows.hunkAnswers(sessionId, seq)).filter((answer) => answer.path === path);
    const { shown } = hunks[0] ?? answered[0] ?? {};
    const from = hunks.length === 0 ? answered[0]?.undone : hunks[0]?.from;
    if (shown === undefined || !from || answered.some(({ movedFrom }) => movedFrom !== null)) return false;
    if ((await files.read(path, shown)).hash !== from.hash) return false;
    const scope = hunks.length === 0 ? 'file' : 'hunk';
    const named = (await this.entryAt(sessionId, seq))?.hunks?.filter((hunk) => hunk.path === shown);
    const data: EntryData<'review'> = { action: 'revert', scope, paths: [shown], targetSeq: seq };
    const pending = answered.map(({ id }) => ({ id }));
    await rows.resolve(sessionId, { status: 'pending', rows: pending, entry: { type: 'review', data } });
    const reverted: RevertedUndo = {
      review: { action: 'undo', scope, ...(named && { hunks: named }) },
      change: { shown, steps: [], rows: pending.map((row, index) => (index === 0 ? { ...row, undone: from } : row)), hunks },
      pending: await this.pendingIds(sessionId, path),
    };
    const key = createKey(sessionId, path);
    this.reverted.set(key, [...(this.reverted.get(key) ?? []), reverted]);
    return true;
  }

  /**
   * Plans an undo again if the user redid its edit in the editor. Applies to the undo of
   * this file that was last reverted in the editor. The file must have its content from
   * after the undo, or contain none of the chat's changes. Otherwise returns undefined.
   */
  async planIfRedoneInEditor(sessionId: string, path: string): Promise<FilePlan | undefined> {
    const key = createKey(sessionId, path);
    const last = this.reverted.get(key)?.at(-1);
    if (last === undefined) return undefined;
    if ((await this.pendingIds(sessionId, path)) !== last.pending) {
      this.reverted.delete(key);
      return undefined;
    }
    const { review, change } = last;
    const current = await this.parts.files.read(path, change.shown);
    const [hunk] = change.hunks;
    const isUndone = hunk === undefined ? await this.isWithoutChanges(sessionId, path) : current.hash === hunk.to?.hash;
    if (!isUndone) return undefined;
    this.reverted.get(key)?.pop();
    // An undo of hunks marks the file as undone only if the file is saved, as the first undo did.
    const isSettled = hunk === undefined || current.state?.document?.isDirty !== true;
    return { status: 'undone', review, changes: [{ ...change, rows: isSettled ? change.rows : [] }] };
  }

  private async isWithoutChanges(sessionId: string, path: string): Promise<boolean> {
    const { pending } = this.parts;
    const change = (await pending.all(sessionId)).find(({ file }) => file.path === path);
    return change !== undefined && (await pending.compare(change)) === undefined;
  }

  private async pendingIds(sessionId: string, path: string): Promise<string> {
    const pending = (await this.parts.rows.pending(sessionId)).filter((row) => row.path === path);
    return pending.map(({ id }) => id).join();
  }

  private async entryAt(sessionId: string, seq: number): Promise<EntryData<'review'> | undefined> {
    const query = { sessionId, limit: 1, afterSeq: seq - 1, types: ['review' as const], includeCompacted: true };
    const [entry] = (await this.parts.queries.page(query)).entries;
    return entry?.type === 'review' && entry.seq === seq ? entry.data : undefined;
  }

  /** Plans to revert the decision about a whole file. Returns undefined if the user chose to skip it because it changed. */
  private async planFile(chat: OwnChat, change: PendingChange, after: FilesAfter): Promise<PlannedChange | undefined> {
    const { pending, questions } = this.parts;
    const { rows: answered, left } = change.file;
    const steps: FileStep[] = [];
    const renewed: RenewedChange[] = [];
    if (answered[0]?.status !== 'undone') return { shown: change.file.shown, steps, rows: toRows(change) };
    // Without this, the reapplied lines would be attributed to the user, because they differ from the last known state.
    const isRenewed = change.origins.length === 0 && hasNewerState(left, change.file.history) === true;
    for (const { path, shown, history, rows } of filesIn(change)) {
      const undone = rows[0]?.undone ?? null;
      const current = await after.read(path, shown);
      const isAsUndone =
        [history.base?.hash ?? null, undone?.hash ?? null].includes(current.hash) ||
        (current.state !== null && (await this.undoMade(chat, change))?.equals(current.state.bytes) === true);
      const wanted = await pending.load(undone);
      const text = wanted === null ? undefined : decodeText(wanted.bytes)?.text;
      if (!isAsUndone && !(await questions.replace({ path, shown, why: 'revert', text }))) return undefined;
      steps.push({ path, shown, from: current.hash, to: undone });
      const last = rows.at(-1);
      if (isRenewed && last !== undefined)
        renewed.push({ id: last.id, before: await pending.storeCurrent(current), left: undone });
    }
    return { shown: change.file.shown, steps: after.add(steps), rows: toRows(change), renewed };
  }

  /** Returns the content that the undo produced if the user had also changed the file. */
  private async undoMade(chat: OwnChat, change: PendingChange): Promise<Buffer | undefined> {
    const { pending } = this.parts;
    const { base, weave } = await pending.loadHistory(change, chat);
    const { left, rows } = change.file;
    const states = [left ?? null, rows[0]?.undone ?? null, base].map((state) => pending.load(state));
    const [agents, now, before] = await Promise.all(states);
    if (!agents || !now || !before || weave === undefined) return undefined;
    const made = withoutChanges(weave, chat.author, { base: agents.bytes, now: now.bytes, before: before.bytes });
    return made?.kind === 'merged' ? made.bytes : undefined;
  }

  /**
   * Plans to revert the hunk decisions of one entry. Bases are computed without these decisions, lines are reapplied, and the
   * rows become pending. Skips files that were kept or undone as a whole later.
   */
  private async planHunks(
    sessionId: string,
    given: readonly GivenHunkAnswer[],
    answered: readonly FileSnapshot[],
    outcome: UndoOutcome,
  ): Promise<PlannedChange[]> {
    const reopened = [...answered, ...(await this.answeredLater(sessionId, given))];
    const rowsAfter = [...(await this.parts.rows.pending(sessionId)), ...reopened].sort((one, other) => one.id - other.id);
    const waiting = new Set(rowsAfter.map(({ id }) => id));
    const changes: PlannedChange[] = [];
    for (const answer of given.filter(({ snapshotId }) => waiting.has(snapshotId))) {
      const { path, shown, action } = answer;
      const rows = reopened.filter((row) => row.path === path).map(({ id }) => ({ id }));
      const plan = async () => {
        const steps = action === 'keep' ? [] : await this.reapplySteps(answer);
        const last = rowsAfter.findLast((row) => row.path === path);
        return steps && { shown, steps, rows, renewed: await this.renewed(sessionId, answer, last, steps[0]) };
      };
      changes.push(...(await this.parts.undos.plan(shown, plan, outcome)));
    }
    return changes;
  }

  /**
   * Returns the snapshots that later hunk decisions in these files completed. Reverting an earlier decision reopens these
   * snapshots too.
   */
  private async answeredLater(sessionId: string, given: readonly GivenHunkAnswer[]): Promise<FileSnapshot[]> {
    const { rows } = this.parts;
    const paths = new Set(given.map(({ path }) => path));
    const own = new Set(given.map(({ seq }) => seq));
    const others = (await rows.hunkAnswers(sessionId, null)).filter(({ seq, path }) => paths.has(path) && !own.has(seq));
    const found: FileSnapshot[] = [];
    for (const seq of new Set(others.map((other) => other.seq)))
      found.push(...(await rows.answeredBy(sessionId, seq)).filter(({ path }) => paths.has(path)));
    return found;
  }

  /** Reapplies an undone change and keeps later edits. Returns undefined if the user merges the change or chose to skip the file. */
  private async reapplySteps({ path, shown, from, to }: GivenHunkAnswer): Promise<FileStep[] | undefined> {
    const { files, pending, questions } = this.parts;
    const current = await files.read(path, shown);
    const step = { path, shown, from: current.hash };
    if (current.hash === (from?.hash ?? null)) return [];
    if (current.hash === (to?.hash ?? null)) return [{ ...step, to: from }];
    const before = await pending.load(from);
    const after = await pending.load(to);
    const now = current.state?.bytes;
    const merged = before && after && now ? mergeTexts({ base: after.bytes, now, before: before.bytes }) : undefined;
    if (merged?.kind === 'merged')
      return [{ ...step, to: await pending.store({ bytes: merged.bytes, mode: fileMode(current) }) }];
    if (merged?.kind === 'conflict' && (await questions.merge({ path, shown, why: 'revert', ...merged.texts }))) return undefined;
    const text = before === null ? undefined : decodeText(before.bytes)?.text;
    return (await questions.replace({ path, shown, why: 'revert', text })) ? [{ ...step, to: from }] : undefined;
  }

  /**
   * If the undo was followed by decisions, or by edits by the agent or another chat, returns the reapplied change as a new change
   * by the agent. Without this, its lines would be attributed to the user.
   */
  private async renewed(
    sessionId: string,
    { action, seq, path, shown, from, to, createdAt }: GivenHunkAnswer,
    last: FileSnapshot | undefined,
    step: FileStep | undefined,
  ): Promise<RenewedChange[]> {
    if (action === 'keep' || last === undefined || step === undefined) return [];
    const { pending, files } = this.parts;
    const left = await pending.load(last.left ?? null);
    const merged = await this.merged(to, last.left ?? null, from);
    const { ofOthers } = await pending.loadChat(sessionId, [last]);
    const isLast = last.answers.every((answer) => answer.seq <= seq) && ofOthers.every((other) => other.createdAt < createdAt);
    if (isLast && left !== null && merged?.equals(left.bytes) === true) return [];
    return [{ id: last.id, before: await pending.storeCurrent(await files.read(path, shown)), left: step.to }];
  }

  /** Merges stored states. Returns undefined on a conflict, or if a state is missing or not text. See `mergeTexts`. */
  private async merged(
    base: SnapshotState | null,
    now: SnapshotState | null,
    before: SnapshotState | null,
  ): Promise<Buffer | undefined> {
    const [a, b, c] = await Promise.all([base, now, before].map((state) => this.parts.pending.load(state)));
    const merged = a && b && c && mergeTexts({ base: a.bytes, now: b.bytes, before: c.bytes });
    return merged?.kind === 'merged' ? merged.bytes : undefined;
  }
}

function createKey(sessionId: string, path: string): string {
  return JSON.stringify([sessionId, path]);
}
