import { ApprovalManager } from '../agent/approvals/approvalManager';
import { BoundFiles } from '../agent/approvals/boundFiles';
import { FileAccess } from '../agent/approvals/fileAccess';
import { SandboxLevel } from '../agent/approvals/sandboxLevel';
import { SessionMemory } from '../agent/context/sessionMemory';
import { SessionGrants } from '../agent/approvals/sessionGrants';
import { ContextMeter } from '../agent/context/contextMeter';
import { TokenLengths } from '../agent/context/tokenLengths';
import { ModelSummary } from '../agent/context/modelSummary';
import { AgentChatExecutor } from '../agent/loop/agentChatExecutor';
import { AgentExploreExecutor } from '../agent/loop/agentExploreExecutor';
import type { Explorer } from '../agent/tools/ask/runSubagent';
import type { ToolRegistry } from '../agent/tools/kernel/toolRegistry';
import { ModelRequester } from '../agent/loop/modelRequester';
import { PromptSpeed } from '../agent/loop/modelSpeed';
import { SessionController } from '../agent/loop/sessionController';
import { ToolRunner } from '../agent/loop/toolRunner';
import { Instructions } from '../services/instructions/instructions';
import { findAgentName } from '../agent/prompt/chosenAgent';
import { offeredTools, toolState } from '../agent/prompt/offeredTools';
import type { ChatForRequest } from '../agent/prompt/nextRequest';
import { PromptPreparer } from '../agent/prompt/promptPreparer';
import { TitleWriter } from '../agent/prompt/titleWriter';
import { RequestBuilder } from '../agent/prompt/requestBuilder';
import { workspaceTools } from '../agent/tools/kernel/workspaceTools';
import type { PendingChanges } from '../services/review/pendingChanges';
import { SnapshotKeeper, StagingKeeper } from '../services/review/snapshotKeeper';
import type { SourceControlChange } from '../agent/kernel/ports';
import { allAids } from '../agent/kernel/modelAids';
import type { Checkpoints } from '../services/checkpoint/host/checkpoints';
import type { Restores } from '../services/checkpoint/host/restores';
import type { Codebase } from '../services/codebase/codebase';
import type { MessageSearch } from '../services/codebase/messages/messageSearch';
import type { DatabaseService } from '../services/database/databaseService';
import { FileChanges } from '../services/files/fileChanges';
import type { WriteNotes } from '../services/files/unfinishedWrites';
import { WorkspacePaths } from '../services/files/workspacePaths';
import { ContextWindows } from '../services/model/context/contextWindows';
import { TextSearch } from '../services/search/textSearch';
import { WorkerSearch } from '../services/search/workerSearch';
import { BackgroundCommands } from '../services/terminal/run/backgroundCommands';
import { CommandOutputs } from '../services/terminal/run/commandOutputs';
import { TerminalManager } from '../services/terminal/run/terminalManager';
import type { SnapshotObjects } from '../types/checkpoint';
import type { ModelInfo } from '../types/model';
import type { CorePorts, Lifetime } from './corePorts';
import { createSandbox, type SandboxStores } from './createSandbox';
import { pastMessages } from './pastMessages';

interface AgentStores extends Pick<SandboxStores, 'engine' | 'checkpointed'> {
  codebase: Codebase;
  messages: Pick<MessageSearch, 'searchHybrid' | 'searchByKeyword'>;
  database: DatabaseService;
  snapshots: SnapshotObjects;
  notes: WriteNotes;
  guard: Checkpoints;
  restores: Pick<Restores, 'list' | 'compare'>;
  changes: Pick<PendingChanges, 'compared'>;
}

