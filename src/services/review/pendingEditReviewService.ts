import {
  ChangesError,
  type FileReviewState,
  type HunkChoice,
  type LineRange,
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
import { ReviewNavigation } from './reviewNavigator';
import { ReviewedFiles } from './reviewedFiles';
import { reviewedFile, turnsToAnswer } from './reviewSessionBuilder';

export interface ReviewSources {
  changes: Pick<PendingChanges, 'compared' | 'keepHunks' | 'undoHunks' | 'followEditor' | 'onDidChange'>;
  /** Returns the session of a checkpoint. */
  sessionOf(checkpointId: string): Promise<string | undefined>;
}

/**
 * Reviews the agent's changes in the shown session, hunk by hunk. `PendingChanges` always provides the pending changes. This
 * class only stores their positions in the editor.
 */
export class PendingEditReviewService extends ReviewNavigation implements Disposable {
  private readonly store = new DisposableStore();
  private readonly turn = new AsyncMutex();
  private readonly position = this.emitter<ReviewPosition | undefined>();
  private readonly files: ReviewedFiles;
  private sessionId: string | null = null;
  private lastPosition = '';
  private queued: Promise<void> | undefined;
  /** Paths of the files in the queued comparison; null for all files. */
  private queuedPaths: Set<string> | null = new Set();

  constructor(
    private readonly sources: ReviewSources,
    protected readonly editor: ReviewEditor,
    clock: Clock,
    private readonly logger: Logger,
  ) {
    super();
    this.store.add(
      sources.changes.onDidChange(({ sessionId, paths }) => {
        if (sessionId === this.sessionId) this.background(this.refresh(paths ?? undefined));
      }),
    );
    this.files = this.store.add(new ReviewedFiles(editor, clock, logger, () => this.firePosition()));
    this.store.add(
      editor.onDidChangeText(({ path, reason }) => {
        if (reason !== 'other') this.background(this.followEditor(path, reason));
      }),
    );
    this.store.add(editor.onDidMoveCursor(() => this.firePosition()));
  }

  /** Fires when hunks of a file change, move or disappear. */
  get onDidChangeHunks() {
    return this.files.hunksChanged.event;
  }

  get onDidUpdateHunkStats() {
    return this.files.stats.event;
  }

  /** Fires when a file has no more pending changes. */
  get onDidResolveFile() {
    return this.files.resolved.event;
  }

  /** Fires with undefined when the review ends. */
  get onDidChangePosition() {
    return this.position.event;
  }

  get session(): ReviewSession | undefined {
    return this.sessionId === null ? undefined : { sessionId: this.sessionId, files: this.files.states };
  }

  /** Shows the pending changes of a session. If `sessionId` is null, shows none. */
  async startReview(sessionId: string | null): Promise<ReviewPosition | undefined> {
    if (sessionId === null) this.closeReview();
    else {
      if (this.sessionId !== sessionId) this.closeReview();
      this.sessionId = sessionId;
      await this.refresh();
    }
    return this.getChangePosition();
  }

  /** Shows the pending changes of a checkpoint's session. */
  async startReviewForCheckpoint(checkpointId: string): Promise<ReviewPosition | undefined> {
    const sessionId = await this.sources.sessionOf(checkpointId);
    return sessionId === undefined ? this.getChangePosition() : this.startReview(sessionId);
  }

  /** Compares the files at `paths` again, or all files. */
  refresh(paths?: readonly string[]): Promise<void> {
    this.queuedPaths = paths === undefined || this.queuedPaths === null ? null : new Set([...this.queuedPaths, ...paths]);
    // Use one queued comparison for all callers, because the agent may write many files at once.
    this.queued ??= this.turn.runExclusive(() => {
      const wanted = this.queuedPaths;
      this.queued = undefined;
      this.queuedPaths = new Set();
      return this.compare(wanted);
    });
    return this.queued;
  }

  protected states(): readonly FileReviewState[] {
    return this.files.states;
  }

  getState(path: string): FileReviewState | undefined {
    return this.files.get(path);
  }

  /** Keeps a hunk. Throws `ChangesError` `hunkGone` if it no longer exists. */
  keepHunk(path: string, id: string, lines?: LineRange): Promise<void> {
    return this.keeping([{ path, ids: [id], lines }]);
  }

  /** Undoes a hunk. Throws the same errors as `keepHunk`. `left` lists the files that could not be undone, with reasons. */
  undoHunk(path: string, id: string, lines?: LineRange): Promise<UndoOutcome> {
    return this.undoing([{ path, ids: [id], lines }]);
  }

  /** Keeps all changes of the message `turn` with one log entry. */
  keepMessage(turn: number): Promise<void> {
    return this.keeping(this.ofMessage(turn));
  }

  undoMessage(turn: number): Promise<UndoOutcome> {
    return this.undoing(this.ofMessage(turn));
  }

  /** Removes a file that was kept or undone elsewhere. If changes remain in it, they are shown again. */
  removeFileFromReview(path: string): Promise<void> {
    this.files.showSome(new Map([[path, undefined]]));
    return this.refresh([path]);
  }

  /** Hides all changes. They stay pending. */
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
    return this.answering(choices, (sessionId) => this.sources.changes.undoHunks(sessionId, choices, this.editor));
  }

  /** Runs `work`. Resolves when the result is shown. */
  private async answering<T>(choices: readonly HunkChoice[], work: (sessionId: string) => Promise<T>): Promise<T> {
    const { sessionId } = this;
    if (sessionId === null) throw new ChangesError('reviewGone', phrase('This file has no pending changes.'));
    const result = await work(sessionId);
    await this.refresh(choices.map(({ path }) => path));
    return result;
  }

  private async followEditor(path: string, reason: 'undo' | 'redo'): Promise<void> {
    if (this.sessionId !== null && (await this.sources.changes.followEditor(this.sessionId, path, reason)))
      await this.refresh([path]);
  }

  /** Compares the files in `wanted`. If it is null, compares all pending files. */
  private async compare(wanted: ReadonlySet<string> | null): Promise<void> {
    const { sessionId } = this;
    if (sessionId === null || wanted?.size === 0) return;
    const changes = await this.sources.changes.compared(sessionId, wanted ?? undefined);
    if (this.sessionId !== sessionId) return;
    const found = new Map(changes.map((change) => [change.path, reviewedFile(change, this.editor)]));
    if (wanted === null) this.files.showAll(sessionId, found);
    // Only a full comparison determines the position of a new file.
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

  private firePosition(): void {
    const position = this.getChangePosition();
    const serialized = JSON.stringify(position) ?? '';
    if (serialized === this.lastPosition) return;
    this.lastPosition = serialized;
    this.position.fire(position);
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
