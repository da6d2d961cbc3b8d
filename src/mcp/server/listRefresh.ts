import type { Clock } from '../../utils/clock';

/** Number of readings without a pause. */
const maxAtOnce = 4;
/** Milliseconds between readings after that. */
const pauseMs = 60_000;

interface RefreshDeps {
  clock: Clock;
  /** Ends the readings. */
  signal: AbortSignal;
  /** Must not reject. */
  read: () => Promise<void>;
  /** Called when `isLimited` changes. */
  onLimited: () => void;
}

/**
 * Reads the lists of a server again after it has reported a change: at once, but only once a minute while it reports changes all the
 * time. Some servers report a change with each list.
 */
export class ListRefresh {
  /** True while a reported change waits for its reading. */
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
