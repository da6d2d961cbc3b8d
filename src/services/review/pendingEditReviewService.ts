import {
  ChangesError,
  type FileReviewState,
  type HunkChoice,
  type LineRange,
  type ReviewHunk,
  type ReviewPlace,
  type ReviewPosition,
  type ReviewSession,
  type UndoOutcome,
} from './reviewTypes';
import type { PendingChanges } from './pendingChanges';
import { phrase } from '../../utils/l10n';
import { AsyncMutex } from '../../utils/asyncMutex';
import type { Clock } from '../../utils/clock';
import { DisposableStore, type Disposable } from '../../utils/disposable';
import { isCancelled } from '../../utils/errors';
import { Emitter } from '../../utils/emitter';
import type { Logger } from '../../utils/logger';
import type { ReviewEditor } from './reviewPorts';
import { changeBeside, hunkAt, positionAt } from './reviewNavigator';
import { ReviewedFiles } from './reviewedFiles';
import { reviewedFile, turnsToAnswer } from './reviewSessionBuilder';

export interface ReviewSources {
  changes: Pick<PendingChanges, 'compared' | 'keepHunks' | 'undoHunks' | 'noticeEditorUndo' | 'onDidChange'>;
  /** Returns the session that a checkpoint is of. */
  sessionOf(checkpointId: string): Promise<string | undefined>;
}

/**
 * The review of what the agent has changed in the session that is shown, hunk by hunk. What waits is asked of `PendingChanges` each time;
 * here is only where it stands in the editor.
 */
export class PendingEditReviewService implements Disposable {
  private readonly store = new DisposableStore();
  private readonly turn = new AsyncMutex();
  private readonly position = this.emitter<ReviewPosition | undefined>();
  private readonly files: ReviewedFiles;
  private sessionId: string | null = null;
  private lastPosition = '';
  private waiting: Promise<void> | undefined;
  /** Files that the comparison that waits is of; null: all. */
  private wanted: Set<string> | null = new Set();
  /** Files of which hunks were undone here, so that `Ctrl+Z` may bring them back. */
  private readonly undone = new Set<string>();

  constructor(
    private readonly sources: ReviewSources,
    private readonly editor: ReviewEditor,
    clock: Clock,
    private readonly logger: Logger,
  ) {
    this.store.add(
      sources.changes.onDidChange(({ sessionId, paths }) => {
        if (sessionId === this.sessionId) this.background(this.refresh(paths ?? undefined));
      }),
    );
    this.files = this.store.add(new ReviewedFiles(editor, clock, logger, () => this.tellPosition()));
    this.store.add(
      editor.onDidChangeText(({ path, reason }) => {
        if (reason === 'undo' && this.undone.has(path)) this.background(this.noticeEditorUndo(path));
      }),
    );
    this.store.add(editor.onDidMoveCursor(() => this.tellPosition()));
  }

  /** Fires when the hunks of a file are others, or elsewhere, or none any more. */
  get onDidChangeHunks() {
    return this.files.hunksChanged.event;
  }

  get onDidUpdateHunkStats() {
    return this.files.stats.event;
  }

  /** Fires when nothing of a file waits any more. */
  get onDidResolveFile() {
    return this.files.resolved.event;
  }

  /** Fires with undefined when the review is over. */
  get onDidChangePosition() {
    return this.position.event;
  }

  get session(): ReviewSession | undefined {
    return this.sessionId === null ? undefined : { sessionId: this.sessionId, files: this.files.states };
  }

  /** Shows what waits in a session, in place of the one before; null: of none. */
  async startReview(sessionId: string | null): Promise<ReviewPosition | undefined> {
    if (sessionId === null) this.closeReview();
    else {
      if (this.sessionId !== sessionId) this.closeReview();
      this.sessionId = sessionId;
      await this.refresh();
    }
    return this.getChangePosition();
  }

  /** Shows what waits in the session of a checkpoint. */
  async startReviewForCheckpoint(checkpointId: string): Promise<ReviewPosition | undefined> {
    const sessionId = await this.sources.sessionOf(checkpointId);
    return sessionId === undefined ? this.getChangePosition() : this.startReview(sessionId);
  }

  /** Compares files again: those at `paths`, or all. */
  refresh(paths?: readonly string[]): Promise<void> {
    this.wanted = paths === undefined || this.wanted === null ? null : new Set([...this.wanted, ...paths]);
    // What asks while one waits for its turn gets that one: the agent may write many files at once.
    this.waiting ??= this.turn.runExclusive(() => {
      const { wanted } = this;
      this.waiting = undefined;
      this.wanted = new Set();
      return this.compare(wanted);
    });
    return this.waiting;
  }

  stateOf(path: string): FileReviewState | undefined {
    return this.files.get(path);
  }

  hunkAt(place: ReviewPlace | undefined = this.editor.cursor()): ReviewHunk | undefined {
    const state = place && this.stateOf(place.path);
    return state && hunkAt(state, place.line);
  }

