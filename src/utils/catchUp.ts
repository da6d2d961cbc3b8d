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

  ask(): void {
    if (this.isRunning) this.isAskedAgain = true;
    else void this.run();
  }

  /** What is under way ends; it is not begun again. */
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
