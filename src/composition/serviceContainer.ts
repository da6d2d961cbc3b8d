import * as vscode from 'vscode';
import type { SessionController } from '../agent/loop/sessionController';
import type { Chat } from './chat';
import type { Completions } from './completions';
import type { LocalApi } from './localApi';
import type { WindowServices } from './contribution';
import { contributions } from './contributions';
import { Settings, type InvalidSetting } from '../config/settings';
import { openStorage, type OpenedStorage } from './openedStorage';
import type { ModelTested } from '../protocol/requests/completionRequests';
import type { ImportFiles } from '../services/import/sessionImporter';
import { storageDirectory } from '../services/database/sqlite/storagePath';
import { hasUnfinished } from '../services/database/sessions/unfinishedOperations';
import type { ServerServices } from '../services/model/connection/serverServices';
import { StorageGate } from '../services/database/storageGate';
import type { StoredServices } from './storedServices';
import { systemClock } from '../utils/clock';
import { DisposableStore } from '../utils/disposable';
import { Emitter } from '../utils/emitter';
import { ChatViewProvider } from '../views/chatView';
import { ServerAnswers } from '../vscode/serverAnswers';
import { editorSettings, offeredSettings, onDidChangeSettings } from '../vscode/settingsSource';

/**
 * Builds all services in order and disposes them in reverse order. `contributions` lists the features.
 * Only services that need the database wait for it. Server and chat services load on first use.
 */
export class ServiceContainer implements WindowServices {
  private readonly store = new DisposableStore();
  readonly logger = this.store.add(vscode.window.createOutputChannel('Ollama Copilot', { log: true }));
  readonly servers: ServerAnswers;
  readonly settings: Settings;
  readonly isDemo = process.env['OLLAMA_COPILOT_DEMO'] === '1';
  /** Disposed after the storage, because runs that use the storage need these services until they end. */
  private readonly loaded = this.store.add(new DisposableStore());
  readonly storage: StorageGate<OpenedStorage>;
  readonly view: ChatViewProvider;
  loadedServer: ServerServices | undefined;
  private readonly serverLoaded = new Emitter<ServerServices>((error) => this.reportListener(error));
  readonly onDidLoadServer = this.serverLoaded.event;
  private readonly sessionsStarted = new Emitter<StoredServices>((error) => this.reportListener(error));
  readonly onDidStartSessions = this.sessionsStarted.event;
  private readonly completionsLoaded = new Emitter<Completions>((error) => this.reportListener(error));
  readonly onDidLoadCompletions = this.completionsLoaded.event;
  private readonly modelTested = new Emitter<ModelTested>((error) => this.reportListener(error));
  private loadingChat: Promise<Chat> | undefined;
  private loadingApi: Promise<LocalApi> | undefined;
  private loadingServer: Promise<ServerServices> | undefined;
  private loadingCompletions: Promise<Completions> | undefined;
  private controller: SessionController | undefined;
  private knownBaseUrl: string;

  constructor(readonly context: vscode.ExtensionContext) {
    const { store, logger } = this;
    this.servers = new ServerAnswers(context.workspaceState, (error) => this.reportListener(error));
    this.settings = new Settings(editorSettings(this.servers), (invalid) => this.reportSetting(invalid));
    this.knownBaseUrl = this.settings.baseUrl;
    this.storage = store.add(this.createStorage());
    const connect = async (...ends: Parameters<Chat['connect']>) => (await this.chat()).connect(...ends);
    this.view = new ChatViewProvider(context.extensionUri, context.workspaceState, connect, logger);
    for (const contribution of contributions) store.add(contribution.start(this));
    store.add(this.storage.onDidChange(({ state }) => state === 'open' && this.storageOpened()));
    store.add(onDidChangeSettings(() => this.settingsChanged()));
    store.add(this.servers.onDidChange(() => this.settingsChanged()));
    this.openStorage();
  }

