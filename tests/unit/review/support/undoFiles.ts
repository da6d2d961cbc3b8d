import type { PendingChanges } from '../../../../src/services/review/pendingChanges';
import type { PendingEditReviewService } from '../../../../src/services/review/pendingEditReviewService';

/** Undoes whole files of the reviewed session (null: all) and waits until the review shows it. */
export async function undoFiles(
  changes: Pick<PendingChanges, 'undo'>,
  review: PendingEditReviewService,
  paths: readonly string[] | null,
): Promise<void> {
  await changes.undo(review.session?.sessionId ?? '', paths);
  await review.refresh(paths ?? undefined);
}
