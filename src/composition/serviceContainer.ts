import * as vscode from 'vscode';
import type { SessionController } from '../agent/loop/sessionController';
import type { Chat } from './chat';
import { Settings, type InvalidSetting } from '../config/settings';
import { openStorage, type OpenedStorage } from './openedStorage';
import type { LogEvent, ModelsState, StorageState } from '../protocol/webviewEvents';
import type { ImportFiles } from '../services/import/sessionImporter';
import { storageDirectory } from '../services/database/sqlite/storagePath';
import { hasUnfinished } from '../services/database/sessions/unfinishedOperations';
import { modelsState } from '../services/model/modelSelection';
import type { ServerServices } from '../services/model/connection/serverServices';
import { StorageGate } from '../services/database/storageGate';
import { unaskedConnection } from '../services/model/unaskedConnection';
import type { StoredServices } from './storedServices';
import { systemClock } from '../utils/clock';
import { DisposableStore } from '../utils/disposable';
import { ChatViewProvider } from '../views/chatView';
import { currentMode } from '../views/front';
import { showFirstLook } from '../vscode/firstLook';
import { commandNames, registerCommands, type CommandName } from '../vscode/commands/register';
import { onDidChangeSettings, settingsSource } from '../vscode/settingsSource';
import { snapshotScheme } from '../vscode/review/snapshotScheme';
import { StatusBar } from '../vscode/statusBar';

/**
 * The one place where services meet: built in order, disposed in reverse. Only what needs the database waits for it, and what talks
 * to the server or is part of a conversation is loaded when somebody wants to.
 */
export class ServiceContainer {
  private readonly store = new DisposableStore();
  private readonly logger: vscode.LogOutputChannel;
  private readonly settings: Settings;
  private readonly isDemo = process.env['OLLAMA_COPILOT_DEMO'] === '1';
  /** Outlives the storage, whose runs need it until they have ended. */
  private readonly loaded = new DisposableStore();
  private readonly storage: StorageGate<OpenedStorage>;
  private readonly view: ChatViewProvider;
  private chat: Promise<Chat> | undefined;
  private loadingServer: Promise<ServerServices> | undefined;
  private server: ServerServices | undefined;
  private controller: SessionController | undefined;
  private knownBaseUrl: string;
  /** The storage problem a person was last told of, by its code. */
  private toldProblem: string | null = null;
  private readonly running = new Set<string>();
  private readonly statusBar = this.store.add(new StatusBar());

  constructor(private readonly context: vscode.ExtensionContext) {
    const { store } = this;
    const logger = (this.logger = store.add(vscode.window.createOutputChannel('Ollama Copilot', { log: true })));
    const settings = (this.settings = new Settings(settingsSource, (invalid) => this.reportSetting(invalid)));
    this.knownBaseUrl = settings.baseUrl;
    store.add(this.loaded);
    const storage = (this.storage = store.add(this.createStorage()));
    const connect = async (...ends: Parameters<Chat['connect']>) => (await this.loadChat()).connect(...ends);
    const text = async (uri: vscode.Uri) => (await this.loadChat()).documents.textOf(uri);
    this.view = new ChatViewProvider(context.extensionUri, connect, logger);
    store.add(vscode.window.registerWebviewViewProvider(ChatViewProvider.viewId, this.view));
    store.add(vscode.workspace.registerTextDocumentContentProvider(snapshotScheme, { provideTextDocumentContent: text }));
    store.add(this.registerCommands());
    void this.updateStatus();
    store.add(storage.onDidChange((state) => this.storageChanged(state)));
    store.add(onDidChangeSettings(() => this.settingsChanged()));
    this.openStorage();
    showFirstLook(context.workspaceState, () => this.view.reveal('focusComposer', {})).catch((error: unknown) =>
      logger.warn('The first look could not be shown', error),
    );
  }

  /** Of the settings, and of the bearer token. */
  private settingsChanges() {
    const changed = new vscode.EventEmitter<void>();
    this.store.add(changed);
    this.store.add(onDidChangeSettings(() => changed.fire()));
    this.store.add(this.context.secrets.onDidChange(() => changed.fire()));
    return (listener: () => void) => changed.event(listener);
  }