  /** Returns an event that fires when the settings, the access token or decisions about servers change. */
  private settingsChanges() {
    const changed = new vscode.EventEmitter<void>();
    this.store.add(changed);
    this.store.add(onDidChangeSettings(() => changed.fire()));
    this.store.add(this.context.secrets.onDidChange(() => changed.fire()));
    this.store.add(this.servers.onDidChange(() => changed.fire()));
    return (listener: () => void) => changed.event(listener);
  }

  /** Stops all runs, sets this window's sessions to idle and closes the database. */
  async dispose(): Promise<void> {
    await this.store.dispose();
  }

  private createStorage(): StorageGate<OpenedStorage> {
    const { context, logger } = this;
    return new StorageGate<OpenedStorage>({
      directory: this.folder,
      open: (how) => openStorage(how, () => ({ directory: context.storageUri?.fsPath ?? null, ...this.importing() }), logger),
      clock: systemClock,
      logger,
    });
  }

  /** Returns the files that are needed to import sessions of other programs and earlier versions. */
  private importing(): ImportFiles {
    const { context } = this;
    return {
      workerPath: context.asAbsolutePath('dist/importWorker.js'),
      wasmPath: context.asAbsolutePath('dist/sql-wasm.wasm'),
      lancePath: context.asAbsolutePath('dist/lanceProcess.js'),
    };
  }

  /** Loads once. A failed load is retried on the next call. */
  readonly chat = (): Promise<Chat> => {
    this.loadingChat ??= this.createChat().catch((error: unknown) => {
      this.loadingChat = undefined;
      throw error;
    });
    return this.loadingChat;
  };

  /** Loads once. A failed load is retried on the next call. */
  readonly localApi = (): Promise<LocalApi> => {
    this.loadingApi ??= this.createApi().catch((error: unknown) => {
      this.loadingApi = undefined;
      throw error;
    });
    return this.loadingApi;
  };

  private async createApi(): Promise<LocalApi> {
    const { LocalApi } = await import(/* webpackChunkName: "api" */ './localApi');
    const { chat, settings, logger, folder, context } = this;
    const { version } = context.extension.packageJSON as { version: string };
    return this.loaded.add(new LocalApi({ chat, settings, logger, folder, version }));
  }

  private async createChat(): Promise<Chat> {
    const [{ Chat }, server] = await Promise.all([import(/* webpackChunkName: "chat" */ './chat'), this.server()]);
    const { context, settings, servers, storage, logger } = this;
    const { client, models, arbiter, connection, catalog, actions, token, keptConnections, requests, fit, planner } = server;
    return new Chat({
      workerPath: context.asAbsolutePath('dist/databaseWorker.js'),
      searchWorkerPath: context.asAbsolutePath('dist/searchWorker.js'),
      codebaseWorkerPath: context.asAbsolutePath('dist/codebaseWorker.js'),
      checkpointWorkerPath: context.asAbsolutePath('dist/checkpointWorker.js'),
      importing: this.importing(),
      client,
      models,
      arbiter,
      connection,
      catalog,
      actions,
      token,
      keptConnections,
      requests,
      fit,
      planner,
      settings,
      servers,
      storage,
      logger,
      clock: systemClock,
      completions: this.completions,
      onDidTestModel: this.modelTested.event,
      memento: context.workspaceState,
      secrets: context.secrets,
      extensionUri: context.extensionUri,
      folder: this.folder,
      isOffered: offeredSettings(context.extension.packageJSON),
      onDidChangeSettings: this.settingsChanges(),
      onProblem: (userMessage) => this.view.tell(userMessage),
      onStarted: (services) => this.followRuns(services, server),
    });
  }

  /** Loads once. A failed load is retried on the next call. */
  readonly server = (): Promise<ServerServices> => {
    this.loadingServer ??= this.createServer().catch((error: unknown) => {
      this.loadingServer = undefined;
      throw error;
    });
    return this.loadingServer;
  };

  private async createServer(): Promise<ServerServices> {
    const { ServerServices } = await import(/* webpackChunkName: "chat" */ '../services/model/connection/serverServices');
    const { context, settings, storage, isDemo, logger } = this;
    const { folder } = this;
    const around = { settings, folder, secrets: context.secrets, storage, isDemo, clock: systemClock, logger };
    const server = this.loaded.add(new ServerServices(around));
    this.loadedServer = server;
    this.serverLoaded.fire(server);
    return server;
  }

