import * as vscode from 'vscode';
import { AgentChatExecutor } from './agent/agentChatExecutor';
import { ApprovalManager } from './agent/approvalManager';
import { AttachmentReader } from './agent/attachmentReader';
import { ContextMeter } from './agent/contextMeter';
import { ModelRequester } from './agent/modelRequester';
import type { WorkspacePort } from './agent/ports';
import { RequestBuilder } from './agent/requestBuilder';
import { SessionController } from './agent/sessionController';
import { ToolRegistry } from './agent/toolRegistry';
import { ToolRunner } from './agent/toolRunner';
import { createFileTool } from './agent/tools/createFile';
import { readFileTool } from './agent/tools/readFile';
import { runTerminalCommandTool } from './agent/tools/runTerminalCommand';
import { WorkspacePaths } from './agent/workspacePaths';
import { Settings } from './config/settings';
import { ConnectionMonitor } from './services/connectionMonitor';
import { DatabaseService } from './services/database/databaseService';
import { copyFromOldPlace, storageDirectory } from './services/database/storagePath';
import { createOwner } from './services/database/windowOwner';
import { ContextWindows } from './services/model/contextWindows';
import { ModelManager } from './services/model/modelManager';
import { OllamaClient } from './services/model/ollamaClient';
import { ModelCatalog } from './services/modelCatalog';
import { TerminalManager } from './services/terminal/terminalManager';
import { TokenManager } from './services/tokenManager';
import { systemClock } from './utils/clock';
import type { AttachmentRef } from './protocol/entries';
import type { LogEvent } from './protocol/webviewEvents';
import { DisposableStore } from './utils/disposable';
import { AppError } from './utils/errors';
import { createChatBackend, currentMode } from './views/chatBackend';
import { ChatViewProvider, type ChatViewBackend } from './views/chatView';
import { attachmentEditor } from './vscode/attachmentEditor';
import { setBearerToken, testConnection } from './vscode/commands/connectionCommands';
import { codeToAskAbout, filesToAttach, selectionToAttach } from './vscode/commands/contextCommands';
import { selectModel } from './vscode/commands/modelCommands';
import { registerCommands } from './vscode/commands/register';
import { EditorWorkspace } from './vscode/editorWorkspace';
import { onDidChangeSettings, settingsSource } from './vscode/settingsSource';
import { StatusBar } from './vscode/statusBar';
import { EditorTerminalHost } from './vscode/terminalHost';

/** What is there once the database is open. */
interface StartedServices {
  backend: ChatViewBackend;
  catalog: ModelCatalog;
  connection: ConnectionMonitor;
}

/** The one place where services meet: built in order, disposed in reverse. */
export class ServiceContainer {
  private readonly store = new DisposableStore();
  private readonly logger: vscode.LogOutputChannel;
  private readonly settings: Settings;
  private readonly client: OllamaClient;
  private readonly tokens: TokenManager;
  private readonly workspace: WorkspacePort = new EditorWorkspace();
  private readonly attachments = new AttachmentReader(new WorkspacePaths(this.workspace), attachmentEditor);
  private readonly view: ChatViewProvider;
  private starting: Promise<StartedServices> | undefined;
  private knownBaseUrl: string;

  constructor(private readonly context: vscode.ExtensionContext) {
    this.logger = this.store.add(vscode.window.createOutputChannel('Ollama Copilot', { log: true }));
    this.settings = new Settings(settingsSource, ({ setting, problem }) => this.reportSetting(setting, problem));
    this.knownBaseUrl = this.settings.getConfig().baseUrl;
    this.tokens = new TokenManager(context.secrets);
    this.client = this.store.add(
      new OllamaClient({
        baseUrl: () => this.settings.getConfig().baseUrl,
        token: (origin) => this.tokens.tokenFor(origin),
        clock: systemClock,
        logger: this.logger,
      }),
    );
    const backend = async (): Promise<ChatViewBackend> => (await this.services()).backend;
    this.view = new ChatViewProvider(context.extensionUri, backend, this.logger);
    this.store.add(vscode.window.registerWebviewViewProvider(ChatViewProvider.viewId, this.view));
    this.store.add(this.registerCommands());
    this.services().catch(() => undefined);
  }

