import type { Clock } from '../../../utils/clock';
import { isCancelled } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';

/** Delay in milliseconds between a write and indexing, and the pause in writing that each slice waits for. */
const indexDelayMs = 5_000;
const pauseMs = 100;
/** Maximum number of times to wait for a pause. After that, a slice is indexed even if writing continues. */
const maxPauses = 50;

/** Keeps the search index up to date in the background, including entries that are older than the index. */
export class Indexer {
  private readonly stop = new AbortController();
  private running: Promise<void> | null = null;
  private hasWritten = false;

  constructor(
    /** Indexes one slice. Resolves with true if there is more. */
    private readonly indexSlice: () => Promise<boolean>,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Call this when there may be something to index. */
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
      await this.clock.sleep(indexDelayMs, signal);
      do await this.untilQuiet();
      while (await this.indexSlice());
    } catch (error) {
      // Only log the error. A search indexes missing entries itself and reports its own failures.
      if (!isCancelled(error)) this.logger.debug('The search index did not get further', error);
    }
  }

  /** Waits for a pause in writing, because a slice holds the write lock. */
  private async untilQuiet(): Promise<void> {
    for (let waits = 0; waits < maxPauses; waits += 1) {
      this.hasWritten = false;
      await this.clock.sleep(pauseMs, this.stop.signal);
      if (!this.hasWritten) return;
    }
  }
}
