import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { allAids, type ModelAids } from '../../../../src/agent/kernel/modelAids';
import type { LanguagePort } from '../../../../src/agent/kernel/languagePort';
import type { ToolSource } from '../../../../src/agent/tools/kernel/toolRegistry';
import type { SourceControlPort } from '../../../../src/agent/kernel/ports';
import { createCore, type Core } from '../../../../src/core/createCore';
import { DisposableStore } from '../../../../src/utils/disposable';
import type { ReviewQuestions } from '../../../../src/services/review/reviewPorts';
import { Settings } from '../../../../src/config/settings';
import type { Attachment, EntryOf } from '../../../../src/protocol/entries';
import type { RunState } from '../../../../src/protocol/webviewEvents';
import type { OpenFiles } from '../../../../src/services/files/workspacePorts';
import type { Connection } from '../../../../src/services/database/sqlite/connection';
import { databaseFileName } from '../../../../src/services/database/sqlite/databaseFile';
import { DatabaseService } from '../../../../src/services/database/databaseService';
import type { StorageError } from '../../../../src/services/database/sqlite/storageError';
import { ModelManager } from '../../../../src/services/model/catalogue/modelManager';
import { OllamaClient } from '../../../../src/services/model/client/ollamaClient';
import { ServerArbiter } from '../../../../src/services/model/serverArbiter';
import type { ChatMode } from '../../../../src/types/modes';
import { systemClock, type Clock } from '../../../../src/utils/clock';
import { silentLogger, type Logger } from '../../../../src/utils/logger';
import { isRepairRequest, isSummaryRequest, OllamaDouble, type DoubleOptions } from '../../../support/ollama/double';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import { assertLiveEqualsRestored, LiveView } from '../../../support/liveView';
import { noEditors, noProblems } from './editorDoubles';
import { outline } from './outline';
import { placeNewDatabase } from '../../database/support/newDatabase';
import { wrongReferences } from '../../checkpoint/support/snapshotBench';

const workerPath = path.join(__dirname, '../../../../src/services/database/databaseWorker.js');
export const searchWorkerPath = path.join(__dirname, '../../../../src/services/search/searchWorker.js');

const codebaseWorkerPath = path.join(__dirname, '../../../../src/services/codebase/codebaseWorker.js');
const checkpointWorkerPath = path.join(__dirname, '../../../../src/services/checkpoint/engine/checkpointWorker.js');

export interface AgentFolders {
  root: string;
  workspace: string;
}

export interface BenchOptions {
  /** Answers of language extensions; none by default. */
  language?: LanguagePort;
  sourceControl?: SourceControlPort;
  toolSources?: readonly ToolSource[];
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
  /** What editors hold; default: nothing. */
  editors?: OpenFiles;
  /** Of another bench, which this one shares a storage and a workspace with. */
  folders?: AgentFolders;
  /** Default: one that no process has. */
  owner?: string;
  /** Help for weak models that is switched off; default: none. */
  aids?: Partial<ModelAids>;
  /** Default: a person who agrees. */
  askForCloud?: (model: string) => Promise<boolean>;
}

interface SendOptions {
  mode?: ChatMode;
  model?: string | null;
  sessionId?: string | null;
  attachments?: Attachment[];
}

const noAnswers: ReviewQuestions = { replace: async () => false, remove: async () => false, merge: async () => false };

const defaultModels: ModelSpec[] = [{ name: 'worker', capabilities: ['completion', 'tools'] }];

/** The whole agent on real parts: database, client and files; only the server is the double and the editor is not there. */
export class AgentBench {
  readonly states: RunState[] = [];
  readonly database: Core['database'];
  readonly messages: Core['messages'];
  readonly codebase: Core['codebase'];
  readonly controller: Core['controller'];
  readonly meter: Core['meter'];
  readonly registry: Core['registry'];
  readonly instructions: Core['instructions'];
  readonly changes: Core['changes'];
  readonly snapshots: Core['snapshots'];
  readonly engine: Core['engine'];
  readonly care: Core['care'];
  readonly background: Core['background'];
  readonly grants: Core['grants'];
  readonly memory: Core['memory'];
  readonly restores: Core['restores'];
  readonly histories: Core['histories'];
  readonly workSessions: Core['workSessions'];
  private readonly watchers = new Set<() => void>();

  private constructor(
    readonly double: OllamaDouble,
    core: Core,
    readonly view: LiveView,
    readonly folders: AgentFolders,
    private readonly client: OllamaClient,
    readonly models: ModelManager,
    readonly problems: string[],
    /** Paths that an editor holds with unsaved text, and what saving it writes. */
    readonly unsaved: Map<string, () => void>,
    private readonly lifetime: DisposableStore,
  ) {
    const { controller } = core;
    this.database = core.database;
    this.messages = core.messages;
    this.codebase = core.codebase;
    this.controller = controller;
    this.meter = core.meter;
    this.registry = core.registry;
    this.instructions = core.instructions;
    this.changes = core.changes;
    this.snapshots = core.snapshots;
    this.engine = core.engine;
    this.care = core.care;
    this.background = core.background;
    this.grants = core.grants;
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
    const lifetime = new DisposableStore();
    const directory = path.join(root, 'storage');
    const client = new OllamaClient({
      baseUrl: () => options.baseUrl ?? double.url,
      token: async () => undefined,
      ...environment,
    });
    const models = new ModelManager(client, database.models, systemClock, logger);
    const given = options.settings ?? {};
    const unset: Record<string, unknown> = { 'checkpoints.enabled': options.hasCheckpoints ?? false };
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
        ...{ client, models, settings, workspace: port, editors: options.editors ?? noEditors },
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
    return new AgentBench(double, core, view, folders, client, models, problems, unsaved, lifetime);
  }

  file(name: string): string {
    return path.join(this.folders.workspace, name);
  }

  /** Sends and returns at once with the session's id. */
  async send(text: string, options: SendOptions = {}): Promise<string> {
    const { mode = 'agent', model = 'worker', sessionId = null, attachments = [] } = options;
    return (await this.controller.send({ sessionId, text, mode, model, attachments })).sessionId;
  }

  /** Sends, and resolves when the run is over. */
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

  /** The bodies of the chat requests so far, without those that only load, ask for a summary or for a repair. */
  chats(): Record<string, unknown>[] {
    return this.sentToChat().filter(
      (body) => (body['messages'] as unknown[]).length > 0 && !isSummaryRequest(body) && !isRepairRequest(body),
    );
  }

  /** The bodies of the requests for a call in the form of a schema so far. */
  repairRequests(): Record<string, unknown>[] {
    return this.sentToChat().filter((body) => isRepairRequest(body));
  }

  /** The bodies of the requests for a summary so far. */
  summaryRequests(): Record<string, unknown>[] {
    return this.sentToChat().filter((body) => isSummaryRequest(body));
  }

  /** The bodies of the empty chat requests so far: those that only load. */
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
    await rm(this.folders.root, { recursive: true, force: true });
  }
}

async function newFolders(): Promise<AgentFolders> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-agent-')));
  placeNewDatabase(path.join(root, 'storage'));
  return { root, workspace: await mkdtemp(path.join(root, 'project-')) };
}
