import { Settings } from '../../../../src/config/settings';
import { ModelActions } from '../../../../src/services/model/catalogue/modelActions';
import { ModelCatalog } from '../../../../src/services/model/catalogue/modelCatalog';
import { ModelManager } from '../../../../src/services/model/catalogue/modelManager';
import { OllamaClient } from '../../../../src/services/model/client/ollamaClient';
import { FigureKeeper } from '../../../../src/services/model/fit/figureKeeper';
import { FitTasks } from '../../../../src/services/model/fit/fitTasks';
import { MemoryPlanner } from '../../../../src/services/model/fit/memoryPlanner';
import { ServerArbiter } from '../../../../src/services/model/serverArbiter';
import type { ModelFigures } from '../../../../src/types/modelFigures';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { MemoryModelStore } from './memoryModelStore';

/** Services that measure the models on a server. The figures are kept in memory. */
export class FitBench {
  readonly settings: Record<string, unknown> = {};
  /** Context window of every model, in tokens. */
  window = 16_384;
  /** Context windows that were set for a model. */
  readonly own: (number | null)[] = [];
  readonly arbiter = new ServerArbiter();
  readonly client: OllamaClient;
  readonly models: ModelManager;
  readonly figures: FigureKeeper;
  readonly catalog: ModelCatalog;
  readonly actions: ModelActions;
  readonly fit: FitTasks;
  readonly planner: MemoryPlanner;
  private readonly notes: Promise<void>[] = [];

  constructor(baseUrl: string) {
    const common = { clock: systemClock, logger: silentLogger };
    const settings = new Settings({ get: (key) => (key === 'baseUrl' ? baseUrl : this.settings[key]) }, () => undefined);
    const client = (this.client = new OllamaClient({
      baseUrl: () => baseUrl,
      token: () => Promise.resolve(undefined),
      ...common,
    }));
    const models = (this.models = new ModelManager(client, new MemoryModelStore(), systemClock, silentLogger));
    const store = { all: () => Promise.resolve(new Map<string, ModelFigures>()), keep: () => Promise.resolve() };
    const figures = (this.figures = new FigureKeeper(store, models, () => 'here', silentLogger));
    const catalog = (this.catalog = new ModelCatalog(models, settings, systemClock, silentLogger, () => true, figures));
    client.onDidExchange((exchange) => this.notes.push(figures.note(exchange, catalog.loadedModels)));
    const actions = (this.actions = new ModelActions(client, () => catalog.refresh(), systemClock, silentLogger));
    const windows = { tokensFor: () => Promise.resolve(this.window) };
    const ownWindows = { keepOwnWindow: (_digest: string, tokens: number | null) => Promise.resolve(void this.own.push(tokens)) };
    const services = { client, models, catalog, actions, figures, windows, settings, logger: silentLogger };
    this.fit = new FitTasks({ ...services, arbiter: this.arbiter, ownWindows });
    this.planner = new MemoryPlanner(services);
  }

  /** Returns the figures that were measured for a model. */
  async measured(name: string): Promise<ModelFigures> {
    await Promise.all(this.notes);
    return this.figures.readFigures(await this.models.get(name));
  }

  stop(): void {
    this.fit.dispose();
    this.actions.dispose();
    this.figures.dispose();
    this.catalog.dispose();
    this.client.dispose();
  }
}
