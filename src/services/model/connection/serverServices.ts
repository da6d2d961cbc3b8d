import type { Settings } from '../../../config/settings';
import type { Clock } from '../../../utils/clock';
import { DisposableStore } from '../../../utils/disposable';
import type { Logger } from '../../../utils/logger';
import { ConnectionMonitor } from './connectionMonitor';
import { ModelActions } from '../catalogue/modelActions';
import { ModelManager } from '../catalogue/modelManager';
import { OllamaClient } from '../client/ollamaClient';
import { parseServerAddress } from '../client/serverAddress';
import { ModelCatalog } from '../catalogue/modelCatalog';
import { StoredModels } from '../catalogue/storedModels';
import { ServerArbiter } from '../serverArbiter';
import { TokenManager, type SecretStore } from './tokenManager';

export interface ServerSurroundings {
  settings: Settings;
  secrets: SecretStore;
  storage: ConstructorParameters<typeof StoredModels>[0];
  isDemo: boolean;
  clock: Clock;
  logger: Logger;
}

/** Holds the services that concern the server. They are loaded on first use, so that a window starts without them. */
export class ServerServices extends DisposableStore {
  readonly tokens: TokenManager;
  readonly client: OllamaClient;
  readonly arbiter = new ServerArbiter();
  readonly models: ModelManager;
  readonly connection: ConnectionMonitor;
  readonly catalog: ModelCatalog;
  readonly actions: ModelActions;
  /** The bearer token of the configured server. */
  readonly token: { isSet(): Promise<boolean>; remove(): Promise<void> };

  constructor({ settings, secrets, storage, isDemo, clock, logger }: ServerSurroundings) {
    super();
    const baseUrl = () => settings.baseUrl;
    const tokens = (this.tokens = new TokenManager(secrets));
    const token = (origin: string) => tokens.tokenFor(origin);
    const client = (this.client = this.add(new OllamaClient({ baseUrl, token, clock, logger })));
    const models = (this.models = this.add(new ModelManager(client, new StoredModels(storage), clock, logger, baseUrl)));
    const connection = (this.connection = this.add(new ConnectionMonitor(client, baseUrl, isDemo, clock, logger, token)));
    const isConnected = () => connection.state.state === 'connected';
    const catalog = (this.catalog = this.add(new ModelCatalog(models, settings, clock, logger, isConnected)));
    this.actions = this.add(new ModelActions(client, () => catalog.refresh(), clock, logger));
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

  private refreshModels(logger: Logger): void {
    this.catalog.refresh().catch((error: unknown) => logger.warn('Could not refresh the models', error));
  }
}