  /** Loads once. A failed load is retried on the next call. */
  readonly completions = (): Promise<Completions> => {
    this.loadingCompletions ??= this.createCompletions().catch((error: unknown) => {
      this.loadingCompletions = undefined;
      throw error;
    });
    return this.loadingCompletions;
  };

  private async createCompletions(): Promise<Completions> {
    const load = import(/* webpackChunkName: "completions" */ './completions');
    const stores = import(/* webpackChunkName: "completions" */ './completionStores');
    const [{ Completions }, { completionStores }, server] = await Promise.all([load, stores, this.server()]);
    const { settings, storage, logger } = this;
    const completions = new Completions({ server, settings, stores: completionStores(storage), clock: systemClock, logger });
    completions.models.onDidTest((tested) => this.modelTested.fire(tested));
    this.completionsLoaded.fire(this.loaded.add(completions));
    return completions;
  }

  /** Returns the configured storage root. */
  readonly folder = (): string =>
    storageDirectory({
      setting: this.settings.storagePath,
      globalStorage: this.context.globalStorageUri.fsPath,
      firstFolderUri: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? null,
    });

  /** Starts to open the storage. The storage state reports the outcome. */
  private openStorage(): void {
    this.storage.open().catch(() => undefined);
  }

  private storageOpened(): void {
    const reloaded = this.loadedServer?.models.reload() ?? Promise.resolve();
    reloaded
      .catch((error: unknown) => this.logger.warn('Could not read the stored models', error))
      .then(() => this.recover())
      .catch((error: unknown) => this.logger.error('What was interrupted could not be finished', error));
  }

  /** Finishes interrupted work. Loads its services only if there is such work. */
  private async recover(): Promise<void> {
    const opened = this.storage.current;
    if (opened === undefined || opened.readOnlyBecause !== null || !(await hasUnfinished(opened.connection))) return;
    const chat = await this.chat();
    for (const found of await Promise.allSettled([chat.recoverUndos(), chat.recoverRestores()]))
      if (found.status === 'rejected') this.logger.error('What was interrupted could not be finished', found.reason);
  }

  private followRuns(services: StoredServices, { catalog, connection }: ServerServices): void {
    const { controller, exams } = services;
    this.controller = controller;
    controller.onDidChangeRunState(({ activity }) => {
      if (activity?.kind === 'answering') void catalog.refreshLoaded();
      // If the server behind a proxy has stopped, show this before the run gives up.
      if (activity?.kind === 'retrying') void connection.check();
    });
    exams.onDidChange((progress) => void catalog.showExam(progress));
    this.sessionsStarted.fire(services);
  }

  private settingsChanged(): void {
    const { baseUrl } = this.settings;
    if (baseUrl !== this.knownBaseUrl) this.checkConnection();
    this.knownBaseUrl = baseUrl;
    void this.loadedServer?.catalog.announce();
    this.loadedServer?.settingsChanged();
    this.controller?.settingsChanged();
    const { state, problem } = this.storage.state;
    if (state === 'unavailable' && problem?.folder !== this.folder()) this.openStorage();
  }

  private checkConnection(): void {
    this.server()
      .then(({ connection }) => connection.check())
      .catch((error: unknown) => this.logger.error('The server could not be asked', error));
  }

  private reportListener(error: unknown): void {
    this.logger.error('A listener failed', error);
  }

  private reportSetting({ code, setting, problem }: InvalidSetting): void {
    this.logger.warn(`Invalid setting ${setting} (${code}): ${problem}`);
    const open = vscode.l10n.t('Open Settings');
    const text = vscode.l10n.t(
      'The setting {0} has an invalid value, so its default is used. Correct the value in the settings.',
      setting,
    );
    void vscode.window.showWarningMessage(text, open).then((choice) => {
      if (choice === open) void vscode.commands.executeCommand('workbench.action.openSettings', setting);
    });
  }
}
