import type { Disposable } from './disposable';

/**
 * Runs at most one instance of a task at a time. If the task is requested during a run, runs it
 * once more afterwards. `work` must not reject.
 */
export class CoalescedTask implements Disposable {
  private isRunning = false;
  private isRequestedAgain = false;
  private hasEnded = false;

  constructor(private readonly work: () => Promise<void>) {}

  get isDisposed(): boolean {
    return this.hasEnded;
  }

  /**
   * True if the result of the current run is still needed. This is the case if no other run
   * was requested and the task is not disposed.
   */
  get isCurrent(): boolean {
    return !this.isRequestedAgain && !this.hasEnded;
  }

  request(): void {
    if (this.isRunning) this.isRequestedAgain = true;
    else if (!this.hasEnded) void this.run();
  }

  /** Prevents further runs. A run in progress finishes. */
  dispose(): void {
    this.hasEnded = true;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    do {
      this.isRequestedAgain = false;
      await this.work();
    } while (this.isRequestedAgain && !this.hasEnded);
    this.isRunning = false;
  }
}
