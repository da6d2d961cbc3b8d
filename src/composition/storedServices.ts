import { AgentChatExecutor } from '../agent/loop/agentChatExecutor';
import { ApprovalManager } from '../agent/approvals/approvalManager';
import { FilesOnDisk } from '../services/changes/fileOnDisk';
import { PendingChanges } from '../services/changes/pendingChanges';
import { SnapshotKeeper } from '../services/changes/snapshotKeeper';
import { StagingKeeper } from '../services/changes/stagingKeeper';
import { WorkSessions } from '../services/changes/workSessions';
import type { ReviewQuestions } from '../services/changes/undoPlan';
import { ContextMeter } from '../agent/context/contextMeter';
import { ModelRequester } from '../agent/loop/modelRequester';
import { FileAccess } from '../agent/approvals/fileAccess';
import { FileChanges } from '../services/files/fileChanges';
import type { WorkspacePort } from '../services/files/workspacePorts';
import { RequestBuilder } from '../agent/prompt/requestBuilder';
import { SessionController } from '../agent/loop/sessionController';
import { SessionGrants } from '../agent/approvals/sessionGrants';
import { ToolRunner } from '../agent/loop/toolRunner';
import { workspaceTools } from '../agent/tools/kernel/workspaceTools';
import { WorkspacePaths } from '../services/files/workspacePaths';
import type { Settings } from '../config/settings';
import { checkpointedFolders, realHome } from '../services/checkpoint/host/checkpointedFolders';
import { Checkpoints } from '../services/checkpoint/host/checkpoints';
import { CommandChanges } from '../services/checkpoint/host/commandChanges';
import { EngineClient } from '../services/checkpoint/host/engineClient';
import { IdleCollection } from '../services/checkpoint/host/idleCollection';
import { Restores } from '../services/checkpoint/host/restores';
import { StorageCare } from '../services/checkpoint/host/storageCare';
import { WorkerSnapshotObjects } from '../services/checkpoint/host/snapshotObjects';
import { DatabaseService } from '../services/database/databaseService';
import { createOwner } from '../services/database/sessions/windowOwner';
import { SessionImporter, type ImportFiles } from '../services/import/sessionImporter';
import { ContextWindows } from '../services/model/context/contextWindows';
import type { OpenedStorage } from './openedStorage';
import type { RunState } from '../protocol/webviewEvents';
import type { ModelManager } from '../services/model/catalogue/modelManager';
import type { OllamaClient } from '../services/model/client/ollamaClient';
import { TextSearch } from '../services/search/textSearch';
import { WorkerSearch } from '../services/search/workerSearch';
import { BackgroundCommands } from '../services/terminal/run/backgroundCommands';
import { TerminalManager } from '../services/terminal/run/terminalManager';
import { UnfinishedWrites, type WriteNotes } from '../services/files/unfinishedWrites';
import type { SnapshotObjects } from '../types/checkpoint';
import { systemClock } from '../utils/clock';
import type { Logger } from '../utils/logger';
import { askForCloud } from '../vscode/askForCloud';
import { EditorDiagnostics } from '../vscode/workspace/editorDiagnostics';
import { trustedFolders } from '../vscode/workspace/editorWorkspace';
import { EditorFiles } from '../vscode/workspace/openFiles';
import { RipgrepBinary } from '../vscode/workspace/ripgrepBinary';
import { EditorTerminalHost } from '../vscode/terminal/terminalHost';
import { UnsavedEditors } from '../vscode/workspace/unsavedEditors';

/** What is there whether the database opens or not. */
export interface StorageSurroundings {
  /** This window, among all that ever share a database. */
  owner: string;
  workerPath: string;
  /** The compiled `searchWorker`. */
  searchWorkerPath: string;
  /** The compiled `checkpointWorker`. */
  checkpointWorkerPath: string;
  importing: ImportFiles;
  questions: ReviewQuestions;
  client: OllamaClient;
  models: ModelManager;
  settings: Settings;
  workspace: WorkspacePort;
  logger: Logger;
  onProblem: (userMessage: string) => void;
}

/** What works on the open database, and ends with it. */
export interface StoredServices {
  database: DatabaseService;
  controller: SessionController;
  meter: ContextMeter;
  background: BackgroundCommands;
  grants: SessionGrants;
  snapshots: SnapshotObjects;
  changes: PendingChanges;
  restores: Restores;
  /** Finishes undos of files that were interrupted, where the workspace is trusted. */
  finishUndos(): Promise<void>;
  workSessions: WorkSessions;
  care: StorageCare;
  importer: SessionImporter;
}

