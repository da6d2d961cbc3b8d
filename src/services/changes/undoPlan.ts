import type { SnapshotState } from '../database/log/answers';
import { undoneBytes } from '../../utils/text/editedBytes';
import { standingChanges, undoEdits } from '../../utils/text/standingChanges';
import { decodeText } from '../../utils/text/textFile';
import { comparableLines } from './fileHunks';
import { modeOf, type CurrentFile, type WantedState } from '../files/fileOnDisk';

/** Questions that only a person can answer; each is asked in the editor, over everything. */
export interface ReviewQuestions {
  /** Asks whether to replace a file that has been changed since by an earlier state; shows what would be lost. */
  replace(question: ReplaceQuestion): Promise<boolean>;
  /** Asks whether to delete a file that the agent created and somebody has changed since. */
  remove(shown: string): Promise<boolean>;
  /** Opens a merge of texts that contradict each other where the editor can; false where it cannot. */
  merge(conflict: MergeConflict): Promise<boolean>;
}

export interface ReplaceQuestion {
  path: string;
  shown: string;
  why: 'undo' | 'takeBack';
  /** Text that would replace it; undefined if it is not text or there would be no file. */
  text: string | undefined;
}

/** `base` is what the agent left; `now` the file as it is; `before` what it was before the agent. */
export interface MergeConflict {
  path: string;
  shown: string;
  base: string;
  now: string;
  before: string;
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

/** Returns the permission bits of a file after an undo: those from before the agent, unless somebody has given it others since. */
export function undoneMode(
  before: { mode: number | null } | null,
  left: { mode: number | null } | null | undefined,
  now: number | null,
): number | null {
  const isOthers = now !== null && left != null && left.mode !== null && left.mode !== now;
  return isOthers ? now : (before?.mode ?? now);
}

/** Decodes a text; undefined if it is not text. */
export function textOf(bytes: Uint8Array): string | undefined {
  return decodeText(Buffer.from(bytes))?.text;
}

interface Sides<T> {
  base: T;
  now: T;
  before: T;
}

/** Merges texts; undefined if one is not text. Encoding and line ends as in `undoneBytes`. */
export function mergeTexts(
  sides: Sides<Uint8Array>,
): { kind: 'merged'; bytes: Buffer } | { kind: 'conflict'; texts: Sides<string> } | undefined {
  const lines = comparableLines([sides.base, sides.now, sides.before]);
  if (lines === undefined) return undefined;
  const [base, now, before] = lines as [string[], string[], string[]];
  const changes = standingChanges(before, base, now);
  if (changes.some(({ isContested }) => isContested)) {
    return { kind: 'conflict', texts: { base: base.join('\n'), now: now.join('\n'), before: before.join('\n') } };
  }
  const edits = undoEdits(before, changes);
  const [wanted, left, present] = [sides.before, sides.base, sides.now].map((side) => Buffer.from(side)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  return { kind: 'merged', bytes: undoneBytes({ before: wanted, left, now: present }, edits) };
}
