import type { PendingChanges } from '../../../../src/services/review/pendingChanges';
import type { PendingEditReviewService } from '../../../../src/services/review/pendingEditReviewService';

/** Undoes whole files in the reviewed session (null: all files) and waits until the review shows the result. */
export async function undoFiles(
  changes: Pick<PendingChanges, 'undo'>,
  review: PendingEditReviewService,
  paths: readonly string[] | null,
): Promise<void> {
  await changes.undo(review.session?.sessionId ?? '', paths);
  await review.refresh(paths ?? undefined);
}
