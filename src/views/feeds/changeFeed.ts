import type { ChangedFile } from '../../services/review/changedFile';
import type { PendingChanges } from '../../services/review/pendingChanges';
import type { FileReviewState } from '../../services/review/reviewTypes';
import type { ViewPort } from '../../protocol/rpc';
import { CatchUp } from '../../utils/catchUp';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { changedFileState } from '../handlers/changeHandlers';

/**
 * Keeps the view's list of changed files true, and the numbers that the list of sessions shows, for other sessions too: one
 * comparison at a time, and once more when something came meanwhile.
 */
export class ChangeFeed implements Disposable {
  private readonly others = new Set<string>();
  private readonly totals = new Map<string, string>();
  private readonly catchUp = new CatchUp(() => this.work());

  constructor(
    private readonly changes: PendingChanges,
    private readonly shown: () => string | null,
    private readonly view: ViewPort,
    private readonly logger: Logger,
    /** Told how many files wait in the session in front. */
    private readonly onCount: (count: number) => void,
    /** The hunks of a file, where they are known. */
    private readonly hunksOf: (path: string) => FileReviewState | undefined = () => undefined,
  ) {}

  /** `sessionId`: where something has changed; else in the session in front. */
  refresh(sessionId = this.shown()): void {
    if (sessionId !== null && sessionId !== this.shown()) this.others.add(sessionId);
    this.catchUp.ask();
  }

  dispose(): void {
    this.catchUp.dispose();
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
    if (this.catchUp.isDisposed || this.shown() !== sessionId) return;
    this.onCount(files.length);
    this.view.emit('changes', { sessionId, files: files.map((file) => changedFileState(file, this.hunksOf(file.path))) });
    this.tellTotals(sessionId, files);
  }

  /** Looking at them keeps their numbers. */
  private async countOthers(): Promise<void> {
    for (const sessionId of [...this.others]) {
      if (this.catchUp.isDisposed) return;
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
