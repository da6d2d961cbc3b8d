import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentChatExecutor } from '../../../../src/agent/loop/agentChatExecutor';
import { ApprovalManager } from '../../../../src/agent/approvals/approvalManager';
import { FilesOnDisk } from '../../../../src/services/changes/fileOnDisk';
import { PendingChanges } from '../../../../src/services/changes/pendingChanges';
import { SnapshotKeeper } from '../../../../src/services/changes/snapshotKeeper';
import { StagingKeeper } from '../../../../src/services/changes/stagingKeeper';
import type { ReviewQuestions } from '../../../../src/services/changes/undoPlan';
import { WorkSessions } from '../../../../src/services/changes/workSessions';
import { ContextMeter } from '../../../../src/agent/context/contextMeter';
import { FileAccess } from '../../../../src/agent/approvals/fileAccess';
import { FileChanges } from '../../../../src/services/files/fileChanges';
import { ModelRequester } from '../../../../src/agent/loop/modelRequester';
import { noGuard } from '../../../../src/agent/kernel/ports';
import { RequestBuilder } from '../../../../src/agent/prompt/requestBuilder';
import { SessionController } from '../../../../src/agent/loop/sessionController';
import { SessionGrants } from '../../../../src/agent/approvals/sessionGrants';
import { ToolRunner } from '../../../../src/agent/loop/toolRunner';
import { WorkspacePaths } from '../../../../src/services/files/workspacePaths';
import { workspaceTools } from '../../../../src/agent/tools/kernel/workspaceTools';
import { Settings } from '../../../../src/config/settings';
import type { EntryOf } from '../../../../src/protocol/entries';
import type { RunState } from '../../../../src/protocol/webviewEvents';
import { checkpointedFolders, realHome } from '../../../../src/services/checkpoint/host/checkpointedFolders';
import { Checkpoints } from '../../../../src/services/checkpoint/host/checkpoints';
import { CommandChanges } from '../../../../src/services/checkpoint/host/commandChanges';
import { EngineClient } from '../../../../src/services/checkpoint/host/engineClient';
import { Restores } from '../../../../src/services/checkpoint/host/restores';
import { StorageCare } from '../../../../src/services/checkpoint/host/storageCare';
import { WorkerSnapshotObjects } from '../../../../src/services/checkpoint/host/snapshotObjects';
import type { Connection } from '../../../../src/services/database/sqlite/connection';
import { databaseFileName } from '../../../../src/services/database/sqlite/databaseFile';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import type { StorageError } from '../../../../src/services/database/sqlite/storageError';
import { ContextWindows } from '../../../../src/services/model/context/contextWindows';
import { ModelManager } from '../../../../src/services/model/catalogue/modelManager';
import { OllamaClient } from '../../../../src/services/model/client/ollamaClient';
import { TextSearch } from '../../../../src/services/search/textSearch';
import { WorkerSearch } from '../../../../src/services/search/workerSearch';
import { BackgroundCommands } from '../../../../src/services/terminal/run/backgroundCommands';
import { TerminalManager } from '../../../../src/services/terminal/run/terminalManager';
import type { ChatMode } from '../../../../src/types/modes';
import { UnfinishedWrites } from '../../../../src/services/files/unfinishedWrites';
import { systemClock, type Clock } from '../../../../src/utils/clock';
import { silentLogger, type Logger } from '../../../../src/utils/logger';
import { OllamaDouble, type DoubleOptions } from '../../../support/ollama/double';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import { assertLiveEqualsRestored, LiveView } from '../../../support/liveView';
import { noEditors, noProblems } from './editorDoubles';
import { outline } from './outline';
import { wrongReferences } from '../../checkpoint/support/snapshotBench';

const workerPath = path.join(__dirname, '../../../../src/services/database/databaseWorker.js');
export const searchWorkerPath = path.join(__dirname, '../../../../src/services/search/searchWorker.js');

const checkpointWorkerPath = path.join(__dirname, '../../../../src/services/checkpoint/engine/checkpointWorker.js');

export interface AgentFolders {
  root: string;
  workspace: string;
}