export function createStoredServices(opened: OpenedStorage, around: StorageSurroundings): StoredServices {
  const { owner, workerPath, logger } = around;
  const { directory, connection } = opened;
  const database = opened.add(new DatabaseService({ directory, owner, clock: systemClock, logger, workerPath }, connection));
  database.begin();
  const openEngine = (engineOwner: string) =>
    new EngineClient({
      directory,
      owner: engineOwner,
      workerPath: around.checkpointWorkerPath,
      logger,
      readOnlyBecause: opened.readOnlyBecause,
      onDamage: (found) => database.report(found),
    });
  const engine = opened.add(openEngine(owner));
  const limit = () => around.settings.getCheckpointConfig().maxStorageBytes;
  const home = realHome();
  // Each writer among all that share the storage has a name of its own.
  const workspace = () => {
    const { exclude, maxFileBytes } = around.settings.getCheckpointConfig();
    const { roots } = checkpointedFolders(trustedFolders(around.workspace), home);
    return roots.length === 0 ? null : { roots, exclude, maxFileBytes };
  };
  const care = opened.add(new StorageCare(engine, () => openEngine(createOwner()), systemClock, limit, logger, workspace));
  const snapshots = new WorkerSnapshotObjects(engine);
  const editors = new EditorFiles();
  const notes = new UnfinishedWrites(directory, owner, logger);
  const files = new FilesOnDisk(editors, notes, database.madeFolders);
  const changes = new PendingChanges(database, snapshots, files, around.questions, logger);
  const surroundings = {
    getCheckpointConfig: () => around.settings.getCheckpointConfig(),
    folders: () => trustedFolders(around.workspace),
    checkpointed: () => checkpointedFolders(trustedFolders(around.workspace), home),
    logger,
  };
  const guard = opened.add(
    new Checkpoints(
      engine,
      {
        ...surroundings,
        lastSeq: (sessionId) => database.queries.lastSeq(sessionId),
        onProblem: around.onProblem,
      },
      new CommandChanges(engine, database.log, { folders: () => around.workspace.folders(), logger }),
    ),
  );
  const finishUndos = async () => {
    if (around.workspace.isTrusted()) await changes.recover(around.workspace.folders().map(({ path }) => path));
  };
  const restores = new Restores(engine, guard, database.log, new UnsavedEditors(), {
    ...surroundings,
    ...{ operations: database.operations, finishUndos },
  });
  const workSessions = new WorkSessions(engine, changes, database, surroundings);
  const agent = createAgent({ database, snapshots, editors, notes, guard }, around, opened);
  if (!opened.readOnlyBecause) collectWhenIdle(opened, agent.controller, () => openEngine(createOwner()), logger);
  const importer = opened.add(
    new SessionImporter({
      file: connection.file,
      ...around.importing,
      logger,
      readOnlyBecause: opened.readOnlyBecause,
      onImported: () => database.noteImport(),
      onDamage: (found) => database.report(found),
    }),
  );
  return { database, ...agent, snapshots, changes, restores, finishUndos, workSessions, care, importer };
}

function collectWhenIdle(
  opened: OpenedStorage,
  controller: SessionController,
  openEngine: () => EngineClient,
  logger: Logger,
): void {
  const collection = opened.add(new IdleCollection(openEngine, systemClock, logger));
  const isRunning = ({ state }: RunState) => state !== 'idle' && state !== 'interrupted';
  opened.add(controller.onDidChangeRunState((run) => collection.note(run.sessionId, isRunning(run))));
  void collection.begin();
}

interface AgentParts {
  database: DatabaseService;
  snapshots: SnapshotObjects;
  editors: EditorFiles;
  notes: WriteNotes;
  guard: Checkpoints;
}

function createAgent(
  { database, snapshots, editors, notes, guard }: AgentParts,
  around: StorageSurroundings,
  opened: OpenedStorage,
) {
  const { client, models, settings, workspace, logger } = around;
  const background = opened.add(new BackgroundCommands(systemClock, logger));
  const keeper = new SnapshotKeeper(database, snapshots, logger);
  const registry = workspaceTools({
    access: new FileAccess(new WorkspacePaths(workspace), settings, database.sessions),
    changes: new FileChanges(editors, new StagingKeeper(guard, keeper), notes),
    editors,
    terminals: new TerminalManager(opened.add(new EditorTerminalHost(systemClock)), systemClock, logger),
    background,
    searcher: new TextSearch(
      new RipgrepBinary(() => workspace.folders().map(({ path }) => path)),
      new WorkerSearch(around.searchWorkerPath, systemClock),
      logger,
    ),
    diagnostics: new EditorDiagnostics(systemClock),
    clock: systemClock,
  });
  const approvals = new ApprovalManager();
  const grants = new SessionGrants(database.sessions, logger);
  const requests = new RequestBuilder(settings, workspace, new ContextWindows(database.models, settings, logger));
  const meter = opened.add(new ContextMeter(models, requests, { registry, workspace }, logger));
  const executor = new AgentChatExecutor(
    database.log,
    models,
    new ModelRequester(client, models, requests, meter, systemClock),
    { registry, runner: new ToolRunner(registry, approvals, settings, systemClock, guard, grants), workspace },
    { settings, askForCloud, clock: systemClock, logger },
  );
  const { sessions, log, queued } = database;
  const controller = new SessionController({ sessions, log, queued }, executor, approvals, settings, {
    clock: systemClock,
    logger,
    projectPath: () => workspace.folders()[0]?.path ?? null,
    onProblem: around.onProblem,
    guard,
    whenFree: (signal) => database.operations.whenNone(signal),
  });
  return { controller: opened.add(controller), meter, background, grants };
}
