import * as vscode from 'vscode';
import type { SessionController } from './agent/sessionController';
import type { WorkspacePort } from './agent/ports';
import type { Chat } from './chat';
import { Settings, type InvalidSetting } from './config/settings';
import { openStorage, type OpenedStorage } from './openedStorage';
import type { LogEvent, StorageState } from './protocol/webviewEvents';
import { ConnectionMonitor } from './services/connectionMonitor';
import { hasUnfinished } from './services/database/operations';
import type { ImportFiles } from './services/import/sessionImporter';
import { storageDirectory } from './services/database/storagePath';
import { createOwner } from './services/database/windowOwner';
import { ModelActions } from './services/model/modelActions';
import { ModelManager } from './services/model/modelManager';
import { OllamaClient } from './services/model/ollamaClient';
import { parseServerAddress } from './services/model/serverAddress';
import { ModelCatalog } from './services/modelCatalog';
import { StorageGate } from './services/storageGate';
import { StoredModels } from './services/storedModels';
import { TokenManager } from './services/tokenManager';
import type { StoredServices } from './storedServices';
import { systemClock } from './utils/clock';
import { DisposableStore } from './utils/disposable';
import { ChatViewProvider } from './views/chatView';
import { currentMode } from './views/currentMode';
import { commandNames, registerCommands, type CommandName } from './vscode/commands/register';
import { EditorWorkspace } from './vscode/editorWorkspace';
import { onDidChangeSettings, settingsSource } from './vscode/settingsSource';
import { snapshotScheme } from './vscode/snapshotScheme';
import { StatusBar } from './vscode/statusBar';
import { tellRestores, tellUndos } from './vscode/tellRecovered';

/**
 * The one place where services meet: built in order, disposed in reverse. Only what needs the database waits for it, and what only
 * a conversation needs is loaded with the first one.
 */
