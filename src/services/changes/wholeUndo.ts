import type { SnapshotState } from '../database/log/answers';
import type { FileStep } from '../database/sessions/fileOperations';
import type { SnapshotObjects } from '../../types/checkpoint';
import type { BasedChange, ChangeReader } from './changeReader';
import type { FilesLeft } from './filesLeft';
import { filesIn, originOf, type PendingChange } from './pendingFiles';
import { mergeTexts, planUndo, textOf, type ReviewQuestions } from './undoPlan';

/** Plans the undo of changes as wholes, and the taking back of one. */
export class WholeUndo {
  constructor(private readonly parts: { reader: ChangeReader; objects: SnapshotObjects; questions: ReviewQuestions }) {}

  /** Plans an undo with the file's current state, to be able to take it back; undefined if a person decided to leave the file. */
  async undoSteps(
    change: BasedChange,
    files: FilesLeft,
  ): Promise<{ steps: FileStep[]; undone: SnapshotState | null } | undefined> {
    const { reader, objects, questions } = this.parts;
    const { file } = change;
    const origin = originOf(change);
    const current = await files.read(file.path, file.shown);
    const undone = await reader.stored(current);
    const was = change.base;
    const before = await reader.wantedOf(was);
    const plan = await planUndo({
      ...{ current, before, beforeHash: was?.hash ?? null, left: file.left, questions },
      load: (hash) => objects.get(hash),
    });
    if (plan.kind === 'leave') return undefined;
    const to = plan.kind === 'nothing' ? was : await reader.storedAs(plan.to);
    const here = { path: file.path, shown: file.shown, from: current.hash };
    if (origin === undefined) return { steps: plan.kind === 'nothing' ? [] : [{ ...here, to }], undone };
    const there = await files.read(origin.path, origin.shown);
    const isOneFile = there.state !== null && there.state.stats.stamp === current.state?.stats.stamp;
    const old = { path: origin.path, shown: origin.shown, from: isOneFile ? null : there.hash, to };
    const gone = { ...here, to: null };
    // It is at its old place before it leaves the new one, unless both are one.
    return { steps: isOneFile ? [gone, old] : [old, gone], undone };
  }

  /** Undefined where a file has been changed since it was undone, and is to stay so. What comes back does so before anything goes. */
  async redoSteps(change: PendingChange, left: FilesLeft): Promise<{ steps: FileStep[] } | undefined> {
    const { reader, questions } = this.parts;
    const steps: FileStep[] = [];
    for (const { path, shown, before, rows } of filesIn(change)) {
      const undone = rows[0]?.undone ?? null;
      const current = await left.read(path, shown);
      const isAsUndone =
        [before?.hash ?? null, undone?.hash ?? null].includes(current.hash) ||
        (current.state !== null && (await this.merged(change))?.equals(current.state.bytes) === true);
      const wanted = await reader.wantedOf(undone);
      const text = wanted === null ? undefined : textOf(wanted.bytes);
      if (!isAsUndone && !(await questions.replace({ path, shown, why: 'takeBack', text }))) return undefined;
      steps.push({ path, shown, from: current.hash, to: undone });
    }
    return { steps };
  }

  /** Returns what the undo of an answered change made of a file that a person had changed too; null if it merged nothing. */
  private async merged(change: PendingChange): Promise<Buffer | null> {
    const { reader } = this.parts;
    const { left, rows } = change.file;
    const sides = [left ?? null, rows[0]?.undone ?? null, await reader.baseOf(change)];
    const [base, now, before] = await Promise.all(sides.map((side) => reader.wantedOf(side)));
    if (!base || !now || !before) return null;
    const merged = mergeTexts({ base: base.bytes, now: now.bytes, before: before.bytes });
    return merged?.kind === 'merged' ? merged.bytes : null;
  }
}