  /** Opens a file at its first hunk. */
  async openFileReview(path: string): Promise<ReviewPosition | undefined> {
    const state = this.stateOf(path);
    return state && this.goTo({ path, line: state.hunks[0]?.range.start ?? 0 });
  }

  /** Shows the change after or before the cursor, in other files too. */
  async navigateChange(
    direction: 'next' | 'previous',
    from: ReviewPlace | undefined = this.editor.cursor(),
  ): Promise<ReviewPosition | undefined> {
    const place = changeBeside(this.files.states, from, direction);
    return place && this.goTo(place);
  }

  getChangePosition(at: ReviewPlace | undefined = this.editor.cursor()): ReviewPosition | undefined {
    return this.sessionId === null || this.files.states.length === 0 ? undefined : positionAt(this.files.states, at);
  }

  /** Throws `ChangesError` `hunkGone` where the hunk does not stand there any more. */
  keepHunk(path: string, id: string, lines?: LineRange): Promise<void> {
    return this.keeping([{ path, ids: [id], lines }]);
  }

  /** Throws as `keepHunk` does. `left` tells what could not be undone, with the reason. */
  undoHunk(path: string, id: string, lines?: LineRange): Promise<UndoOutcome> {
    return this.undoing([{ path, ids: [id], lines }]);
  }

  /** Keeps all that came from the message `turn`, with one answer. */
  keepMessage(turn: number): Promise<void> {
    return this.keeping(this.ofMessage(turn));
  }

  undoMessage(turn: number): Promise<UndoOutcome> {
    return this.undoing(this.ofMessage(turn));
  }

  /** Stops showing a file that was answered elsewhere; what still waits of it comes back. */
  removeFileFromReview(path: string): Promise<void> {
    this.files.showSome(new Map([[path, undefined]]));
    return this.refresh([path]);
  }

  /** Shows nothing any more; what waits goes on waiting. */
  closeReview(): void {
    this.sessionId = null;
    this.files.clear();
  }

  async dispose(): Promise<void> {
    this.closeReview();
    await this.store.dispose();
  }

  private keeping(choices: readonly HunkChoice[]): Promise<void> {
    return this.answering(choices, (sessionId) => this.sources.changes.keepHunks(sessionId, choices));
  }

  private undoing(choices: readonly HunkChoice[]): Promise<UndoOutcome> {
    for (const { path } of choices) this.undone.add(path);
    return this.answering(choices, (sessionId) => this.sources.changes.undoHunks(sessionId, choices, this.editor));
  }

  /** Resolves when the answer is shown. */
  private async answering<T>(choices: readonly HunkChoice[], work: (sessionId: string) => Promise<T>): Promise<T> {
    const { sessionId } = this;
    if (sessionId === null) throw new ChangesError('reviewGone', phrase('No change of this file waits for an answer any more.'));
    const result = await work(sessionId);
    await this.refresh(choices.map(({ path }) => path));
    return result;
  }

  private async noticeEditorUndo(path: string): Promise<void> {
    if (this.sessionId !== null && (await this.sources.changes.noticeEditorUndo(this.sessionId, path)))
      await this.refresh([path]);
  }

  /** `wanted` null: all that waits. */
  private async compare(wanted: ReadonlySet<string> | null): Promise<void> {
    const { sessionId } = this;
    if (sessionId === null || wanted?.size === 0) return;
    const changes = await this.sources.changes.compared(sessionId, wanted ?? undefined);
    if (this.sessionId !== sessionId) return;
    const found = new Map(changes.map((change) => [change.path, reviewedFile(change, this.editor)]));
    if (wanted === null) this.files.showAll(sessionId, found);
    // Only a comparison of all files knows the place of one that is new among them.
    else if (changes.some(({ path }) => this.files.get(path) === undefined)) await this.compare(null);
    else this.files.showSome(new Map([...wanted].map((path) => [path, found.get(path)])));
  }

  private ofMessage(turn: number): HunkChoice[] {
    return this.files.states.flatMap((state): HunkChoice[] => {
      const { path, level, hunks } = state;
      if (!turnsToAnswer(state).includes(turn)) return [];
      return [{ path, ids: level === 'file' ? null : hunks.filter((hunk) => hunk.turn === turn).map(({ id }) => id) }];
    });
  }

  private tellPosition(): void {
    const position = this.getChangePosition();
    const told = JSON.stringify(position) ?? '';
    if (told === this.lastPosition) return;
    this.lastPosition = told;
    this.position.fire(position);
  }

  private async goTo(place: ReviewPlace): Promise<ReviewPosition | undefined> {
    await this.editor.show(place);
    return this.getChangePosition(place);
  }

  private background(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!isCancelled(error)) this.logger.error('Could not look at the changes under review', error);
    });
  }

  private emitter<T>(): Emitter<T> {
    return this.store.add(new Emitter<T>((error) => this.logger.error('A listener of the review failed', error)));
  }
}
