import type { Memento, SecretStorage } from 'vscode';
import { ExamOffers } from '../agent/exam/examOffers';
import { createCore, type Core } from '../core/createCore';
import type { CorePorts } from '../core/corePorts';
import { IdleCollection } from '../services/checkpoint/host/idleCollection';
import { DatabaseService } from '../services/database/databaseService';
import { SessionImporter, type ImportFiles } from '../services/import/sessionImporter';
import type { McpServers } from '../mcp/mcpServers';
import { PendingEditReviewService } from '../services/review/pendingEditReviewService';
import { isLive } from '../types/runState';
import { systemClock } from '../utils/clock';
import { serverKey } from '../services/model/client/serverAddress';
import { offerExam } from '../vscode/commands/examCommands';
import { askForCloud } from '../vscode/askForCloud';
import { VscodeReviewEditor } from '../vscode/review/reviewEditor';
import { ShownReviews } from '../vscode/review/shownReviews';
import { onDidChangeSettings } from '../vscode/settingsSource';
import { EditorTerminalHost } from '../vscode/terminal/terminalHost';
import { EditorDiagnostics } from '../vscode/workspace/editorDiagnostics';
import { EditorSourceControl } from '../vscode/workspace/editorSourceControl';
import { EditorLanguage } from '../vscode/workspace/editorLanguage';
import { EditorFiles } from '../vscode/workspace/openFiles';
import { RipgrepBinary } from '../vscode/workspace/ripgrepBinary';
import { indexStatusItem } from '../vscode/workspace/indexStatusItem';
import { watchSavedFiles } from '../vscode/workspace/watchSavedFiles';
import { UnsavedEditors } from '../vscode/workspace/unsavedEditors';
import { EditorTools } from '../vscode/languageModels/editorTools';
import { createMcpServers } from './mcpServers';
import type { OpenedStorage } from './openedStorage';

/** Services that are available without an open database. */
export interface StorageSurroundings extends Pick<
  CorePorts,
  'client' | 'models' | 'arbiter' | 'settings' | 'workspace' | 'questions' | 'onProblem' | 'logger'
> {
  /** Name of this window, unique among all windows that share a database. */
  owner: string;
  workerPath: string;
  searchWorkerPath: string;
  checkpointWorkerPath: string;
  codebaseWorkerPath: string;
  importing: ImportFiles;
  /** Storage for the secrets of MCP servers. */
  secrets: SecretStorage;
  memento: Memento;
}

/** Services of the open database. They are disposed with it. */
export interface StoredServices extends Core {
  importer: SessionImporter;
  mcp: McpServers;
  review: PendingEditReviewService;
  /** Review of the open inline chat. */
  inlineReview: PendingEditReviewService;
  /** Reviews of the chat and the inline chat, as shown in the editor. */
  shownReviews: ShownReviews;
  reviewEditor: VscodeReviewEditor;
}

/** Builds the core of this window on the open storage. */
export function createStoredServices(opened: OpenedStorage, around: StorageSurroundings): StoredServices {
  const { owner, workerPath, workspace, logger } = around;
  const { directory, connection, readOnlyBecause } = opened;
  const database = opened.add(new DatabaseService({ directory, owner, clock: systemClock, logger, workerPath }, connection));
  database.begin();
  const onDamage = (found: Parameters<DatabaseService['report']>[0]) => database.report(found);
  const mcp = opened.add(
    createMcpServers({
      settings: around.settings,
      workspace,
      secrets: around.secrets,
      memento: around.memento,
      logger,
      // Used only later, because tool servers start after the core is built.
      confine: (...program) => core.sandboxedProgram(...program),
    }),
  );
  const editorTools = new EditorTools(
    () => around.settings.getAgentConfig().editorTools,
    () => mcp.servers.map(({ config }) => config.name),
  );
  const core = createCore(
    database,
    {
      ...around,
      clock: systemClock,
      storage: { directory, owner, readOnlyBecause, onDamage },
      workers: { search: around.searchWorkerPath, checkpoint: around.checkpointWorkerPath, codebase: around.codebaseWorkerPath },
      editors: new EditorFiles(),
      unsaved: new UnsavedEditors(),
      diagnostics: new EditorDiagnostics(systemClock),
      language: new EditorLanguage(systemClock),
      sourceControl: new EditorSourceControl(),
      terminals: opened.add(new EditorTerminalHost(systemClock)),
      ripgrep: new RipgrepBinary(() => workspace.folders().map(({ path }) => path)),
      askForCloud,
      toolSources: [mcp, editorTools],
    },
    opened,
  );
  if (!readOnlyBecause) collectWhenIdle(opened, core);
  if (!readOnlyBecause) {
    const report = (error: unknown) => logger.error('The model exam could not start', error);
    opened.add(
      new ExamOffers({
        models: around.models,
        store: database.models.exams,
        server: () => serverKey(around.settings.baseUrl),
        logger,
        offer: (model) => void offerExam(model, core.exams).catch(report),
      }),
    );
  }
  opened.add(indexStatusItem(core.codebase));
  const begin = () => {
    core.codebase.startIndexing();
    core.messages.startInit();
  };
  begin();
  const settingsChanges = onDidChangeSettings(() => {
    begin();
    void mcp.stopRefused();
  });
  opened.add({ dispose: () => void settingsChanges.dispose() });
  opened.add(watchSavedFiles((files) => void core.codebase.updateFiles(files)));
  const importer = opened.add(
    new SessionImporter({
      file: connection.file,
      ...around.importing,
      logger,
      readOnlyBecause,
      onDamage,
      onImported: () => database.noteImport(),
    }),
  );
  const reviewEditor = opened.add(new VscodeReviewEditor(logger));
  const findSession = async (checkpointId: string) => (await database.queries.ofCheckpoint(checkpointId))[0]?.sessionId;
  const newReview = () =>
    opened.add(
      new PendingEditReviewService({ changes: core.changes, sessionOf: findSession }, reviewEditor, systemClock, logger),
    );
  const review = newReview();
  const inlineReview = newReview();
  const shownReviews = new ShownReviews(review, inlineReview, reviewEditor);
  return { ...core, importer, mcp, review, inlineReview, shownReviews, reviewEditor };
  function collectWhenIdle(store: OpenedStorage, { controller, openOwnEngine }: Core): void {
    const collection = store.add(new IdleCollection(openOwnEngine, systemClock, logger));
    store.add(controller.onDidChangeRunState(({ sessionId, state }) => collection.noteRun(sessionId, isLive(state))));
    void collection.begin();
  }
}
