import * as vscode from 'vscode';
import type { PendingChanges } from '../../services/review/pendingChanges';
import type { PendingEditReviewService } from '../../services/review/pendingEditReviewService';
import type { WorkSessions } from '../../services/review/workSessions';
import type { SessionController } from '../../agent/loop/sessionController';
import type { ViewPort } from '../../protocol/rpc';
import type { ReviewPositionState } from '../../protocol/changedFiles';
import type { ReviewPosition } from '../../services/review/reviewTypes';
import { isLive } from '../../types/runState';
import { DisposableStore } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { watchFiles } from '../../vscode/workspace/watchFiles';
import { ChangeFeed } from './changeFeed';
import { WorkSessionFeed } from './workSessionFeed';

export interface FeedServices {
  changes: PendingChanges;
  review: PendingEditReviewService;
  workSessions: WorkSessions;
  controller: SessionController;
}

/** Updates the changed files and review states in the view. */
export class FilesFeed extends DisposableStore {
  private readonly changes: ChangeFeed;
  private readonly review: PendingEditReviewService;
  private readonly workSession: WorkSessionFeed;
  private readonly tellPosition: () => void;
  private readonly counts = { changes: 0, workSession: 0 };
  private readonly watch = this.add(watchFiles((changed) => this.refresh(changed)));

  constructor(
    services: FeedServices,
    private readonly shown: () => string | null,
    view: ViewPort,
    private readonly logger: Logger,
  ) {
    super();
    const { changes, review, workSessions, controller } = services;
    this.review = review;
    this.changes = this.add(
      new ChangeFeed(
        ...([changes, shown, view, logger] as const),
        (count) => this.count('changes', count),
        (path) => review.getState(path),
      ),
    );
    this.tellPosition = () => {
      const sessionId = shown();
      if (sessionId === null) return;
      const position = review.session?.sessionId === sessionId ? review.getChangePosition() : undefined;
      view.emit('reviewPosition', { sessionId, position: position === undefined ? null : positionState(position) });
    };
    this.add(review.onDidChangePosition(this.tellPosition));
    this.add(
      review.onDidUpdateHunkStats(({ sessionId }) => {
        if (sessionId === shown()) this.changes.refresh();
        this.tellPosition();
      }),
    );
    const atRest = async () => {
      const sessionId = shown();
      if (sessionId === null) return null;
      const { state } = await controller.runState(sessionId);
      return isLive(state) ? null : sessionId;
    };
    this.workSession = this.add(
      new WorkSessionFeed(workSessions, atRest, view, logger, (count) => this.count('workSession', count)),
    );
    this.add(changes.onDidChange(({ sessionId }) => this.changes.refresh(sessionId)));
    this.add(
      controller.onDidChangeRunState(({ sessionId, state }) => {
        if (sessionId === shown() && state === 'idle') this.workSession.refresh();
      }),
    );
  }

  /** Updates the files. For `changed`, see `WorkSessionFeed.refresh`. */
  refresh(changed: readonly string[] | null = null): void {
    void vscode.commands.executeCommand('setContext', 'ollamaCopilot.hasSession', this.shown() !== null);
    this.changes.refresh();
    this.tellPosition();
    this.workSession.refresh(changed);
    this.lookAtReview(changed);
  }

  /**
   * Compares the files with pending changes again. A restore, another program or another window may have changed the files,
   * or kept or undone their changes.
   */
  private lookAtReview(changed: readonly string[] | null): void {
    const { session } = this.review;
    if (session === undefined || session.sessionId !== this.shown()) return;
    const paths = changed === null ? undefined : session.files.map(({ path }) => path).filter((path) => changed.includes(path));
    if (paths?.length === 0) return;
    this.review.refresh(paths).catch((error: unknown) => this.logger.error('Could not look at the changes under review', error));
  }

  private count(of: 'changes' | 'workSession', count: number): void {
    this.counts[of] = count;
    this.watch.setActive(this.counts.changes + this.counts.workSession > 0);
    const key = of === 'changes' ? 'ollamaCopilot.hasChanges' : 'ollamaCopilot.hasUnapproved';
    void vscode.commands.executeCommand('setContext', key, count > 0);
  }
}

function positionState({ current, total, path, additions, deletions }: ReviewPosition): ReviewPositionState {
  return { current, total, path, additions, deletions };
}