export interface BenchOptions {
  models?: readonly ModelSpec[];
  settings?: Record<string, unknown>;
  isTrusted?: boolean;
  hasFolder?: boolean;
  /** Default: silent. */
  logger?: Logger;
  server?: Omit<DoubleOptions, 'models'>;
  /** Default: the double's. */
  baseUrl?: string;
  /** Of the waits before a request is sent again. */
  retryClock?: Clock;
  storageClock?: Clock;
  onDamage?: (failure: StorageError) => void;
  /** What a person answers when an undo has to ask; default: no to everything. */
  questions?: Partial<ReviewQuestions>;
  hasCheckpoints?: boolean;
  /** Of another bench, which this one shares a storage and a workspace with. */
  folders?: AgentFolders;
  /** Default: one that no process has. */
  owner?: string;
  /** Default: a person who agrees. */
  askForCloud?: (model: string) => Promise<boolean>;
}

const noAnswers: ReviewQuestions = { replace: async () => false, remove: async () => false, merge: async () => false };

const defaultModels: ModelSpec[] = [{ name: 'worker', capabilities: ['completion', 'tools'] }];

/** The whole agent on real parts: database, client and files; only the server is the double and the editor is not there. */
export class AgentBench {
  readonly states: RunState[] = [];
  private readonly watchers = new Set<() => void>();

  private constructor(
    readonly double: OllamaDouble,
    readonly database: DatabaseService,
    readonly controller: SessionController,
    readonly view: LiveView,
    readonly folders: AgentFolders,
    private readonly client: OllamaClient,
    readonly problems: string[],
    readonly meter: ContextMeter,
    readonly changes: PendingChanges,
    readonly snapshots: WorkerSnapshotObjects,
    readonly engine: EngineClient,
    readonly care: StorageCare,
    readonly background: BackgroundCommands,
    readonly grants: SessionGrants,
    readonly restores: Restores,
    readonly workSessions: WorkSessions,
    /** Paths that an editor holds with unsaved text, and what saving it writes. */
    readonly unsaved: Map<string, () => void>,
  ) {
    controller.onDidChangeRunState((state) => {
      this.states.push(state);
      for (const watcher of [...this.watchers]) watcher();
    });
  }

