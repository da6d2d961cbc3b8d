import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { isCancelled } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import type { EngineClient } from './engineClient';

/** After the start of a window, and after a run was in the way. */
const quietMs = 10 * 60 * 1_000;

/**
 * Collects garbage once in the life of a window, when nothing has run for a while: in a worker of its own, so that no checkpoint waits for
 * it. A run that begins cuts it off, which loses nothing; it goes on later.
 */
export class IdleCollection implements Disposable {
  private readonly ended = new AbortController();
  private readonly running = new Set<string>();
  private engine: Pick<EngineClient, 'dispose'> | null = null;
  private isQuiet = true;

  constructor(
    /** A worker of its own on the storage, under a name of its own. */
    private readonly openEngine: () => Pick<EngineClient, 'care' | 'dispose'>,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Resolves when it is over; never rejects. */
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

  /** To be told whenever a run begins or ends. */
  note(sessionId: string, isRunning: boolean): void {
    if (isRunning) this.running.add(sessionId);
    else this.running.delete(sessionId);
    this.isQuiet = false;
    if (isRunning) void this.engine?.dispose();
  }

  async dispose(): Promise<void> {
    this.ended.abort();
    await this.engine?.dispose();
  }

  /** Tells whether it came to an end. */
  private async collect(): Promise<boolean> {
    const engine = this.openEngine();
    this.engine = engine;
    try {
      const { manifests, objects, bytes } = await engine.care.collectGarbage();
      this.logger.info(`Garbage collected: ${manifests} manifests, ${objects} contents, ${bytes} bytes`);
      return this.isQuiet;
    } catch (error) {
      // One that was cut off may end in any way.
      if (this.isQuiet) throw error;
      return false;
    } finally {
      this.engine = null;
      await engine.dispose();
    }
  }
}
