import { rename } from 'node:fs/promises';
import { Settings } from '../config/settings';
import { createCore, type Core } from '../core/createCore';
import type { CorePorts, WorkerPaths } from '../core/corePorts';
import { createOwner } from '../services/database/sessions/windowOwner';
import { DatabaseService } from '../services/database/databaseService';
import { ModelManager } from '../services/model/catalogue/modelManager';
import { OllamaClient } from '../services/model/client/ollamaClient';
import { ServerArbiter } from '../services/model/serverArbiter';
import { hiddenShell } from '../services/terminal/run/childProcessRunner';
import { locateProgram } from '../services/terminal/judge/plainProgram';
import { describeShell } from '../services/terminal/run/shellName';
import { systemClock } from '../utils/clock';
import { DisposableStore } from '../utils/disposable';
import type { Logger } from '../utils/logger';
import type { AskedQuestion } from './questions/askedQuestion';
import type { ServeOptions } from './serveOptions';

/** Files of the compiled workers that a core without an editor starts. */
export interface HeadlessWorkers extends WorkerPaths {
  database: string;
}

/** Core without an editor, and what it was built with. */
export interface HeadlessCore extends Core {
  settings: Settings;
  dispose(): Promise<void>;
}

/** Says to a person what a core without an editor has to say. */
export interface HeadlessVoice {
  note(text: string): void;
  /** Asks a person yes or no; null where there is none. */
  ask: ((question: AskedQuestion) => Promise<boolean>) | null;
}

/** Opens the storage and builds a core on it, with the file system alone around it. Rejects where the storage does not open. */
export async function openHeadlessCore(
  { folders, storage, settings: given }: Pick<ServeOptions, 'folders' | 'storage' | 'settings'>,
  workers: HeadlessWorkers,
  voice: HeadlessVoice,
  { token, logger }: { token: string | undefined; logger: Logger },
): Promise<HeadlessCore> {
  const settings = new Settings({ get: (key) => given[key] }, ({ problem }) => voice.note(problem));
  const owner = createOwner();
  const lifetime = new DisposableStore();
  const onProblem = (words: string) => voice.note(words);
  const no = () => Promise.resolve(false);
  const database = lifetime.add(
    new DatabaseService({
      ...{ directory: storage, owner, workerPath: workers.database, clock: systemClock, logger },
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
    const ports: CorePorts = {
      arbiter: new ServerArbiter(),
      ...{ workers, settings, client, onProblem, clock: systemClock, logger },
      models: new ModelManager(client, database.models, systemClock, logger),
      storage: { directory: storage, owner, readOnlyBecause: null, onDamage: ({ userMessage }) => onProblem(userMessage) },
      // Naming a folder on the command line is a person's trust in it.
      workspace: { folders: () => folders, isTrusted: () => true, commandShell: () => describeShell('', hiddenShell()) },
      editors: { get: () => undefined, isHeld: () => false, rename },
      unsaved: { paths: () => [], save: () => Promise.resolve() },
      diagnostics: {
        diagnostics: () => Promise.resolve([]),
        watch: () => ({ changes: () => Promise.resolve({ before: [], after: [] }), dispose: () => undefined }),
      },
      ...{ language: undefined, sourceControl: undefined, terminals: undefined },
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
    await core.finishUndos();
    core.codebase.begin();
    return { ...core, settings, dispose: () => lifetime.dispose() };
  } catch (error) {
    await lifetime.dispose().catch((failure: unknown) => logger.warn('Not all could be closed', failure));
    throw error;
  }
}

function cloudQuestion(model: string): AskedQuestion {
  const risk = 'The model runs on servers elsewhere: what you send leaves this machine.';
  return {
    title: 'Use this model?',
    facts: [
      { label: 'Risk', text: risk },
      { label: 'Model', text: model },
    ],
  };
}
