import { rename } from 'node:fs/promises';
import path from 'node:path';
import type { ToolSource } from '../agent/tools/kernel/toolRegistry';
import { Settings } from '../config/settings';
import { createCore, type Core } from '../core/createCore';
import type { CorePorts, WorkerPaths } from '../core/corePorts';
import { createOwner } from '../services/database/sessions/windowOwner';
import type { ConfineProgram } from '../mcp/server/serverConnection';
import { DatabaseService } from '../services/database/databaseService';
import { databaseFileName } from '../services/database/sqlite/databaseFile';
import { SessionImporter } from '../services/import/sessionImporter';
import { ModelManager } from '../services/model/catalogue/modelManager';
import { OllamaClient } from '../services/model/client/ollamaClient';
import { ServerArbiter } from '../services/model/serverArbiter';
import { ConnectionFiles } from '../services/network/connectionFiles';
import { network } from '../services/network/network';
import { hiddenShell } from '../services/terminal/run/childProcessRunner';
import { locateProgram } from '../services/terminal/judge/plainProgram';
import { describeShell } from '../services/terminal/run/shellName';
import { systemClock } from '../utils/clock';
import { DisposableStore, type Disposable } from '../utils/disposable';
import type { Logger } from '../utils/logger';
import type { AskedQuestion } from './questions/askedQuestion';
import type { ServeOptions } from './serveOptions';

export interface HeadlessWorkers extends WorkerPaths {
  database: string;
  /** Worker file for imports. */
  importer: string;
  /** WebAssembly file of sql.js. */
  wasm: string;
}

export interface HeadlessCore extends Core {
  settings: Settings;
  models: ModelManager;
  importer: SessionImporter;
  dispose(): Promise<void>;
}

export interface HeadlessVoice {
  note(text: string): void;
  /** Asks the user a yes/no question. Null without a user. */
  ask: ((question: AskedQuestion) => Promise<boolean>) | null;
}

export interface HeadlessExtras {
  token: string | undefined;
  logger: Logger;
  /** Creates additional tools, such as those of MCP servers. The core disposes the source. */
  toolSource?: ((settings: Settings, confine: ConfineProgram) => ToolSource & Disposable) | undefined;
}

/** Opens the storage and builds a core that only needs the file system. Rejects if the storage cannot be opened. */
export async function openHeadlessCore(
  { folders, storage, settings: given }: Pick<ServeOptions, 'folders' | 'storage' | 'settings'>,
  workers: HeadlessWorkers,
  voice: HeadlessVoice,
  { token, logger, toolSource }: HeadlessExtras,
): Promise<HeadlessCore> {
  const settings = new Settings({ get: (key) => given[key] }, ({ problem }) => voice.note(problem));
  network.limits = () => settings.getPrivacyConfig();
  const owner = createOwner();
  const lifetime = new DisposableStore();
  const isKept = () => settings.getPrivacyConfig().keepsConnections;
  lifetime.add(new ConnectionFiles(network.ledger, { folder: () => storage, isKept, clock: systemClock, logger }));
  const onProblem = (words: string) => voice.note(words);
  const no = () => Promise.resolve(false);
  const database = lifetime.add(
    new DatabaseService({
      directory: storage,
      owner,
      workerPath: workers.database,
      clock: systemClock,
      logger,
      onDamage: ({ userMessage }) => onProblem(userMessage),
    }),
  );
  try {
    await database.initialize();
    const client = new OllamaClient({
      baseUrl: () => settings.baseUrl,
      token: () => Promise.resolve(token),
      clock: systemClock,
      logger,
    });
    const models = new ModelManager(client, database.models, systemClock, logger);
    const ports: CorePorts = {
      arbiter: new ServerArbiter(),
      workers,
      settings,
      client,
      models,
      onProblem,
      clock: systemClock,
      logger,
      storage: { directory: storage, owner, readOnlyBecause: null, onDamage: ({ userMessage }) => onProblem(userMessage) },
      // Naming a folder on the command line means that the user trusts it.
      workspace: { folders: () => folders, isTrusted: () => true, commandShell: () => describeShell('', hiddenShell()) },
      editors: { get: () => undefined, isHeld: () => false, rename },
      unsaved: { paths: () => [], save: () => Promise.resolve() },
      diagnostics: {
        diagnostics: () => Promise.resolve([]),
        watch: () => ({ changes: () => Promise.resolve({ before: [], after: [] }), dispose: () => undefined }),
      },
      toolSources:
        toolSource === undefined ? [] : [lifetime.add(toolSource(settings, (...program) => core.sandboxedProgram(...program)))],
      language: undefined,
      sourceControl: undefined,
      terminals: undefined,
      ripgrep: {
        locate: async () =>
          (await locateProgram(
            'rg',
            folders.map((folder) => folder.path),
          )) ?? undefined,
      },
      questions: { replace: no, remove: no, merge: no },
      askForCloud: async (model) => voice.ask !== null && voice.ask(cloudQuestion(model)),
    };
    const core = createCore(database, ports, lifetime);
    const importer = lifetime.add(
      new SessionImporter({
        file: path.join(storage, databaseFileName),
        workerPath: workers.importer,
        wasmPath: workers.wasm,
        logger,
        onDamage: ({ userMessage }) => onProblem(userMessage),
        onImported: () => database.noteImport(),
      }),
    );
    await core.finishUndos();
    core.codebase.startIndexing();
    return { ...core, settings, models, importer, dispose: () => lifetime.dispose() };
  } catch (error) {
    await lifetime.dispose().catch((failure: unknown) => logger.warn('Not all could be closed', failure));
    throw error;
  }
}

function cloudQuestion(model: string): AskedQuestion {
  const risk = 'The model runs on Ollama’s servers. Your messages and the files that the agent reads leave this computer.';
  return {
    title: 'Use this model?',
    facts: [
      { label: 'Risk', text: risk },
      { label: 'Model', text: model },
    ],
  };
}