export class ServiceContainer {
  private readonly store = new DisposableStore();
  private readonly logger: vscode.LogOutputChannel;
  private readonly settings: Settings;
  private readonly client: OllamaClient;
  private readonly tokens: TokenManager;
  private readonly workspace: WorkspacePort = new EditorWorkspace();
  private readonly models: ModelManager;
  private readonly catalog: ModelCatalog;
  private readonly actions: ModelActions;
  private readonly connection: ConnectionMonitor;
  private readonly storage: StorageGate<OpenedStorage>;
  private readonly view: ChatViewProvider;
  private chat: Promise<Chat> | undefined;
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
    const baseUrl = () => settings.baseUrl;
    this.knownBaseUrl = baseUrl();
    this.tokens = new TokenManager(context.secrets);
    const token = (origin: string) => this.tokens.tokenFor(origin);
    this.client = store.add(new OllamaClient({ baseUrl, token, clock: systemClock, logger }));
    this.storage = this.createStorage();
    this.models = store.add(new ModelManager(this.client, new StoredModels(this.storage), systemClock, logger, baseUrl));
    this.catalog = store.add(
      new ModelCatalog(this.models, settings, systemClock, logger, () => this.connection.state.state === 'connected'),
    );
    this.actions = store.add(new ModelActions(this.client, () => this.catalog.refresh(), systemClock, logger));
    const isDemo = process.env['OLLAMA_COPILOT_DEMO'] === '1';
    this.connection = store.add(new ConnectionMonitor(this.client, baseUrl, isDemo, systemClock, logger, token));
    const { storage, connection } = this;
    // Ends before all of the above: its runs still need them.
    store.add(storage);
    const connect = async (...ends: Parameters<Chat['connect']>) => (await this.loadChat()).connect(...ends);
    const text = async (uri: vscode.Uri) => (await this.loadChat()).documents.textOf(uri);
    this.view = new ChatViewProvider(context.extensionUri, connect, logger);
    store.add(vscode.window.registerWebviewViewProvider(ChatViewProvider.viewId, this.view));
    store.add(vscode.workspace.registerTextDocumentContentProvider(snapshotScheme, { provideTextDocumentContent: text }));
    store.add(this.registerCommands());
    store.add(this.showStatus());
    store.add(connection.onDidChange(({ state }) => state === 'connected' && this.refreshModels()));
    store.add(storage.onDidChange((state) => this.storageChanged(state)));
    store.add(onDidChangeSettings(() => this.settingsChanged()));
    this.openStorage();
  }

  /** What the settings page needs besides the settings. */
  private settingsServices() {
    const changed = new vscode.EventEmitter<void>();
    this.store.add(changed);
    this.store.add(onDidChangeSettings(() => changed.fire()));
    this.store.add(this.context.secrets.onDidChange(() => changed.fire()));
    const origin = () => parseServerAddress(this.settings.baseUrl).origin;
    const token = {
      isSet: async () => ((await this.tokens.tokenFor(origin())) ?? '') !== '',
      remove: async () => {
        await this.tokens.setToken(origin(), '');
        await this.connection.check();
      },
    };
    return { token, onDidChangeSettings: (listener: () => void) => changed.event(listener) };
  }

  /** Ends every run, sets this window's sessions to idle, closes the database. */
  async dispose(): Promise<void> {
    await this.store.dispose();
  }

  private createStorage(): StorageGate<OpenedStorage> {
    const { context, logger } = this;
    return new StorageGate<OpenedStorage>({
      directory: () => this.directory(),
      open: (how) => openStorage(how, { directory: context.storageUri?.fsPath ?? null, ...this.importing() }, logger),
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
    const { Chat } = await import(/* webpackChunkName: "chat" */ './chat');
    const { context, client, models, settings, workspace, storage, connection, catalog, actions, logger } = this;
    return new Chat({
      owner: createOwner(),
      workerPath: context.asAbsolutePath('dist/databaseWorker.js'),
      searchWorkerPath: context.asAbsolutePath('dist/searchWorker.js'),
      checkpointWorkerPath: context.asAbsolutePath('dist/checkpointWorker.js'),
      importing: this.importing(),
      ...{ client, models, settings, workspace, storage, connection, catalog, actions, logger },
      clock: systemClock,
      memento: context.workspaceState,
      folder: () => this.directory(),
      ...this.settingsServices(),
      onProblem: (userMessage) => this.view.tell(userMessage),
      onStarted: (services) => this.followRuns(services),
    });
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
    this.models.reload().catch((error: unknown) => this.logger.warn('Could not read the stored models', error));
    this.recover().catch((error: unknown) => this.logger.error('What was interrupted could not be finished', error));
  }

  /** What was cut off in the middle is finished; the parts for it are loaded only where there is any. */
  private async recover(): Promise<void> {
    const opened = this.storage.current;
    if (opened === undefined || opened.readOnlyBecause !== null || !(await hasUnfinished(opened.connection))) return;
    const chat = await this.loadChat();
    for (const found of await Promise.allSettled([
      chat.recoverUndos().then(tellUndos),
      chat.recoverRestores().then(tellRestores),
    ]))
      if (found.status === 'rejected') this.logger.error('What was interrupted could not be finished', found.reason);
  }

  private followRuns({ database, controller }: StoredServices): void {
    this.controller = controller;
    controller.onDidChangeRunState(({ sessionId, state, activity }) => {
      if (activity?.kind === 'answering') void this.catalog.refreshLoaded();
      const before = this.running.size;
      if (state === 'running' || state === 'queued') this.running.add(sessionId);
      else this.running.delete(sessionId);
      if (this.running.size !== before) this.updateStatus();
    });
    database.log.onDidChange((event) => failedToConnect(event) && void this.connection.check());
  }

  /** By their names alone; what they do is loaded with the first of them. */
  private registerCommands(): vscode.Disposable {
    const { view, storage, catalog, actions, tokens, connection, logger } = this;
    const load = async () => {
      const { commands } = await import(/* webpackChunkName: "commands" */ './commands');
      return commands({
        ...{ view, storage, catalog, actions, tokens, connection, logger },
        chat: () => this.loadChat(),
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

  private showStatus(): DisposableStore {
    const shown = new DisposableStore();
    shown.add(this.connection.onDidChange(() => this.updateStatus()));
    shown.add(this.catalog.onDidChange(() => this.updateStatus()));
    this.updateStatus();
    return shown;
  }

  private updateStatus(): void {
    const { connection, catalog, running } = this;
    catalog
      .state()
      .then((models) =>
        this.statusBar.update({
          ...{ mode: currentMode(this.context.workspaceState), connection: connection.state, models },
          ...{ latency: connection.latency, inMemory: catalog.inMemory, runs: running.size },
        }),
      )
      .catch((error: unknown) => this.logger.error('Could not show the status', error));
  }

  private refreshModels(): void {
    this.catalog.refresh().catch((error: unknown) => this.logger.warn('Could not refresh the models', error));
  }

  private settingsChanged(): void {
    const { baseUrl } = this.settings;
    if (baseUrl !== this.knownBaseUrl) void this.connection.check();
    this.knownBaseUrl = baseUrl;
    void this.catalog.announce();
    this.controller?.settingsChanged();
    const { state, problem } = this.storage.state;
    if (state === 'unavailable' && problem?.folder !== this.directory()) this.openStorage();
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
