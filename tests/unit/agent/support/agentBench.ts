import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { allAids } from '../../../../src/agent/kernel/modelAids';
import { createCore, type Core } from '../../../../src/core/createCore';
import { DisposableStore } from '../../../../src/utils/disposable';
import { Settings } from '../../../../src/config/settings';
import type { EntryOf } from '../../../../src/protocol/entries';
import type { RunState } from '../../../../src/protocol/webviewEvents';
import type { Connection } from '../../../../src/services/database/sqlite/connection';
import { databaseFileName } from '../../../../src/services/database/sqlite/databaseFile';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import { ModelManager } from '../../../../src/services/model/catalogue/modelManager';
import { OllamaClient } from '../../../../src/services/model/client/ollamaClient';
import { ServerArbiter } from '../../../../src/services/model/serverArbiter';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import { OllamaDouble } from '../../../support/ollama/double';
import { isRepairRequest, isSummaryRequest } from '../../../support/ollama/requestKinds';
import { assertLiveEqualsRestored, LiveView } from '../../../support/liveView';
import {
  defaultModels,
  newFolders,
  noAnswers,
  type AgentFolders,
  type BenchOptions,
  type SendOptions,
} from './agentBenchOptions';
import { noEditors, noProblems } from './editorDoubles';
import { outline } from './outline';
import { wrongReferences } from '../../checkpoint/support/snapshotBench';
import { patientClock } from '../../../support/patientClock';
import { caseLimitMs } from '../../../support/until';

const workerPath = path.join(__dirname, '../../../../src/services/database/databaseWorker.js');
export const searchWorkerPath = path.join(__dirname, '../../../../src/services/search/searchWorker.js');

const codebaseWorkerPath = path.join(__dirname, '../../../../src/services/codebase/codebaseWorker.js');
const checkpointWorkerPath = path.join(__dirname, '../../../../src/services/checkpoint/engine/checkpointWorker.js');

/** Whole agent with a real database, client and files. Only the server is a double. There is no editor. */
export class AgentBench {
  readonly states: RunState[] = [];
  readonly database: Core['database'];
  readonly messages: Core['messages'];
  readonly codebase: Core['codebase'];
  readonly controller: Core['controller'];
  readonly meter: Core['meter'];
  readonly preparer: Core['preparer'];
  readonly exams: Core['exams'];
  readonly registry: Core['registry'];
  readonly instructions: Core['instructions'];
  readonly changes: Core['changes'];
  readonly snapshots: Core['snapshots'];
  readonly engine: Core['engine'];
  readonly care: Core['care'];
  readonly background: Core['background'];
  readonly commandOutputs: Core['commandOutputs'];
  readonly grants: Core['grants'];
  readonly sandboxLevelAvailable: Core['sandboxLevelAvailable'];
  readonly memory: Core['memory'];
  readonly restores: Core['restores'];
  readonly histories: Core['histories'];
  readonly workSessions: Core['workSessions'];
  private hasOwnFolders = true;
  private readonly watchers = new Set<() => void>();

