import type { PendingFileChange } from './pendingChanges';
import { plainLineEnds } from '../../utils/text/textFile';
import { linesOf } from '../../utils/text/lineEdits';
import { reviewHunks } from './hunks';
import type { ReviewEditor } from './reviewPorts';
import type { FileReviewState } from './reviewTypes';

/** A file under review, with the data its hunks are computed from. */
export interface ReviewedFile {
  state: FileReviewState;
  change: PendingFileChange;
  /** Version of the compared document; null if the file on disk was compared. */
  version: number | null;
}

/** Returns a changed file as in the editor, or on disk if it is not open. */
export function reviewedFile(change: PendingFileChange, editor: Pick<ReviewEditor, 'document'>): ReviewedFile {
  const { path, shown, from, status, texts, lines, rows } = change;
  const turns = [...new Set(rows.map(({ turn }) => turn))];
  const whole = { path, shown, ...(from !== undefined && { from }), status, turns };
  if (texts === null) {
    const counts = { additions: lines?.additions ?? 0, deletions: lines?.deletions ?? 0 };
    return { state: { ...whole, level: 'file', hunks: [], ...counts }, change, version: null };
  }
  const document = editor.document(path);
  const now = document === undefined ? texts.now : linesOf(plainLineEnds(document.text));
  const hunks = reviewHunks(path, texts, now, ({ id }) => change.turns.get(id) ?? turns.at(-1) ?? 0);
  const sum = (side: 'additions' | 'deletions') => hunks.reduce((total, hunk) => total + hunk[side], 0);
  const counts = { additions: sum('additions'), deletions: sum('deletions') };
  return { state: { ...whole, level: 'hunks', hunks, ...counts }, change, version: document?.version ?? null };
}

/** Returns the messages whose changes in a file can be answered separately. */
export function turnsToAnswer({ level, hunks, turns }: FileReviewState): number[] {
  if (level === 'hunks') return [...new Set(hunks.map(({ turn }) => turn))];
  return turns.length === 1 ? turns : [];
}