  /** Ends every run, sets this window's sessions to idle, closes the database. */
  async dispose(): Promise<void> {
    await this.store.dispose();
  }

  private createStorage(): StorageGate<OpenedStorage> {
    const { context, logger } = this;
    return new StorageGate<OpenedStorage>({
      directory: () => this.directory(),
      open: (how) => openStorage(how, () => ({ directory: context.storageUri?.fsPath ?? null, ...this.importing() }), logger),
      clock: systemClock,
      logger,
    });
  }

  /** What reads the sessions of other programs and of earlier versions. */
  private importing(): ImportFiles {
    const { context } = this;
    return { workerPath: context.asAbsolutePath('dist/importWorker.js'), wasmPath: context.asAbsolutePath('dist/sql-wasm.wasm') };
  }

  /** Once; a failure is tried again with the next call. */
  private loadChat(): Promise<Chat> {
    this.chat ??= this.createChat().catch((error: unknown) => {
      this.chat = undefined;
      throw error;
    });
    return this.chat;
  }

  private async createChat(): Promise<Chat> {
    const [{ Chat }, server] = await Promise.all([import(/* webpackChunkName: "chat" */ './chat'), this.loadServer()]);
    const { context, settings, storage, logger } = this;
    const { client, models, connection, catalog, actions, token } = server;
    return new Chat({
      workerPath: context.asAbsolutePath('dist/databaseWorker.js'),
      searchWorkerPath: context.asAbsolutePath('dist/searchWorker.js'),
      checkpointWorkerPath: context.asAbsolutePath('dist/checkpointWorker.js'),
      importing: this.importing(),
      ...{ client, models, connection, catalog, actions, token, settings, storage, logger },
      clock: systemClock,
      memento: context.workspaceState,
      folder: () => this.directory(),
      onDidChangeSettings: this.settingsChanges(),
      onProblem: (userMessage) => this.view.tell(userMessage),
      onStarted: (services) => this.followRuns(services, server),
    });
  }

  /** Once; a failure is tried again with the next call. */
  private loadServer(): Promise<ServerServices> {
    this.loadingServer ??= this.createServer().catch((error: unknown) => {
      this.loadingServer = undefined;
      throw error;
    });
    return this.loadingServer;
  }

  private async createServer(): Promise<ServerServices> {
    const { ServerServices } = await import(/* webpackChunkName: "chat" */ '../services/model/connection/serverServices');
    const { context, settings, storage, isDemo, logger } = this;
    const around = { settings, secrets: context.secrets, storage, isDemo, clock: systemClock, logger };
    const server = this.loaded.add(new ServerServices(around));
    this.loaded.add(server.connection.onDidChange(() => void this.updateStatus()));
    this.loaded.add(server.catalog.onDidChange(() => void this.updateStatus()));
    this.server = server;
    return server;
  }

  private directory(): string {
    return storageDirectory({
      setting: this.settings.storagePath,
      globalStorage: this.context.globalStorageUri.fsPath,
      firstFolderUri: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? null,
    });
  }

  /** The state says how it went. */
  private openStorage(): void {
    this.storage.open().catch(() => undefined);
  }

  private storageChanged({ state, problem }: StorageState): void {
    if (state === 'open') this.storageOpened(problem === null ? null : problem.code);
    if (state !== 'opening' && problem !== null && problem.code !== this.toldProblem) {
      this.toldProblem = problem.code;
      void this.view.tellStorageProblem(problem.message);
    }
  }

  private storageOpened(problem: string | null): void {
    if (problem === null) this.toldProblem = null;
    this.running.clear();
    const shown = this.server === undefined ? this.updateStatus() : this.server.models.reload();
    shown
      .catch((error: unknown) => this.logger.warn('Could not read the stored models', error))
      .then(() => this.recover())
      .catch((error: unknown) => this.logger.error('What was interrupted could not be finished', error));
  }

