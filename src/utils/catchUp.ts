import type { Disposable } from './disposable';

/** Runs a piece of work once at a time, and once more when it was asked for meanwhile. `work` must not reject. */
export class CatchUp implements Disposable {
  private isRunning = false;
  private isAskedAgain = false;
  private hasEnded = false;

  constructor(private readonly work: () => Promise<void>) {}

  get isDisposed(): boolean {
    return this.hasEnded;
  }

  /** True if the result of the work is still wanted: it was not asked for again, and `dispose` was not called. */
  get isCurrent(): boolean {
    return !this.isAskedAgain && !this.hasEnded;
  }

  ask(): void {
    if (this.isRunning) this.isAskedAgain = true;
    else if (!this.hasEnded) void this.run();
  }

  /** Lets the work under way end and begins no other. */
  dispose(): void {
    this.hasEnded = true;
  }

  private async run(): Promise<void> {
    this.isRunning = true;
    do {
      this.isAskedAgain = false;
      await this.work();
    } while (this.isAskedAgain && !this.hasEnded);
    this.isRunning = false;
  }
}
