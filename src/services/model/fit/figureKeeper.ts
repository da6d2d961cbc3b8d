import { noFigures, type ModelFigures } from '../../../types/modelFigures';
import type { ModelList } from '../../../types/model';
import type { ModelExchange } from '../../../types/modelExchange';
import { findModel, modelKey } from '../../../types/modelNames';
import type { RunningModel } from '../../../types/ollama';
import type { Disposable } from '../../../utils/disposable';
import { Emitter, type Event } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import { figuresFrom } from './exchangeFigures';

/** Persistent store of figures. `all` resolves with null while the storage is not open. */
export interface FigureStore {
  all(machine: string): Promise<ReadonlyMap<string, ModelFigures> | null>;
  keep(machine: string, digest: string, figures: ModelFigures): Promise<void>;
}

/** Stores measured figures of each model, by digest and machine. Measures responses as they arrive and never sends a request. */
export class FigureKeeper implements Disposable {
  private readonly emitter: Emitter<void>;
  private readonly known = new Map<string, Map<string, ModelFigures>>();
  private readonly read = new Set<string>();
  /** Servers that have reported the number of tokens from their cache. */
  private readonly countsCache = new Set<string>();

  constructor(
    private readonly store: FigureStore,
    private readonly models: { list(): Promise<ModelList> },
    /** Returns the name of the machine on which the server runs. */
    private readonly machine: () => string,
    private readonly logger: Logger,
  ) {
    this.emitter = new Emitter((error) => logger.error('A listener of the figures failed', error));
  }

  get onDidChange(): Event<void> {
    return this.emitter.event;
  }

  /** Returns the figures by digest. */
  async all(): Promise<ReadonlyMap<string, ModelFigures>> {
    const machine = this.machine();
    const known = this.of(machine);
    if (this.read.has(machine)) return known;
    try {
      const stored = await this.store.all(machine);
      // While the storage is not open, the next call reads again.
      if (stored !== null) this.read.add(machine);
      for (const [digest, figures] of stored ?? []) if (!known.has(digest)) known.set(digest, figures);
    } catch (error) {
      this.logger.error('Could not read the figures of the models', error);
    }
    return known;
  }

  async readFigures(model: { name: string; digest: string }): Promise<ModelFigures> {
    return (await this.all()).get(modelKey(model)) ?? noFigures;
  }

  /** Stores new figures of a model. Figures that cannot be stored stay in memory until the window closes. */
  async update(model: { name: string; digest: string }, change: Partial<ModelFigures>): Promise<void> {
    const machine = this.machine();
    await this.all();
    // Do not await between here and `set`, because another change would be lost.
    const known = this.of(machine);
    const before = known.get(modelKey(model)) ?? noFigures;
    const figures = { ...before, ...change };
    if (JSON.stringify(figures) === JSON.stringify(before)) return;
    known.set(modelKey(model), figures);
    this.emitter.fire();
    try {
      await this.store.keep(machine, modelKey(model), figures);
    } catch (error) {
      this.logger.error('Could not store the figures of a model', error);
    }
  }

  /** Records the figures of a response or a load. `running` are the models that were loaded before the request. */
  async note(exchange: ModelExchange, running: readonly RunningModel[]): Promise<void> {
    const model = findModel((await this.models.list()).models, exchange.model);
    if (model === undefined) return;
    if (exchange.metrics?.prompt_eval_cached_count !== undefined) this.countsCache.add(exchange.address);
    const countsCache = this.countsCache.has(exchange.address);
    const loaded = findModel(running, model.name);
    const change = figuresFrom(exchange, await this.readFigures(model), { loaded, countsCache });
    if (change !== null) await this.update(model, change);
  }

  /** Records the memory use of loaded models, as reported by the server. */
  async noteMemory(running: readonly RunningModel[]): Promise<void> {
    for (const model of running) {
      const { size, size_vram: vram, context_length: window } = model;
      if (size > 0 && window !== undefined) await this.update(model, { memory: { size, vram, window } });
    }
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private of(machine: string): Map<string, ModelFigures> {
    const known = this.known.get(machine) ?? new Map<string, ModelFigures>();
    this.known.set(machine, known);
    return known;
  }
}
