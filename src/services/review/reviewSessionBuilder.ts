import type { PendingFileChange } from './pendingChanges';
import { plainLineEnds } from '../../utils/text/textFile';
import { splitEditorLines } from '../../utils/text/lineEdits';
import { reviewHunks } from './hunks';
import type { ReviewEditor } from './reviewPorts';
import type { FileReviewState } from './reviewTypes';

/** File under review, with the data from which its hunks are computed. */
export interface ReviewedFile {
  state: FileReviewState;
  change: PendingFileChange;
  /** Version of the compared document. Null if the file on disk was compared. */
  version: number | null;
}

/** Changed lines of a message. `isAll` is true if the session has no pending changes of other messages. */
export interface MessageChanges {
  additions: number;
  deletions: number;
  isAll: boolean;
}

/** Returns a changed file with its text in the editor. If it is not open, uses the file on disk. */
export function reviewedFile(change: PendingFileChange, editor: Pick<ReviewEditor, 'document'>): ReviewedFile {
  const { path, shown, from, status, texts, lines, rows } = change;
  const turns = [...new Set(rows.map(({ turn }) => turn))];
  const whole = { path, shown, ...(from !== undefined && { from }), status, turns };
  if (texts === null) {
    const counts = { additions: lines?.additions ?? 0, deletions: lines?.deletions ?? 0 };
    return { state: { ...whole, level: 'file', hunks: [], ...counts }, change, version: null };
  }
  const document = editor.document(path);
  const now = document === undefined ? texts.now : splitEditorLines(plainLineEnds(document.text));
  const hunks = reviewHunks(path, texts, now, ({ id }) => change.turns.get(id) ?? turns.at(-1) ?? 0);
  const sum = (side: 'additions' | 'deletions') => hunks.reduce((total, hunk) => total + hunk[side], 0);
  const counts = { additions: sum('additions'), deletions: sum('deletions') };
  return { state: { ...whole, level: 'hunks', hunks, ...counts }, change, version: document?.version ?? null };
}

/** Returns the messages whose changes in a file can be kept or undone separately. */
export function turnsToAnswer({ level, hunks, turns }: FileReviewState): number[] {
  if (level === 'hunks') return [...new Set(hunks.map(({ turn }) => turn))];
  return turns.length === 1 ? turns : [];
}

/** Counts the changed lines of a message. Returns null if it has no pending changes that can be kept or undone separately. */
export function changesOfMessage(changes: readonly PendingFileChange[], turn: number): MessageChanges | null {
  const files = changes.map((change) => reviewedFile(change, { document: () => undefined }).state);
  const own = files.flatMap((file): readonly Pick<FileReviewState, 'additions' | 'deletions'>[] => {
    if (file.level === 'hunks') return file.hunks.filter((hunk) => hunk.turn === turn);
    return turnsToAnswer(file).includes(turn) ? [file] : [];
  });
  if (own.length === 0) return null;
  const sum = (side: 'additions' | 'deletions') => own.reduce((total, part) => total + part[side], 0);
  const turns = files.flatMap((file) => (file.level === 'hunks' ? turnsToAnswer(file) : file.turns));
  return { additions: sum('additions'), deletions: sum('deletions'), isAll: turns.every((one) => one === turn) };
}