/** Builds the agent of a window, with its loop, tools, questions and context meter. */
export function createAgent(
  { database, snapshots, notes, guard, restores, changes, codebase, messages, engine, checkpointed }: AgentStores,
  ports: CorePorts,
  lifetime: Lifetime,
) {
  const { client, models, arbiter, settings, workspace, editors, clock, logger, aids = allAids } = ports;
  const background = lifetime.add(new BackgroundCommands(clock, logger, ports.terminals));
  const commandOutputs = lifetime.add(new CommandOutputs(logger));
  const keeper = new SnapshotKeeper(database, snapshots, logger);
  const explorer: Explorer = { explore: (...asked) => exploring.explore(...asked) };
  const paths = new WorkspacePaths(workspace);
  const access = new FileAccess(paths, settings, database.sessions);
  const sandbox = ports.sandbox ?? createSandbox({ access, restores, engine, checkpointed }, ports);
  const level = new SandboxLevel(sandbox, () => settings.getSandboxConfig(), commandOutputs);
  const registry: ToolRegistry = workspaceTools({
    access,
    changes: new FileChanges(editors, new StagingKeeper(guard, keeper), notes),
    editors,
    terminals: new TerminalManager(ports.terminals, clock, logger, { outputs: commandOutputs, background }),
    background,
    sandbox: level,
    searcher: new TextSearch(ports.ripgrep, new WorkerSearch(ports.workers.search, clock), logger),
    codebase,
    searchHistory: pastMessages(database, messages, workspace),
    diagnostics: ports.diagnostics,
    language: ports.language,
    sourceControl: ports.sourceControl,
    changedSinceStart: (sessionId) => changedSinceStart(restores, sessionId),
    explorer,
    clock,
    aids,
  }).with(ports.toolSources ?? [], (name) => settings.getAgentConfig().disabledTools.includes(name));
  const approvals = new ApprovalManager();
  const bound = new BoundFiles({
    objects: snapshots,
    changes,
    logger,
    pendingFiles: () => database.pendingFiles(),
    roots: async () => (workspace.folders().length === 0 ? [] : (await paths.roots()).map(({ real }) => real)),
  });
  const grants = new SessionGrants(database.sessions, logger, bound);
  const instructions = new Instructions(settings, workspace, clock, logger);
  const windows = new ContextWindows(database.models, settings, logger);
  const memory = new SessionMemory(database.sessions, database.log);
  const requests = new RequestBuilder(settings, workspace, windows, instructions, memory, database.images);
  const meter = lifetime.add(
    new ContextMeter(models, requests, { registry, workspace }, new TokenLengths(database.models, logger), logger),
  );
  const summaries = new ModelSummary(client, models, requests, settings, logger);
  const speed = new PromptSpeed();
  const toolsFor = async ({ mode, entries }: ChatForRequest, model: ModelInfo) => {
    const agent = await requests.agentNamed(findAgentName(entries));
    const here = { registry, workspace, agent, ...toolState(entries), defaults: requests.defaultsFor(model) };
    return offeredTools(mode, model, await requests.windowFor(model), here).tools;
  };
  const preparer = lifetime.add(
    new PromptPreparer({
      client,
      models,
      arbiter,
      requests,
      toolsFor,
      speed,
      settings,
      clock,
      logger,
      onDidExchange: client.onDidExchange,
      templateOf: async (name, signal) => (await client.showModel(name, { signal })).template,
    }),
  );
  const executor = new AgentChatExecutor(
    database.log,
    models,
    new ModelRequester(client, models, requests, meter, clock, { summaries, memory, aids, speed, ahead: preparer }),
    { registry, runner: new ToolRunner(registry, approvals, settings, clock, guard, grants, database.images), workspace },
    { settings, askForCloud: ports.askForCloud, queued: database.queued, clock, logger, aids },
  );
  const { sessions, log, queued } = database;
  const ownMeter: Pick<ContextMeter, 'record' | 'size' | 'noteTokens'> = {
    record: () => undefined,
    noteTokens: (...counted) => meter.noteTokens(...counted),
    size: (next) => meter.size({ ...next, sessionId: null }),
  };
  /** Declines all questions, because the user does not see the work of a subagent. */
  const declined = Object.assign(new ApprovalManager(), { ask: () => Promise.resolve('denied' as const) });
  const exploring = new AgentExploreExecutor(
    models,
    new ModelRequester(client, models, requests, ownMeter, clock, { aids }),
    {
      registry: registry.ofOwn(({ modes }) => modes === 'every'),
      runner: new ToolRunner(registry, declined, settings, clock),
      workspace,
    },
    { settings, askForCloud: ports.askForCloud, sessions, clock, logger, aids },
  );
  const controller = new SessionController({ sessions, log, queued }, executor, approvals, settings, {
    clock,
    logger,
    guard,
    onProblem: ports.onProblem,
    projectPath: () => workspace.folders()[0]?.path ?? null,
    whenFree: (signal) => database.operations.whenNone(signal),
  });
  const titles = lifetime.add(new TitleWriter({ client, models, arbiter, requests, toolsFor, sessions, log, settings, logger }));
  lifetime.add({ dispose: () => arbiter.forgetChats() });
  controller.onDidChangeRunState((run) => {
    arbiter.trackRun(run, async () => (await sessions.get(run.sessionId))?.model ?? null);
    titles.follow(run);
  });
  const sandboxLevelAvailable = () => sandbox.probe();
  return {
    controller: lifetime.add(controller),
    meter,
    preparer,
    instructions,
    registry,
    background,
    commandOutputs,
    grants,
    memory,
    sandboxLevelAvailable,
    sandboxedProgram: (...program: Parameters<SandboxLevel['prepareProgram']>) => level.prepareProgram(...program),
  };
}

/** Resolves with the changes since the first checkpoint of a session, or with null if there is no checkpoint. */
async function changedSinceStart(restores: AgentStores['restores'], sessionId: string): Promise<SourceControlChange[] | null> {
  const [first] = await restores.list(sessionId);
  if (first === undefined) return null;
  const { changes } = await restores.compare(sessionId, first.id);
  return changes.map(({ file, status }) => ({ file, status }));
}
