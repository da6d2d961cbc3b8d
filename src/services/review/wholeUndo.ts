import { sep } from 'node:path';
import type { FileStep, PlannedChange } from '../database/sessions/fileOperations';
import { FileError } from '../files/fileError';
import { fileMode, type CurrentFile, type FilesOnDisk, type TargetState } from '../files/fileOnDisk';
import { decodeText } from '../../utils/text/textFile';
import { undoneMode } from './history/fileHistory';
import { withoutChanges } from './mergedTexts';
import { hasNewerState, findOrigin, toRows, type BasedChange, type PendingFiles } from './pendingFiles';
import type { ReviewQuestions } from './reviewPorts';

/** Plans the undo of whole files. Edits by others are not lost. */
export class WholeUndo {
  constructor(private readonly parts: { pending: PendingFiles; files: FilesOnDisk; questions: ReviewQuestions }) {}

  /** Plans an undo and stores the current state, so that the undo can be reverted. Returns undefined if the user skips the file. */
  async plan(change: BasedChange, files = new FilesAfter(this.parts.files)): Promise<PlannedChange | undefined> {
    const { pending } = this.parts;
    const { file, base } = change;
    const origin = findOrigin(change);
    const current = await files.read(file.path, file.shown);
    const undone = await pending.storeCurrent(current);
    if (!change.isChanged) return { shown: file.shown, steps: [], rows: toRows(change, undone) };
    const wanted = await this.wanted(change, current);
    if (wanted === 'left') return undefined;
    const to = wanted === 'there' ? base : await pending.store(wanted);
    const here = { path: file.path, shown: file.shown, from: current.hash, to };
    const plan = (steps: FileStep[]) => ({ shown: file.shown, steps: files.add(steps), rows: toRows(change, undone) });
    // The unsaved text may already be the base, while the file on disk has the agent's text.
    if (origin === undefined) return plan(wanted === 'there' && current.state?.document?.isDirty !== true ? [] : [here]);
    const there = await files.read(origin.path, origin.shown);
    const isOneFile = there.state !== null && there.state.stats.stamp === current.state?.stats.stamp;
    const old = { path: origin.path, shown: origin.shown, from: isOneFile ? null : there.hash, to };
    const gone = { ...here, to: null };
    // Restore the old path before deleting the new one, unless both are the same file.
    return plan(isOneFile ? [gone, old] : [old, gone]);
  }

  /** Returns the target state. Returns `there` if the file is already in it, and `left` if the user chose to skip the file. */
  private async wanted(
    { file, base, author, weave, last }: BasedChange,
    current: CurrentFile,
  ): Promise<TargetState | 'there' | 'left'> {
    const { pending, questions } = this.parts;
    const { path, shown, left } = file;
    const before = await pending.load(base);
    const mode = undoneMode(before, left, fileMode(current));
    const isBack = current.hash === (base?.hash ?? null);
    if (isBack && (before === null || mode === fileMode(current))) return 'there';
    // The base belongs to the last known state.
    const isAsLeft = hasNewerState(left, { last }) === false && current.hash === (left?.hash ?? null);
    if (isBack || isAsLeft) return before && { ...before, mode };
    if (before === null) return (await questions.remove(shown)) ? null : 'left';
    const agents = current.state === null || !last ? null : await pending.load(left ?? null);
    const merged =
      current.state &&
      agents &&
      weave &&
      withoutChanges(weave, author, { base: agents.bytes, now: current.state.bytes, before: before.bytes });
    if (merged?.kind === 'merged') return { bytes: merged.bytes, mode };
    if (merged?.kind === 'conflict' && (await questions.merge({ path, shown, why: 'undo', ...merged.texts }))) return 'left';
    return (await questions.replace({ path, shown, why: 'undo', text: decodeText(before.bytes)?.text })) ? before : 'left';
  }
}

/**
 * Reads files in the state that they will have after the added steps. A deleted file is missing under all its names, because
 * `readme.md` and `README.md` may be the same file. A file can replace a folder that becomes empty.
 */
export class FilesAfter {
  private readonly stamps = new Map<string, string>();
  private readonly gone: string[] = [];

  constructor(private readonly files: FilesOnDisk) {}

  /** See `FilesOnDisk.read`. */
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

  /** Adds steps for files that were read here. Returns the steps. */
  add(steps: FileStep[]): FileStep[] {
    this.gone.push(...steps.filter(({ from, to }) => from !== null && to === null).map(({ path }) => path));
    return steps;
  }

  private goesBelow(path: string): boolean {
    return this.gone.some((other) => other.startsWith(path + sep));
  }
}