  static async start(options: BenchOptions = {}): Promise<AgentBench> {
    const { owner = 'this window', folders = await newFolders() } = options;
    const { root, workspace } = folders;
    const double = await OllamaDouble.start({ models: options.models ?? defaultModels, ...options.server });
    const logger = options.logger ?? silentLogger;
    const environment = { clock: options.retryClock ?? systemClock, logger };
    const database = new DatabaseService({
      directory: path.join(root, 'storage'),
      owner,
      workerPath,
      ...environment,
      clock: options.storageClock ?? systemClock,
      onDamage: (failure) => options.onDamage?.(failure),
    });
    await database.initialize();
    const directory = path.join(root, 'storage');
    const openEngine = (owner: string) =>
      new EngineClient({ directory, owner, workerPath: checkpointWorkerPath, logger, onDamage: () => {} });
    const engine = openEngine(owner);
    const snapshots = new WorkerSnapshotObjects(engine);
    const notes = new UnfinishedWrites(directory, owner, logger);
    const changes = new PendingChanges(
      database,
      snapshots,
      new FilesOnDisk(noEditors, notes, database.madeFolders),
      { ...noAnswers, ...options.questions },
      logger,
    );
    const client = new OllamaClient({
      baseUrl: () => options.baseUrl ?? double.url,
      token: async () => undefined,
      ...environment,
    });
    const models = new ModelManager(client, database.models, systemClock, logger);
    const given: Record<string, unknown> = options.settings ?? {};
    const settings = new Settings({ get: (key) => given[key] }, ({ problem }) => {
      throw new Error(problem);
    });
    const port = {
      folders: () => (options.hasFolder === false ? [] : [{ name: 'project', path: workspace }]),
      isTrusted: () => options.isTrusted ?? true,
      commandShell: () => 'bash on Linux',
    };
    const access = new FileAccess(new WorkspacePaths(port), settings, database.sessions);
    const terminals = new TerminalManager(undefined, systemClock, logger);
    const background = new BackgroundCommands(systemClock, logger);
    const problems: string[] = [];
    const onProblem = (message: string) => void problems.push(message);
    const checkpointed = () => checkpointedFolders(port.folders(), realHome());
    const getCheckpointConfig = () => settings.getCheckpointConfig();
    const always = new Checkpoints(
      engine,
      { getCheckpointConfig, checkpointed, onProblem, logger, lastSeq: (sessionId) => database.queries.lastSeq(sessionId) },
      new CommandChanges(engine, database.log, { folders: () => port.folders(), logger }),
    );
    const checkpoints = options.hasCheckpoints ? always : undefined;
    const unsaved = new Map<string, () => void>();
    const restores = new Restores(
      engine,
      always,
      database.log,
      {
        paths: () => [...unsaved.keys()],
        save: async (paths) => {
          for (const file of paths) {
            unsaved.get(file)?.();
            unsaved.delete(file);
          }
        },
      },
      {
        ...{ getCheckpointConfig, folders: () => port.folders(), checkpointed, logger, operations: database.operations },
        finishUndos: () => changes.recover([workspace]),
      },
    );
    const workSessions = new WorkSessions(engine, changes, database, {
      ...{ getCheckpointConfig, folders: () => port.folders(), checkpointed },
    });
    const keeper = new SnapshotKeeper(database, snapshots, logger);
    const listener = checkpoints ? new StagingKeeper(checkpoints, keeper) : keeper;
    const guard = checkpoints ?? noGuard;
    const registry = workspaceTools({
      access,
      changes: new FileChanges(noEditors, listener, notes),
      ...{ editors: noEditors, terminals, background, clock: systemClock },
      searcher: new TextSearch({ locate: async () => undefined }, new WorkerSearch(searchWorkerPath, systemClock), logger),
      diagnostics: { diagnostics: async () => [], ...noProblems },
    });
    const approvals = new ApprovalManager();
    const grants = new SessionGrants(database.sessions, logger);
    const runner = new ToolRunner(registry, approvals, settings, systemClock, guard, grants);
    const requests = new RequestBuilder(settings, port, new ContextWindows(database.models, settings, logger));
    const meter = new ContextMeter(models, requests, { registry, workspace: port }, logger);
    const requester = new ModelRequester(client, models, requests, meter, options.retryClock ?? systemClock);
    const executor = new AgentChatExecutor(
      database.log,
      models,
      requester,
      { registry, runner, workspace: port },
      { settings, askForCloud: options.askForCloud ?? (async () => true), ...environment },
    );
    const stores = { sessions: database.sessions, log: database.log, queued: database.queued };
    const host = {
      ...environment,
      projectPath: () => workspace,
      onProblem,
      guard,
      whenFree: (signal: AbortSignal) => database.operations.whenNone(signal),
    };
    const limit = () => settings.getCheckpointConfig().maxStorageBytes;
    const care = new StorageCare(engine, () => openEngine('the same window'), systemClock, limit, logger);
    const controller = new SessionController(stores, executor, approvals, settings, host);
    const view = new LiveView(database.log);
    return new AgentBench(
      double,
      database,
      controller,
      view,
      folders,
      client,
      problems,
      meter,
      changes,
      snapshots,
      engine,
      care,
      background,
      grants,
      restores,
      workSessions,
      unsaved,
    );
  }

  file(name: string): string {
    return path.join(this.folders.workspace, name);
  }

  /** Sends and returns at once with the session's id. */
  async send(text: string, options: { mode?: ChatMode; model?: string | null; sessionId?: string | null } = {}): Promise<string> {
    const { mode = 'agent', model = 'worker', sessionId = null } = options;
    return (await this.controller.send({ sessionId, text, mode, model })).sessionId;
  }

  /** Sends, and resolves when the run is over. */
  async ask(text: string, options: Parameters<AgentBench['send']>[1] = {}): Promise<string> {
    const sessionId = await this.send(text, options);
    await this.over(sessionId);
    return sessionId;
  }

