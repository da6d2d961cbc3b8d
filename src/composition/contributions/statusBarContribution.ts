import type { ModelsState } from '../../protocol/webviewEvents';
import { modelsState } from '../../services/model/modelSelection';
import { initialConnection } from '../../services/model/initialConnection';
import { isAtWork } from '../../types/runState';
import { DisposableStore } from '../../utils/disposable';
import { currentMode } from '../../views/activeSession';
import { onDidChangeSettings } from '../../vscode/settingsSource';
import { StatusBar } from '../../vscode/statusBar';
import type { Contribution, WindowServices } from '../contribution';

export const statusBarContribution: Contribution = {
  name: 'status bar',
  start: (services) => new WindowStatus(services),
};

class WindowStatus extends DisposableStore {
  /** Sessions that are running or queued. */
  private readonly running = new Set<string>();
  private readonly bar = this.add(new StatusBar());

  constructor(private readonly services: WindowServices) {
    super();
    void this.update();
    this.add(
      services.storage.onDidChange(({ state }) => {
        if (state !== 'open') return;
        this.running.clear();
        if (services.loadedServer === undefined) void this.update();
      }),
    );
    this.add(
      onDidChangeSettings(() => {
        if (services.loadedServer === undefined) void this.update();
      }),
    );
    this.add(
      services.onDidLoadServer(({ connection, catalog }) => {
        this.add(connection.onDidChange(() => void this.update()));
        this.add(catalog.onDidChange(() => void this.update()));
      }),
    );
    this.add(
      services.onDidStartSessions(({ controller }) => {
        this.add(
          controller.onDidChangeRunState(({ sessionId, state }) => {
            const before = this.running.size;
            if (isAtWork(state)) this.running.add(sessionId);
            else this.running.delete(sessionId);
            if (this.running.size !== before) void this.update();
          }),
        );
      }),
    );
  }

  private async update(): Promise<void> {
    const { context, settings, logger, isDemo, loadedServer: server } = this.services;
    try {
      const models = await (server?.catalog.state() ?? this.rememberedModels());
      this.bar.update({
        mode: currentMode(context.workspaceState),
        models,
        runs: this.running.size,
        connection: server?.connection.state ?? initialConnection(settings.baseUrl, isDemo),
        latency: server?.connection.latency ?? null,
        inMemory: server?.catalog.loadedModels ?? [],
      });
    } catch (error) {
      logger.error('Could not show the status', error);
    }
  }

  /** Reads the models that were stored by the last window. */
  private async rememberedModels(): Promise<ModelsState> {
    const { storage, settings } = this.services;
    const stored = await storage.current?.models.load();
    return modelsState({ models: [], fetchedAt: null, ...stored, stale: true }, new Map(), settings);
  }
}