  /** Ends every run, sets this window's sessions to idle, closes the database. */
  async dispose(): Promise<void> {
    await this.starting?.catch(() => undefined);
    await this.store.dispose();
  }

  /** What a failure keeps from starting is tried again when it is next needed: the disk may have room by then. */
  private services(): Promise<StartedServices> {
    this.starting ??= this.start().catch((error: unknown) => {
      this.starting = undefined;
      this.reportStart(error);
      throw error;
    });
    return this.starting;
  }

  private async start(): Promise<StartedServices> {
    const { logger, settings, client } = this;
    const database = await this.openDatabase();
    const baseUrl = () => settings.getConfig().baseUrl;
    const models = this.store.add(new ModelManager(client, database.models, systemClock, logger, baseUrl));
    const catalog = this.store.add(new ModelCatalog(models, settings, logger));
    const isDemo = process.env['OLLAMA_COPILOT_DEMO'] === '1';
    const connection = this.store.add(
      new ConnectionMonitor(client, baseUrl, isDemo, systemClock, logger, (origin) => this.tokens.tokenFor(origin)),
    );
    const { controller, meter } = this.createAgent(database, models);

    const backend = createChatBackend(
      { database, controller, connection, catalog, meter, attachments: this.attachments, clock: systemClock, logger },
      this.context.workspaceState,
    );
    const refresh = () => void catalog.refresh().catch((error: unknown) => logger.warn('Could not refresh the models', error));
    this.store.add(connection.onDidChange(({ state }) => state === 'connected' && refresh()));
    this.store.add(
      controller.onDidChangeRunState(({ activity }) => activity?.kind === 'answering' && void catalog.refreshLoaded()),
    );
    this.store.add(database.log.onDidChange((event) => failedToConnect(event) && void connection.check()));
    this.store.add(onDidChangeSettings(() => this.settingsChanged(connection, catalog)));
    this.store.add(this.showStatus(connection, catalog, controller));
    return { backend, catalog, connection };
  }

  private async openDatabase(): Promise<DatabaseService> {
    const { context, logger } = this;
    const directory = storageDirectory({
      setting: this.settings.getConfig().storagePath,
      globalStorage: context.globalStorageUri.fsPath,
      firstFolderUri: vscode.workspace.workspaceFolders?.[0]?.uri.toString() ?? null,
    });
    await copyFromOldPlace(context.storageUri?.fsPath ?? null, directory, systemClock);
    const database = new DatabaseService({
      directory,
      owner: createOwner(),
      clock: systemClock,
      logger,
      workerPath: context.asAbsolutePath('dist/databaseWorker.js'),
    });
    await database.initialize();
    return this.store.add(database);
  }

  private createAgent(database: DatabaseService, models: ModelManager) {
    const { settings, logger, workspace } = this;
    const terminalHost = this.store.add(new EditorTerminalHost());
    const paths = new WorkspacePaths(workspace);
    const registry = new ToolRegistry([
      readFileTool(paths),
      createFileTool(paths, workspace),
      runTerminalCommandTool(paths, new TerminalManager(terminalHost, systemClock, logger)),
    ]);
    const approvals = new ApprovalManager();
    const requests = new RequestBuilder(settings, workspace, new ContextWindows(database.models, settings, logger));
    const meter = this.store.add(new ContextMeter(models, requests, { registry, workspace }, logger));
    const executor = new AgentChatExecutor(
      database.log,
      models,
      new ModelRequester(this.client, models, requests, meter, systemClock),
      { registry, runner: new ToolRunner(registry, approvals, settings, systemClock), workspace },
      { settings, clock: systemClock, logger },
    );
    const controller = new SessionController({ sessions: database.sessions, log: database.log }, executor, approvals, settings, {
      clock: systemClock,
      logger,
      projectPath: () => workspace.folders()[0]?.path ?? null,
      onProblem: (userMessage) => void vscode.window.showErrorMessage(userMessage),
    });
    return { controller: this.store.add(controller), meter };
  }