  /** What was cut off in the middle is finished; the parts for it are loaded only where there is any. */
  private async recover(): Promise<void> {
    const opened = this.storage.current;
    if (opened === undefined || opened.readOnlyBecause !== null || !(await hasUnfinished(opened.connection))) return;
    const chat = await this.loadChat();
    for (const found of await Promise.allSettled([chat.recoverUndos(), chat.recoverRestores()]))
      if (found.status === 'rejected') this.logger.error('What was interrupted could not be finished', found.reason);
  }

  private followRuns({ database, controller }: StoredServices, { catalog, connection }: ServerServices): void {
    this.controller = controller;
    controller.onDidChangeRunState(({ sessionId, state, activity }) => {
      if (activity?.kind === 'answering') void catalog.refreshLoaded();
      const before = this.running.size;
      if (state === 'running' || state === 'queued') this.running.add(sessionId);
      else this.running.delete(sessionId);
      if (this.running.size !== before) void this.updateStatus();
    });
    database.log.onDidChange((event) => failedToConnect(event) && void connection.check());
  }

  /** By their names alone; what they do is loaded with the first of them. */
  private registerCommands(): vscode.Disposable {
    const { view, storage, logger } = this;
    const load = async () => {
      const { commands } = await import(/* webpackChunkName: "commands" */ './commands');
      return commands({
        ...{ view, storage, logger },
        chat: () => this.loadChat(),
        server: () => this.loadServer(),
        baseUrl: () => this.settings.baseUrl,
        mode: () => currentMode(this.context.workspaceState),
        folder: () => this.directory(),
        extensionId: this.context.extension.id,
      });
    };
    const later =
      (name: CommandName) =>
      async (...args: unknown[]) =>
        (await load())[name](...args);
    return registerCommands(Object.fromEntries(commandNames.map((name) => [name, later(name)])), logger);
  }

  private async updateStatus(): Promise<void> {
    try {
      await this.showStatus();
    } catch (error) {
      this.logger.error('Could not show the status', error);
    }
  }

  private async showStatus(): Promise<void> {
    const models = await (this.server?.catalog.state() ?? this.rememberedModels());
    const { server, running } = this;
    this.statusBar.update({
      ...{ mode: currentMode(this.context.workspaceState), models, runs: running.size },
      connection: server?.connection.state ?? unaskedConnection(this.settings.baseUrl, this.isDemo),
      ...{ latency: server?.connection.latency ?? null, inMemory: server?.catalog.inMemory ?? [] },
    });
  }

  /** As a window last saw them. */
  private async rememberedModels(): Promise<ModelsState> {
    const stored = await this.storage.current?.models.load();
    return modelsState({ models: [], fetchedAt: null, ...stored, stale: true }, new Map(), this.settings);
  }

  private settingsChanged(): void {
    const { baseUrl } = this.settings;
    if (baseUrl !== this.knownBaseUrl) this.checkConnection();
    this.knownBaseUrl = baseUrl;
    if (this.server === undefined) void this.updateStatus();
    else void this.server.catalog.announce();
    this.controller?.settingsChanged();
    const { state, problem } = this.storage.state;
    if (state === 'unavailable' && problem?.folder !== this.directory()) this.openStorage();
  }

  private checkConnection(): void {
    this.loadServer()
      .then(({ connection }) => connection.check())
      .catch((error: unknown) => this.logger.error('The server could not be asked', error));
  }

  private reportSetting({ code, setting, problem }: InvalidSetting): void {
    this.logger.warn(`Invalid setting ${setting} (${code}): ${problem}`);
    const open = vscode.l10n.t('Open Settings');
    const text = vscode.l10n.t(
      'The setting {0} has a value that cannot be used, so its default is. Correct it in the settings.',
      setting,
    );
    void vscode.window.showWarningMessage(text, open).then((choice) => {
      if (choice === open) void vscode.commands.executeCommand('workbench.action.openSettings', setting);
    });
  }
}

function failedToConnect(event: LogEvent): boolean {
  return event.kind === 'entry' && event.entry.type === 'error' && event.entry.data.code === 'connection';
}
