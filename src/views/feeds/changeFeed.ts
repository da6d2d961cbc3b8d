import type { ChangedFile } from '../../services/review/changedFile';
import type { PendingChanges } from '../../services/review/pendingChanges';
import type { FileReviewState } from '../../services/review/reviewTypes';
import type { ViewPort } from '../../protocol/rpc';
import { CoalescedTask } from '../../utils/coalescedTask';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { changedFileState } from '../handlers/changeHandlers';

/**
 * Updates the changed files in the view and the line counts in the session list. Runs one comparison at a time. Requests
 * during a comparison cause only one further comparison.
 */
export class ChangeFeed implements Disposable {
  private readonly others = new Set<string>();
  private readonly totals = new Map<string, string>();
  private readonly refreshTask = new CoalescedTask(() => this.work());

  constructor(
    private readonly changes: PendingChanges,
    private readonly shown: () => string | null,
    private readonly view: ViewPort,
    private readonly logger: Logger,
    /** Called with the number of files with pending changes in the active session. */
    private readonly onCount: (count: number) => void,
    /** Returns the hunks of a file if they are known. */
    private readonly hunksOf: (path: string) => FileReviewState | undefined = () => undefined,
  ) {}

  /** Updates the changes. `sessionId` is the changed session, by default the active one. */
  refresh(sessionId = this.shown()): void {
    if (sessionId !== null && sessionId !== this.shown()) this.others.add(sessionId);
    this.refreshTask.request();
  }

  dispose(): void {
    this.refreshTask.dispose();
  }

  private async work(): Promise<void> {
    await this.tell().catch((error: unknown) => this.logger.error('Could not list the changed files', error));
    await this.countOthers().catch((error: unknown) => this.logger.error('Could not count the changed lines', error));
  }

  private async tell(): Promise<void> {
    const sessionId = this.shown();
    if (sessionId === null) {
      this.onCount(0);
      return;
    }
    const files = await this.changes.list(sessionId);
    const revertible = await this.changes.revertible(sessionId);
    if (this.refreshTask.isDisposed || this.shown() !== sessionId) return;
    this.onCount(files.length);
    const states = files.map((file) => changedFileState(file, this.hunksOf(file.path)));
    this.view.emit('changes', { sessionId, files: states, revertible });
    this.tellTotals(sessionId, files);
  }

  private async countOthers(): Promise<void> {
    for (const sessionId of [...this.others]) {
      if (this.refreshTask.isDisposed) return;
      this.others.delete(sessionId);
      this.tellTotals(sessionId, await this.changes.list(sessionId));
    }
  }

  private tellTotals(sessionId: string, files: readonly ChangedFile[]): void {
    const sum = (side: 'additions' | 'deletions') => files.reduce((total, { lines }) => total + (lines?.[side] ?? 0), 0);
    const totals = `+${sum('additions')} −${sum('deletions')}`;
    if (totals === (this.totals.get(sessionId) ?? '+0 −0')) return;
    this.totals.set(sessionId, totals);
    this.view.emit('sessionsChanged', { sessionId });
  }
}