  private registerCommands(): vscode.Disposable {
    return registerCommands(
      {
        openChat: () => this.view.reveal('focusComposer', {}),
        newSession: () => this.view.reveal('navigate', { page: 'chat', sessionId: null }),
        addFileToChat: async (...args) => this.attach(await filesToAttach(this.attachments, args)),
        addSelectionToChat: async () => this.attach(await selectionToAttach(this.attachments)),
        explain: async () => this.ask('explain', await codeToAskAbout(this.attachments)),
        fix: async () => this.ask('fix', await codeToAskAbout(this.attachments)),
        openWalkthrough: () =>
          vscode.commands.executeCommand('workbench.action.openWalkthrough', `${this.context.extension.id}#start`),
        showHistory: () => this.view.reveal('navigate', { page: 'history' }),
        searchHistory: () => this.view.reveal('navigate', { page: 'history', search: true }),
        openSettings: () => vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${this.context.extension.id}`),
        showLog: () => this.logger.show(),
        selectModel: async () => selectModel((await this.services()).catalog, currentMode(this.context.workspaceState)),
        setBearerToken: async () =>
          setBearerToken(this.tokens, this.settings.getConfig().baseUrl, (await this.services()).connection),
        testConnection: async () => testConnection((await this.services()).connection),
      },
      this.logger,
    );
  }

  private async attach(items: AttachmentRef[]): Promise<void> {
    if (items.length > 0) await this.view.reveal('attach', { items });
  }

  private async ask(prompt: 'explain' | 'fix', items: AttachmentRef[]): Promise<void> {
    if (items.length > 0) await this.view.reveal('ask', { prompt, items });
  }

  private showStatus(connection: ConnectionMonitor, catalog: ModelCatalog, controller: SessionController): DisposableStore {
    const shown = new DisposableStore();
    const statusBar = shown.add(new StatusBar());
    const running = new Set<string>();
    const update = () =>
      void catalog
        .state()
        .then((models) =>
          statusBar.update({
            ...{ mode: currentMode(this.context.workspaceState), connection: connection.state, models },
            ...{ latency: connection.latency, inMemory: catalog.inMemory, runs: running.size },
          }),
        )
        .catch((error: unknown) => this.logger.error('Could not show the status', error));
    shown.add(connection.onDidChange(update));
    shown.add(catalog.onDidChange(update));
    shown.add(
      controller.onDidChangeRunState(({ sessionId, state }) => {
        const before = running.size;
        if (state === 'running' || state === 'queued') running.add(sessionId);
        else running.delete(sessionId);
        if (running.size !== before) update();
      }),
    );
    update();
    return shown;
  }

  private settingsChanged(connection: ConnectionMonitor, catalog: ModelCatalog): void {
    const { baseUrl } = this.settings.getConfig();
    if (baseUrl !== this.knownBaseUrl) void connection.check();
    this.knownBaseUrl = baseUrl;
    void catalog.announce();
  }

  private reportSetting(setting: string, problem: string): void {
    this.logger.warn(`Invalid setting ${setting}: ${problem}`);
    const open = vscode.l10n.t('Open Settings');
    const text = vscode.l10n.t(
      'The setting {0} has a value that cannot be used, so its default is. Correct it in the settings.',
      setting,
    );
    void vscode.window.showWarningMessage(text, open).then((choice) => {
      if (choice === open) void vscode.commands.executeCommand('workbench.action.openSettings', setting);
    });
  }

  private reportStart(error: unknown): void {
    this.logger.error('Ollama Copilot could not start', error);
    const showLog = vscode.l10n.t('Show Log');
    const text =
      error instanceof AppError ? error.userMessage : vscode.l10n.t('Ollama Copilot could not start. The log says why.');
    void vscode.window.showErrorMessage(text, showLog).then((choice) => {
      if (choice === showLog) this.logger.show();
    });
  }
}

function failedToConnect(event: LogEvent): boolean {
  return event.kind === 'entry' && event.entry.type === 'error' && event.entry.data.code === 'connection';
}
