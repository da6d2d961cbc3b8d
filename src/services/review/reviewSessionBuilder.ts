import type { PendingFileChange } from './pendingChanges';
import { plainLineEnds } from '../../utils/text/textFile';
import { linesOf } from '../../utils/text/standingChanges';
import { reviewHunks } from './hunks';
import type { ReviewEditor } from './reviewPorts';
import type { FileReviewState } from './reviewTypes';

/** A file under review with what its hunks are computed of. */
export interface ReviewedFile {
  state: FileReviewState;
  change: PendingFileChange;
  /** Version of the document that the hunks were computed of; null where that was the disk. */
  version: number | null;
}

/** Returns a changed file as it stands in the editor or, where it is not open, on the disk. */
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

/** Returns the messages of which what they changed in a file can be answered by itself. */
export function turnsToAnswer({ level, hunks, turns }: FileReviewState): number[] {
  if (level === 'hunks') return [...new Set(hunks.map(({ turn }) => turn))];
  return turns.length === 1 ? turns : [];
}
