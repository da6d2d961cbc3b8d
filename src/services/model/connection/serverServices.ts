import type { Settings } from '../../../config/settings';
import type { Clock } from '../../../utils/clock';
import { DisposableStore } from '../../../utils/disposable';
import type { Logger } from '../../../utils/logger';
import { ConnectionMonitor } from './connectionMonitor';
import { ModelActions } from '../catalogue/modelActions';
import { ModelManager } from '../catalogue/modelManager';
import { KeptRequests } from '../client/keptRequests';
import { OllamaClient } from '../client/ollamaClient';
import { parseServerAddress } from '../client/serverAddress';
import { ModelCatalog } from '../catalogue/modelCatalog';
import { StoredModels } from '../catalogue/storedModels';
import { ContextWindows } from '../context/contextWindows';
import { StoredWindows } from '../context/storedWindows';
import { ConnectionFiles } from '../../network/connectionFiles';
import { network } from '../../network/network';
import { FigureKeeper } from '../fit/figureKeeper';
import { FitTasks } from '../fit/fitTasks';
import { machineName } from '../fit/machine';
import { MemoryPlanner } from '../fit/memoryPlanner';
import { StoredFigures } from '../fit/storedFigures';
import { ServerArbiter } from '../serverArbiter';
import { TokenManager, type TokenStore } from './tokenManager';

export interface ServerServicesDeps {
  settings: Settings;
  /** Returns the configured storage folder. */
  folder: () => string;
  secrets: TokenStore;
  storage: ConstructorParameters<typeof StoredModels>[0] &
    ConstructorParameters<typeof StoredFigures>[0] &
    ConstructorParameters<typeof StoredWindows>[0];
  isDemo: boolean;
  clock: Clock;
  logger: Logger;
}

/** Services for the Ollama server. They load on first use, so that the window starts fast. */
export class ServerServices extends DisposableStore {
  readonly keptConnections: ConnectionFiles;
  readonly tokens: TokenManager;
  readonly client: OllamaClient;
  readonly requests: KeptRequests;
  readonly arbiter = new ServerArbiter();
  readonly models: ModelManager;
  readonly connection: ConnectionMonitor;
  readonly catalog: ModelCatalog;
  readonly figures: FigureKeeper;
  readonly actions: ModelActions;
  readonly fit: FitTasks;
  readonly planner: MemoryPlanner;
  readonly token: { isSet(): Promise<boolean>; remove(): Promise<void> };

  constructor({ settings, folder, secrets, storage, isDemo, clock, logger }: ServerServicesDeps) {
    super();
    // Set the limits first, because every other service that opens connections is created from this class.
    network.limits = () => settings.getPrivacyConfig();
    const isKept = () => settings.getPrivacyConfig().keepsConnections;
    this.keptConnections = this.add(new ConnectionFiles(network.ledger, { folder, isKept, clock, logger }));
    const baseUrl = () => settings.baseUrl;
    const tokens = (this.tokens = new TokenManager(secrets));
    const token = (origin: string) => tokens.tokenFor(origin);
    const client = (this.client = this.add(new OllamaClient({ baseUrl, token, clock, logger })));
    this.requests = this.add(new KeptRequests(client.onDidExchange, () => settings.getPrivacyConfig().keptRequests));
    const models = (this.models = this.add(new ModelManager(client, new StoredModels(storage), clock, logger, baseUrl)));
    const connection = (this.connection = this.add(new ConnectionMonitor(client, baseUrl, isDemo, clock, logger, token)));
    const isConnected = () => connection.state.state === 'connected';
    // Check immediately after a lost connection, so that the interface shows the server as unreachable without delay.
    this.add(client.onDidLoseConnection(() => connection.state.state !== 'unreachable' && void connection.check()));
    const machine = () => machineName(baseUrl());
    const figures = (this.figures = this.add(new FigureKeeper(new StoredFigures(storage), models, machine, logger)));
    const catalog = (this.catalog = this.add(new ModelCatalog(models, settings, clock, logger, isConnected, figures)));
    this.add(client.onDidExchange((exchange) => void figures.note(exchange, catalog.loadedModels)));
    const actions = (this.actions = this.add(new ModelActions(client, () => catalog.refresh(), clock, logger)));
    const ownWindows = new StoredWindows(storage);
    const windows = new ContextWindows(ownWindows, settings, logger);
    const { arbiter } = this;
    this.planner = new MemoryPlanner({ models, catalog, figures, windows, settings, logger });
    this.fit = this.add(
      new FitTasks({ client, models, catalog, actions, figures, arbiter, windows, ownWindows, settings, logger }),
    );
    const origin = () => parseServerAddress(baseUrl()).origin;
    this.token = {
      isSet: async () => ((await tokens.tokenFor(origin())) ?? '') !== '',
      remove: async () => {
        await tokens.setToken(origin(), '');
        await connection.check();
      },
    };
    this.add(connection.onDidChange(({ state }) => state === 'connected' && this.refreshModels(logger)));
  }

  /** Closes connections that are no longer allowed. Starts or stops storing the list of connections on disk. */
  settingsChanged(): void {
    network.enforceLimits();
    this.keptConnections.settingsChanged();
    this.requests.trim();
  }

  private refreshModels(logger: Logger): void {
    this.catalog.refresh().catch((error: unknown) => logger.warn('Could not refresh the models', error));
  }
}
