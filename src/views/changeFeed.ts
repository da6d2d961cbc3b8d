import type { PendingChanges } from '../agent/changes/pendingChanges';
import type { ViewPort } from '../protocol/rpc';
import type { Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';
import { changedFileState } from './changeHandlers';

/** Keeps the view's list of changed files true: one comparison at a time, and once more when something came meanwhile. */
export class ChangeFeed implements Disposable {
  private isRunning = false;
  private isAskedAgain = false;
  private isDisposed = false;

  constructor(
    private readonly changes: PendingChanges,
    private readonly shown: () => string | null,
    private readonly view: ViewPort,
    private readonly logger: Logger,
    /** Told how many files wait in the session in front. */
    private readonly onCount: (count: number) => void,
  ) {}

  refresh(): void {
    if (this.isRunning) this.isAskedAgain = true;
    else void this.run();
  }

  dispose(): void {
    this.isDisposed = true;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    do {
      this.isAskedAgain = false;
      await this.tell().catch((error: unknown) => this.logger.error('Could not list the changed files', error));
    } while (this.isAskedAgain && !this.isDisposed);
    this.isRunning = false;
  }

  private async tell(): Promise<void> {
    const sessionId = this.shown();
    if (sessionId === null) {
      this.onCount(0);
      return;
    }
    const files = await this.changes.list(sessionId);
    if (this.isDisposed || this.shown() !== sessionId) return;
    this.onCount(files.length);
    this.view.emit('changes', { sessionId, files: files.map(changedFileState) });
  }
}