  databaseFile(): string {
    return path.join(this.folders.root, 'storage', databaseFileName);
  }

  storageFolder(): string {
    return path.dirname(this.databaseFile());
  }

  /** As a full disk does, keeps the database from growing beyond so many pages. */
  limitPages(count: number): Promise<void> {
    return this.pragma(`max_page_count = ${count}`);
  }

  refuseWrites(refuses: boolean): Promise<void> {
    return this.pragma(`query_only = ${refuses ? 1 : 0}`);
  }

  rows(sql: string): Promise<unknown[]> {
    const { connection } = this.database as unknown as { connection: Connection };
    return connection.read(() => connection.statement(sql).all());
  }

  /** `ref_count` of every stored content is the number of rows that refer to it. */
  async checkReferences(): Promise<void> {
    assert.deepEqual(await this.rows(wrongReferences), []);
  }

  /** As a store does that cannot be written. */
  refuseSnapshots(): void {
    this.snapshots.put = () => Promise.reject(new Error('The store cannot be written'));
  }

  private async pragma(text: string): Promise<void> {
    const { connection } = this.database as unknown as { connection: Connection };
    await connection.read(() => connection.statement(`PRAGMA ${text}`).get());
  }

  /** Resolves when the session has no run in this window. */
  async over(sessionId: string): Promise<void> {
    for (;;) {
      const { state } = await this.controller.runState(sessionId);
      if (state === 'idle') return;
      if (this.problems.length > 0) throw new Error(`Waiting for a run (${state}): ${this.problems.join(' ')}`);
      await this.nextState();
    }
  }

  /** As `over`, going by what was announced: for when the store cannot be asked. */
  async idle(sessionId: string): Promise<void> {
    while (!this.states.some((one) => one.sessionId === sessionId && one.state === 'idle')) await this.nextState();
  }

  async waitForActivity(kind: string): Promise<void> {
    while (!this.states.some((one) => one.activity?.kind === kind)) await this.nextState();
  }

  /** Resolves with the next change of a run's state, or soon. */
  private async nextState(): Promise<void> {
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        this.watchers.delete(settle);
        resolve();
      };
      const timer = setTimeout(settle, 50);
      this.watchers.add(settle);
    });
  }

  async question(sessionId: string): Promise<EntryOf<'approval'>> {
    const isDecided = (approvalId: string): boolean =>
      this.view
        .entries(sessionId)
        .some(({ type, data }) => type === 'approval' && data.approvalId === approvalId && data.phase === 'decided');
    const entry = await this.view.waitFor(
      sessionId,
      (one) => one.type === 'approval' && one.data.phase === 'requested' && !isDecided(one.data.approvalId),
    );
    return entry as EntryOf<'approval'>;
  }

  /** What a person sees, after checking that a restart would show the same. */
  async seen(sessionId: string): Promise<string[]> {
    await assertLiveEqualsRestored(this.view, this.database.log, sessionId);
    return outline(this.view.timeline(sessionId, false));
  }

  /** The bodies of the chat requests so far, without those that only load. */
  chats(): Record<string, unknown>[] {
    return this.sentToChat().filter(({ messages }) => (messages as unknown[]).length > 0);
  }

  /** The bodies of the empty chat requests so far: those that only load. */
  loadRequests(): Record<string, unknown>[] {
    return this.sentToChat().filter(({ messages }) => (messages as unknown[]).length === 0);
  }

  private sentToChat(): Record<string, unknown>[] {
    return this.double.requestsTo('/api/chat').map((request) => request.body as Record<string, unknown>);
  }

  async stop(): Promise<void> {
    await this.controller.dispose();
    await this.background.dispose();
    this.client.dispose();
    await this.care.dispose();
    await this.engine.dispose();
    await this.database.dispose();
    await this.double.close();
    await rm(this.folders.root, { recursive: true, force: true });
  }
}

async function newFolders(): Promise<AgentFolders> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-agent-')));
  return { root, workspace: await mkdtemp(path.join(root, 'project-')) };
}