  private constructor(
    readonly double: OllamaDouble,
    core: Core,
    readonly view: LiveView,
    readonly folders: AgentFolders,
    readonly client: OllamaClient,
    readonly models: ModelManager,
    readonly problems: string[],
    /** Paths of editors with unsaved text. Each function saves its editor. */
    readonly unsaved: Map<string, () => void>,
    private readonly lifetime: DisposableStore,
  ) {
    const { controller } = core;
    this.database = core.database;
    this.messages = core.messages;
    this.codebase = core.codebase;
    this.controller = controller;
    this.meter = core.meter;
    this.preparer = core.preparer;
    this.exams = core.exams;
    this.registry = core.registry;
    this.instructions = core.instructions;
    this.changes = core.changes;
    this.snapshots = core.snapshots;
    this.engine = core.engine;
    this.care = core.care;
    this.background = core.background;
    this.commandOutputs = core.commandOutputs;
    this.grants = core.grants;
    this.sandboxLevelAvailable = core.sandboxLevelAvailable;
    this.memory = core.memory;
    this.restores = core.restores;
    this.histories = core.histories;
    this.workSessions = core.workSessions;
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
    const environment = { clock: options.retryClock ?? patientClock, logger };
    const database = new DatabaseService({
      directory: path.join(root, 'storage'),
      owner,
      workerPath,
      ...environment,
      clock: options.storageClock ?? systemClock,
      onDamage: (failure) => options.onDamage?.(failure),
    });
    await database.initialize();
    const lifetime = new DisposableStore();
    const directory = path.join(root, 'storage');
    const client = new OllamaClient({
      baseUrl: () => options.baseUrl ?? double.url,
      token: async () => undefined,
      ...environment,
    });
    const models = new ModelManager(client, database.models, systemClock, logger);
    const given = options.settings ?? {};
    const unset: Record<string, unknown> = {
      'checkpoints.enabled': options.hasCheckpoints ?? false,
      'agent.sessionTitleGeneration': false,
      'agent.toolTimeout': caseLimitMs,
    };
    const settings = new Settings({ get: (key) => given[key] ?? unset[key] }, ({ problem }) => {
      throw new Error(problem);
    });
    const port = {
      folders: () => (options.hasFolder === false ? [] : [{ name: 'project', path: workspace }]),
      isTrusted: () => options.isTrusted ?? true,
      commandShell: () => 'bash on Linux',
    };
    const problems: string[] = [];
    const unsaved = new Map<string, () => void>();
    const core = createCore(
      database,
      {
        ...environment,
        storage: { directory, owner, readOnlyBecause: null, onDamage: () => {} },
        workers: { search: searchWorkerPath, checkpoint: checkpointWorkerPath, codebase: codebaseWorkerPath },
        arbiter: new ServerArbiter(),
        client,
        models,
        settings,
        workspace: port,
        editors: options.editors ?? noEditors,
        unsaved: {
          paths: () => [...unsaved.keys()],
          save: async (paths) => {
            for (const file of paths) {
              unsaved.get(file)?.();
              unsaved.delete(file);
            }
          },
        },
        diagnostics: { diagnostics: async () => [], ...noProblems },
        language: options.language,
        sourceControl: options.sourceControl,
        sandbox: options.sandbox,
        terminals: undefined,
        toolSources: options.toolSources,
        aids: { ...allAids, ...options.aids },
        ripgrep: { locate: async () => undefined },
        questions: { ...noAnswers, ...options.questions },
        askForCloud: options.askForCloud ?? (async () => true),
        onProblem: (message) => void problems.push(message),
      },
      lifetime,
    );
    const view = new LiveView(database.log);
    const bench = new AgentBench(double, core, view, folders, client, models, problems, unsaved, lifetime);
    bench.hasOwnFolders = options.folders === undefined;
    return bench;
  }

  file(name: string): string {
    return path.join(this.folders.workspace, name);
  }

  /** Sends a message. Resolves with the session id without waiting for the run. */
  async send(text: string, options: SendOptions = {}): Promise<string> {
    const { mode = 'agent', model = 'worker', sessionId = null, attachments = [] } = options;
    return (await this.controller.send({ sessionId, text, mode, model, attachments })).sessionId;
  }

  /** Sends a message. Resolves when the run is over. */
  async ask(text: string, options: SendOptions = {}): Promise<string> {
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

  /** Limits the size of the database to simulate a full disk. */
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

  /** Checks that the `ref_count` of each content equals the number of rows that refer to it. */
  async checkReferences(): Promise<void> {
    assert.deepEqual(await this.rows(wrongReferences), []);
  }

  /** Makes the snapshot store fail. */
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

  /** Like `over`, but only uses events, because the store may be unreadable. */
  async idle(sessionId: string): Promise<void> {
    while (!this.states.some((one) => one.sessionId === sessionId && one.state === 'idle')) await this.nextState();
  }

  async waitForActivity(kind: string): Promise<void> {
    while (!this.states.some((one) => one.activity?.kind === kind)) await this.nextState();
  }

  /** Resolves at the next change to a run state, or after a short time. */
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

  /** Returns the rows that the user sees. Checks that they are the same after a restart. */
  async seen(sessionId: string): Promise<string[]> {
    await assertLiveEqualsRestored(this.view, this.database.log, sessionId);
    return outline(this.view.timeline(sessionId, false));
  }

  /** Returns the bodies of the chat requests, without requests that load, summarize or repair. */
  chats(): Record<string, unknown>[] {
    return this.sentToChat().filter(
      (body) => (body['messages'] as unknown[]).length > 0 && !isSummaryRequest(body) && !isRepairRequest(body),
    );
  }

  /** Returns the bodies of the repair requests, which have a schema. */
  repairRequests(): Record<string, unknown>[] {
    return this.sentToChat().filter((body) => isRepairRequest(body));
  }

  /** Returns the bodies of the summary requests. */
  summaryRequests(): Record<string, unknown>[] {
    return this.sentToChat().filter((body) => isSummaryRequest(body));
  }

  /** Returns the bodies of the empty chat requests, which only load the model. */
  loadRequests(): Record<string, unknown>[] {
    return this.sentToChat().filter(({ messages }) => (messages as unknown[]).length === 0);
  }

  private sentToChat(): Record<string, unknown>[] {
    return this.double.requestsTo('/api/chat').map((request) => request.body as Record<string, unknown>);
  }

  async stop(): Promise<void> {
    await this.lifetime.dispose();
    this.client.dispose();
    await this.database.dispose();
    await this.double.close();
    // The folders may belong to another bench, which still needs them.
    if (this.hasOwnFolders) await rm(this.folders.root, { recursive: true, force: true });
  }
}
