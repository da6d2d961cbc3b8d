import { sep } from 'node:path';
import type { SnapshotState } from '../database/log/answers';
import type { FileStep } from '../database/sessions/fileOperations';
import { FileError } from '../files/fileError';
import { modeOf, type CurrentFile, type FilesOnDisk, type WantedState } from '../files/fileOnDisk';
import type { SnapshotObjects } from '../../types/checkpoint';
import { mergeTexts, textOf, undoneMode } from './baseOf';
import { filesIn, originOf, type BasedChange, type ChangeReader, type PendingChange } from './pendingFiles';
import type { ReviewQuestions } from './reviewPorts';

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

export type UndoPlan = { kind: 'bring'; to: WantedState } | { kind: 'nothing' } | { kind: 'leave' };

export interface UndoQuestion {
  current: CurrentFile;
  before: WantedState;
  beforeHash: string | null;
  /** State in which the agent left the file; undefined if it is not known. */
  left: SnapshotState | null | undefined;
  questions: ReviewQuestions;
  load: (hash: string) => Promise<Uint8Array>;
}

/** Plans how to undo the agent's changes of a file without losing anybody else's. */
export async function planUndo({ current, before, beforeHash, left, questions, load }: UndoQuestion): Promise<UndoPlan> {
  const mode = undoneMode(before, left, modeOf(current));
  if (current.hash === beforeHash) {
    return before === null || mode === modeOf(current) ? { kind: 'nothing' } : { kind: 'bring', to: { ...before, mode } };
  }
  if (left !== undefined && current.hash === (left?.hash ?? null)) return { kind: 'bring', to: before && { ...before, mode } };
  const { shown } = current;
  if (before === null) return (await questions.remove(shown)) ? { kind: 'bring', to: null } : { kind: 'leave' };
  if (current.state !== null && left) {
    const texts = { base: await load(left.hash), now: current.state.bytes, before: before.bytes };
    const merged = mergeTexts(texts);
    if (merged?.kind === 'merged') return { kind: 'bring', to: { bytes: merged.bytes, mode } };
    if (merged?.kind === 'conflict') {
      const isOpen = await questions.merge({ path: current.path, shown, ...merged.texts });
      if (isOpen) return { kind: 'leave' };
    }
  }
  return (await questions.replace({ path: current.path, shown, why: 'undo', text: textOf(before.bytes) }))
    ? { kind: 'bring', to: before }
    : { kind: 'leave' };
}

/**
 * Reads files as they will be once all that is planned so far is carried out. A removed file is gone under each of its names (on some
 * disks
 * `readme.md` and `README.md` are one file), and a folder from which something is removed is free for a file.
 */
export class FilesLeft {
  private readonly stamps = new Map<string, string>();
  private readonly gone: string[] = [];

  constructor(private readonly files: FilesOnDisk) {}

  /** Reads a file like `FilesOnDisk.read`. */
  async read(path: string, shown: string): Promise<CurrentFile> {
    const nothing = { path, shown, state: null, hash: null };
    try {
      const current = await this.files.read(path, shown);
      if (current.state === null) return nothing;
      const { stamp } = current.state.stats;
      if (this.gone.some((other) => this.stamps.get(other) === stamp)) return nothing;
      this.stamps.set(path, stamp);
      return current;
    } catch (error) {
      if (error instanceof FileError && error.reason === 'notAFile' && this.goesBelow(path)) return nothing;
      throw error;
    }
  }

  /** Steps of files that were read here. */
  plan(steps: readonly FileStep[]): void {
    this.gone.push(...steps.filter(({ from, to }) => from !== null && to === null).map(({ path }) => path));
  }

  private goesBelow(path: string): boolean {
    return this.gone.some((other) => other.startsWith(path + sep));
  }
}
