import { hunkAt, ReviewNavigation } from '../../services/review/reviewNavigator';
import type { PendingEditReviewService } from '../../services/review/pendingEditReviewService';
import type { ReviewEditor } from '../../services/review/reviewPorts';
import type { FileReviewState, LineRange, ReviewHunk, ReviewPlace, UndoOutcome } from '../../services/review/reviewTypes';
import type { Event } from '../../utils/emitter';

/** Reviews that the editor shows together: the reviews of the active chat and of the open inline chat. */
export class ShownReviews extends ReviewNavigation {
  readonly onDidChangeHunks = this.either((review) => review.onDidChangeHunks);
  readonly onDidResolveFile = this.either((review) => review.onDidResolveFile);
  readonly onDidChangePosition = this.either((review) => review.onDidChangePosition);

  constructor(
    private readonly chat: PendingEditReviewService,
    private readonly inline: PendingEditReviewService,
    protected readonly editor: Pick<ReviewEditor, 'cursor' | 'show'>,
  ) {
    super();
  }

  get files(): FileReviewState[] {
    const paths = new Set([this.chat, this.inline].flatMap(({ session }) => session?.files.map(({ path }) => path) ?? []));
    return [...paths].flatMap((path) => this.getState(path) ?? []);
  }

  protected states(): readonly FileReviewState[] {
    return this.files;
  }

  /** Returns the changes of both chats in a file. If both changed the same lines, returns the hunk of the inline chat. */
  getState(path: string): FileReviewState | undefined {
    const below = this.chat.getState(path);
    const above = this.inline.getState(path);
    if (below === undefined || above === undefined) return above ?? below;
    const free = below.hunks.filter((hunk) => !above.hunks.some((other) => overlaps(hunk, other)));
    const hunks = [...free, ...above.hunks].toSorted((one, other) => one.range.start - other.range.start);
    const sum = (side: 'additions' | 'deletions') => hunks.reduce((total, hunk) => total + hunk[side], 0);
    return { ...below, hunks, additions: sum('additions'), deletions: sum('deletions') };
  }

  /** Returns the session of a shown hunk. */
  findSession({ path, id }: ReviewHunk): string | undefined {
    return this.findReview(path, id).session?.sessionId;
  }

  hunkAt(place: ReviewPlace | undefined = this.editor.cursor()): ReviewHunk | undefined {
    const state = place && this.getState(place.path);
    return state && hunkAt(state, place.line);
  }

  keepHunk(path: string, id: string, lines?: LineRange): Promise<void> {
    return this.findReview(path, id).keepHunk(path, id, lines);
  }

  undoHunk(path: string, id: string, lines?: LineRange): Promise<UndoOutcome> {
    return this.findReview(path, id).undoHunk(path, id, lines);
  }

  private findReview(path: string, id: string): PendingEditReviewService {
    return this.inline.getState(path)?.hunks.some((hunk) => hunk.id === id) === true ? this.inline : this.chat;
  }

  private either<T>(eventOf: (review: PendingEditReviewService) => Event<T>): Event<T> {
    return (listener) => {
      const subscriptions = [this.chat, this.inline].map((review) => eventOf(review)(listener));
      return { dispose: () => void subscriptions.map((subscription) => subscription.dispose()) };
    };
  }
}

function overlaps({ range: one }: ReviewHunk, { range: other }: ReviewHunk): boolean {
  return one.start < Math.max(other.end, other.start + 1) && other.start < Math.max(one.end, one.start + 1);
}
