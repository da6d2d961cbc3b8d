import { editsBetween, undoneBytes } from '../../utils/text/editedBytes';
import { applyEdits, type LineEdit } from '../../utils/text/lineEdits';
import { Weave } from '../../utils/text/weave/weave';
import { comparableLines } from './fileHunks';

/** Versions of a file: after the change, now, and before the change. */
export interface Sides<T> {
  /** The file after the change. */
  base: T;
  now: T;
  /** The file before the change. */
  before: T;
}

/** Current text without the change (`merged`), or texts that the user must merge (`conflict`). See `MergeConflict`. */
export type Merged = { kind: 'merged'; bytes: Buffer } | { kind: 'conflict'; texts: Omit<Sides<string>, 'base'> };

const author = 'change';

/** Undoes the change from `before` to `base` in `now`. Returns undefined if a side is not text. See `undoneBytes`. */
export function mergeTexts(sides: Sides<Buffer>): Merged | undefined {
  const lines = comparableLines([sides.before, sides.base]);
  if (lines === undefined) return undefined;
  const [before, base] = lines as [string[], string[]];
  return withoutChanges(Weave.of(before).advanced(author, base), author, sides);
}

/** Undoes the remaining changes of a chat in `now`, based on the weave. Returns undefined if a side is not text. */
export function withoutChanges(weave: Weave, chat: string, { base, now, before }: Sides<Buffer>): Merged | undefined {
  const lines = comparableLines([now, base, before]);
  if (lines === undefined) return undefined;
  const [present, written, original] = lines as [string[], string[], string[]];
  const { changes, undoEdits } = weave.standing(chat, present);
  if (changes.some(({ isContested }) => isContested)) {
    const undone = undoneOverEdits({ base: written, now: present, before: original });
    return { kind: 'conflict', texts: { now: present.join('\n'), before: undone.join('\n') } };
  }
  return { kind: 'merged', bytes: undoneBytes({ before, left: base, now }, undoEdits(changes)) };
}

/** Undoes the change from `before` to `base` in `now`. Edits by others to the changed lines are lost. All other edits remain. */
export function undoneOverEdits({ base, now, before }: Sides<readonly string[]>): string[] {
  const undo = editsBetween(base, before);
  const isApart = (edit: LineEdit) => undo.every(({ start, end }) => edit.end <= start || end <= edit.start);
  const edits = [...undo, ...editsBetween(base, now).filter(isApart)];
  return applyEdits(
    base,
    edits.sort((one, other) => one.start - other.start || one.end - other.end),
  );
}

/** Returns the lines of a text without those changes of a chat for which `isMeant` returns true. */
export function linesWithout(weave: Weave, chat: string, isMeant: (start: number, end: number) => boolean): string[] {
  const { changes, undoEdits } = weave.standingHere(chat);
  return applyEdits(weave.text(), undoEdits(changes.filter(({ baseStart, baseEnd }) => isMeant(baseStart, baseEnd))));
}
