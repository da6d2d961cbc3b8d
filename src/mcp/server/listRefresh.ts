import type { Clock } from '../../utils/clock';

/** Maximum number of reads without a pause. */
const maxAtOnce = 4;
/** Pause before each further read, in milliseconds. */
const pauseMs = 60_000;

interface RefreshDeps {
  clock: Clock;
  /** Stops reading when it aborts. */
  signal: AbortSignal;
  /** Reads the lists. Must not reject. */
  read: () => Promise<void>;
  /** Called when `isLimited` changes. */
  onLimited: () => void;
}

/**
 * Reads the lists of a server again after the server reports a change. The first reads are immediate. If the server
 * constantly reports changes, reads only once a minute. Some servers report a change each time a list is read.
 */
export class ListRefresh {
  /** True while frequent changes limit reading to once a minute. */
  isLimited = false;
  private isRequested = false;
  private isRunning = false;
  private isPaused = false;
  private remaining = maxAtOnce;
  private lastRead = 0;

  constructor(private readonly deps: RefreshDeps) {}

  request(): void {
    this.isRequested = true;
    if (!this.isRunning) void this.run();
    else if (this.isPaused) this.setLimited(true);
  }

  private async run(): Promise<void> {
    const { clock, signal, read } = this.deps;
    this.isRunning = true;
    if (clock.now() - this.lastRead >= pauseMs) this.remaining = maxAtOnce;
    while (this.isRequested && !signal.aborted) {
      this.isRequested = false;
      await read();
      this.lastRead = clock.now();
      this.remaining -= 1;
      if (this.remaining <= 0) await this.pause();
    }
    this.isRunning = false;
  }

  private async pause(): Promise<void> {
    const { clock, signal } = this.deps;
    this.isPaused = true;
    if (this.isRequested) this.setLimited(true);
    await clock.sleep(pauseMs, signal).catch(() => undefined);
    this.isPaused = false;
    if (this.isRequested) return;
    this.setLimited(false);
    this.remaining = maxAtOnce;
  }

  private setLimited(isLimited: boolean): void {
    if (this.isLimited === isLimited) return;
    this.isLimited = isLimited;
    this.deps.onLimited();
  }
}
