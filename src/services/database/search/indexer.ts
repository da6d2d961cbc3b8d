import type { Clock } from '../../../utils/clock';
import { isCancelled } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';

/** Delay of the index after a write, and the time without writes that a slice waits for, in milliseconds. */
const followAfter = 5_000;
const quiet = 100;
/** Number of `quiet` periods after which a slice comes although writing does not pause. */
const patience = 50;

/** Keeps the search index near the log, in the background: also for what was written before there was an index. */
export class Indexer {
  private readonly stop = new AbortController();
  private running: Promise<void> | null = null;
  private hasWritten = false;

  constructor(
    /** Indexes one slice; whether there is more. */
    private readonly indexSlice: () => Promise<boolean>,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Notes that there is, or may be, something to index. */
  note(): void {
    if (this.stop.signal.aborted) return;
    this.hasWritten = true;
    this.running ??= this.run().finally(() => (this.running = null));
  }

  async dispose(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stop;
    try {
      await this.clock.sleep(followAfter, signal);
      do await this.untilQuiet();
      while (await this.indexSlice());
    } catch (error) {
      // A search indexes what is missing itself, and says when it could not.
      if (!isCancelled(error)) this.logger.debug('The search index did not get further', error);
    }
  }

  /** Waits for a pause in writing: a slice holds the write lock, and whoever writes now comes first. */
  private async untilQuiet(): Promise<void> {
    for (let waits = 0; waits < patience; waits += 1) {
      this.hasWritten = false;
      await this.clock.sleep(quiet, this.stop.signal);
      if (!this.hasWritten) return;
    }
  }
}
