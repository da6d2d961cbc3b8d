import type { EntryData } from '../../protocol/entries';
import type { RenewedChange } from '../database/log/answers';
import type { FileStep, PlannedChange } from '../database/sessions/fileOperations';
import type { FileSnapshot, FileSnapshots } from '../database/sessions/fileSnapshots';
import type { GivenHunkAnswer } from '../database/sessions/hunkAnswers';
import type { ChangeReader } from './pendingFiles';
import { modeOf, type FilesOnDisk } from '../files/fileOnDisk';
import { reasonOf } from './fileUndo';
import type { UndoOutcome } from './reviewTypes';
import { mergeTexts, textOf } from './baseOf';
import type { ReviewQuestions } from './reviewPorts';

/** Takes answers to hunks back. */
export class HunkReturns {
  constructor(
    private readonly parts: { rows: FileSnapshots; reader: ChangeReader; files: FilesOnDisk; questions: ReviewQuestions },
  ) {}

  /**
   * Plans the taking back of hunks that one entry answered: bases are computed without it, files get their lines back; rows that it answered wait
   * again. A file that was answered as a whole since is left out.
   */
  async planBack(
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
      try {
        const steps = action === 'keep' ? [] : await this.stepsBack(answer);
        if (steps === undefined) outcome.left.push({ shown, reason: 'asked' });
        else {
          const last = rowsAfter.findLast((row) => row.path === path);
          const renewed = await this.renewed(answer, last, steps[0]);
          changes.push({ shown, steps, rows, renewed });
        }
      } catch (error) {
        outcome.left.push({ shown, reason: reasonOf(error) });
      }
    }
    return changes;
  }

  /** Returns the snapshots of their files that the last of several answers to hunks has answered: they wait again with any of these. */
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

  /** See `PendingChanges.noticeReturn`. */
  async noticeReturn(sessionId: string, path: string): Promise<boolean> {
    const { rows, files } = this.parts;
    const given = (await rows.hunkAnswers(sessionId, null)).filter(({ action }) => action === 'undo');
    const last = given.findLast((answer) => answer.path === path);
    if (last === undefined || given.some(({ seq, path: other }) => seq === last.seq && other !== path)) return false;
    const { hash } = await files.read(path, last.shown);
    if (hash !== (last.from?.hash ?? null)) return false;
    const answered = (await rows.answeredBy(sessionId, last.seq)).map(({ id }) => ({ id }));
    const data: EntryData<'review'> = { action: 'revert', scope: 'hunk', paths: [last.shown], targetSeq: last.seq };
    await rows.resolve(sessionId, { status: 'pending', rows: answered, entry: { type: 'review', data } });
    return true;
  }

  /** Brings back what was undone, beside what was typed since; undefined where a person is merging it. */
  private async stepsBack({ path, shown, from, to }: GivenHunkAnswer): Promise<FileStep[] | undefined> {
    const { files, reader, questions } = this.parts;
    const current = await files.read(path, shown);
    const step = { path, shown, from: current.hash };
    if (current.hash === (from?.hash ?? null)) return [];
    if (current.hash === (to?.hash ?? null)) return [{ ...step, to: from }];
    const [before, after] = await Promise.all([reader.wantedOf(from), reader.wantedOf(to)]);
    const now = current.state?.bytes;
    const merged = before && after && now ? mergeTexts({ base: after.bytes, now, before: before.bytes }) : undefined;
    if (merged?.kind === 'merged')
      return [{ ...step, to: await reader.storedAs({ bytes: merged.bytes, mode: modeOf(current) }) }];
    if (merged?.kind === 'conflict' && (await questions.merge({ path, shown, ...merged.texts }))) return undefined;
    const text = before === null ? undefined : textOf(before.bytes);
    return (await questions.replace({ path, shown, why: 'takeBack', text })) ? [{ ...step, to: from }] : undefined;
  }

  /** Returns the change as one more of the agent's, where it wrote on after the undo: else what comes back would count as a person's. */
  private async renewed(
    { action, path, shown, from, to }: GivenHunkAnswer,
    last: FileSnapshot | undefined,
    step: FileStep | undefined,
  ): Promise<RenewedChange[]> {
    if (action === 'keep' || last === undefined || step === undefined) return [];
    const { reader, files } = this.parts;
    const [before, after, left] = [
      await reader.wantedOf(from),
      await reader.wantedOf(to),
      await reader.wantedOf(last.left ?? null),
    ];
    const merged = before && after && left ? mergeTexts({ base: after.bytes, now: left.bytes, before: before.bytes }) : undefined;
    if (merged?.kind === 'merged' && left !== null && merged.bytes.equals(left.bytes)) return [];
    return [{ id: last.id, before: await reader.stored(await files.read(path, shown)), left: step.to }];
  }
}
