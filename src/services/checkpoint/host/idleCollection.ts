import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { isCancelled } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import type { EngineClient } from './engineClient';

/** Milliseconds to wait without an active run. The wait restarts when a run begins or ends. */
const quietMs = 10 * 60 * 1_000;

/**
 * Collects garbage once per window, after a time without active runs. Uses a separate worker, so that no checkpoint has to wait.
 * If a run begins, the collection stops without data loss and is retried later.
 */
export class IdleCollection implements Disposable {
  private readonly ended = new AbortController();
  private readonly running = new Set<string>();
  private engine: Pick<EngineClient, 'dispose'> | null = null;
  private isQuiet = true;

  constructor(
    /** Starts a separate worker on the storage, with its own owner id. */
    private readonly openEngine: () => Pick<EngineClient, 'care' | 'dispose'>,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Resolves when the collection has finished. Never rejects. */
  async begin(): Promise<void> {
    try {
      do {
        this.isQuiet = this.running.size === 0;
        await this.clock.sleep(quietMs, this.ended.signal);
      } while (!this.isQuiet || !(await this.collect()));
    } catch (error) {
      if (!isCancelled(error)) this.logger.warn('Garbage was not collected', error);
    }
  }

  /** Call this whenever a run begins or ends. */
  noteRun(sessionId: string, isRunning: boolean): void {
    if (isRunning) this.running.add(sessionId);
    else this.running.delete(sessionId);
    this.isQuiet = false;
    if (isRunning) void this.engine?.dispose();
  }

  async dispose(): Promise<void> {
    this.ended.abort();
    await this.engine?.dispose();
  }

  /** Returns true if the collection finished. */
  private async collect(): Promise<boolean> {
    const engine = this.openEngine();
    this.engine = engine;
    try {
      const { manifests, objects, bytes } = await engine.care.collectGarbage();
      this.logger.info(`Garbage collected: ${manifests} manifests, ${objects} contents, ${bytes} bytes`);
      return this.isQuiet;
    } catch (error) {
      // If a run stopped the collection, ignore any error.
      if (this.isQuiet) throw error;
      return false;
    } finally {
      this.engine = null;
      await engine.dispose();
    }
  }
}
