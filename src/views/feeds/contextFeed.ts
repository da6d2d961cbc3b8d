import type { ContextMeter } from '../../agent/context/contextMeter';
import type { ViewPort } from '../../protocol/rpc';
import type { DatabaseService } from '../../services/database/databaseService';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import type { ChatMode } from '../../types/modes';
import { CatchUp } from '../../utils/catchUp';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { WholeLog } from './wholeLog';

export interface ContextSources {
  meter: ContextMeter;
  catalog: Pick<ModelCatalog, 'state' | 'loaded'>;
  log: Pick<DatabaseService['log'], 'read'>;
  logger: Logger;
  /** Returns what the view shows. */
  front(): { sessionId: string | null; mode: ChatMode };
}

/** Tells the view how full the window of the session in front is, as often as `refresh` is called, one answer at a time. */
export class ContextFeed implements Disposable {
  private readonly catchUp = new CatchUp(() => this.work());
  private readonly log: WholeLog;
  private opening: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly sources: ContextSources,
    private readonly view: ViewPort,
  ) {
    this.log = new WholeLog(sources.log);
  }

  /** Waits with all reading until what a person waits for has ended, well or not. */
  giveWayTo(opening: Promise<unknown>): void {
    this.opening = opening.catch(() => undefined);
  }

  refresh(): void {
    this.catchUp.ask();
  }

  dispose(): void {
    this.catchUp.dispose();
  }

  private async work(): Promise<void> {
    try {
      const use = await this.use();
      // Something else may be in front by now; then the next round tells it.
      if (this.catchUp.isCurrent) this.view.emit('context', use);
    } catch (error) {
      this.sources.logger.error('Could not tell how full the context window is', error);
    }
  }

  private async use() {
    for (let ended; ended !== this.opening;) {
      ended = this.opening;
      await ended;
    }
    const { meter, catalog } = this.sources;
    const { sessionId, mode } = this.sources.front();
    const model = (await catalog.state()).selected[mode] ?? null;
    if (model === null) return null;
    const entries = sessionId === null ? [] : await this.log.of(sessionId);
    return meter.use({ sessionId, mode, model, entries, loaded: (name) => catalog.loaded(name) });
  }
}
