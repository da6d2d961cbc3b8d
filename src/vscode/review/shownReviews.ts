import { changeBeside, hunkAt, positionAt } from '../../services/review/reviewNavigator';
import type { PendingEditReviewService } from '../../services/review/pendingEditReviewService';
import type { ReviewEditor } from '../../services/review/reviewPorts';
import type {
  FileReviewState,
  LineRange,
  ReviewHunk,
  ReviewPlace,
  ReviewPosition,
  UndoOutcome,
} from '../../services/review/reviewTypes';
import type { Event } from '../../utils/emitter';

/** The reviews that the editor shows together: that of the active chat, and that of the open inline chat. */
export class ShownReviews {
  readonly onDidChangeHunks = this.either((review) => review.onDidChangeHunks);
  readonly onDidResolveFile = this.either((review) => review.onDidResolveFile);
  readonly onDidChangePosition = this.either((review) => review.onDidChangePosition);

  constructor(
    private readonly chat: PendingEditReviewService,
    private readonly inline: PendingEditReviewService,
    private readonly editor: Pick<ReviewEditor, 'cursor' | 'show'>,
  ) {}

  get files(): FileReviewState[] {
    const paths = new Set([this.chat, this.inline].flatMap(({ session }) => session?.files.map(({ path }) => path) ?? []));
    return [...paths].flatMap((path) => this.stateOf(path) ?? []);
  }

  /** Returns the changes of both chats in a file. A hunk of the inline chat hides those of the active chat in its lines. */
  stateOf(path: string): FileReviewState | undefined {
    const [below, above] = [this.chat.stateOf(path), this.inline.stateOf(path)];
    if (below === undefined || above === undefined) return above ?? below;
    const free = below.hunks.filter((hunk) => !above.hunks.some((other) => overlaps(hunk, other)));
    const hunks = [...free, ...above.hunks].toSorted((one, other) => one.range.start - other.range.start);
    const sum = (side: 'additions' | 'deletions') => hunks.reduce((total, hunk) => total + hunk[side], 0);
    return { ...below, hunks, additions: sum('additions'), deletions: sum('deletions') };
  }

  /** Returns the session of a shown hunk. */
  sessionOf({ path, id }: ReviewHunk): string | undefined {
    return this.reviewOf(path, id).session?.sessionId;
  }

  hunkAt(place: ReviewPlace | undefined = this.editor.cursor()): ReviewHunk | undefined {
    const state = place && this.stateOf(place.path);
    return state && hunkAt(state, place.line);
  }

  getChangePosition(at: ReviewPlace | undefined = this.editor.cursor()): ReviewPosition | undefined {
    const { files } = this;
    return files.length === 0 ? undefined : positionAt(files, at);
  }

  /** See `PendingEditReviewService.openFileReview`. */
  async openFileReview(path: string): Promise<ReviewPosition | undefined> {
    const state = this.stateOf(path);
    return state && this.goTo({ path, line: state.hunks[0]?.range.start ?? 0 });
  }

  /** See `PendingEditReviewService.navigateChange`. */
  async navigateChange(
    direction: 'next' | 'previous',
    from: ReviewPlace | undefined = this.editor.cursor(),
  ): Promise<ReviewPosition | undefined> {
    const place = changeBeside(this.files, from, direction);
    return place && this.goTo(place);
  }

  keepHunk(path: string, id: string, lines?: LineRange): Promise<void> {
    return this.reviewOf(path, id).keepHunk(path, id, lines);
  }

  undoHunk(path: string, id: string, lines?: LineRange): Promise<UndoOutcome> {
    return this.reviewOf(path, id).undoHunk(path, id, lines);
  }

  private reviewOf(path: string, id: string): PendingEditReviewService {
    return this.inline.stateOf(path)?.hunks.some((hunk) => hunk.id === id) === true ? this.inline : this.chat;
  }

  private async goTo(place: ReviewPlace): Promise<ReviewPosition | undefined> {
    await this.editor.show(place);
    return this.getChangePosition(place);
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
