import type { Settings } from '../../config/settings';
import type { ExamTaskResult } from '../../types/exam';
import type { ModelInfo } from '../../types/model';
import type { ContextWindows } from '../../services/model/context/contextWindows';
import {
  AuthError,
  ConnectionError,
  LocalOnlyRefusal,
  ModelLoadError,
  ModelNotFoundError,
} from '../../services/model/client/ollamaErrors';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import type { Clock } from '../../utils/clock';
import { CancelledError, isCancelled } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { estimatedTokens } from '../../types/tokenLength';
import type { AskForCloud } from '../approvals/cloudConsent';
import { allAids } from '../kernel/modelAids';
import { MemoryLog } from '../kernel/memoryLog';
import type { ChatClient, ModelSource } from '../kernel/ports';
import type { Run, RunResult } from '../kernel/run';
import { AgentChatExecutor } from '../loop/agentChatExecutor';
import { ModelRequester } from '../loop/modelRequester';
import { ToolRunner } from '../loop/toolRunner';
import { RequestBuilder } from '../prompt/requestBuilder';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { diagnose } from './diagnosis';
import { ExamApprovals } from './examApprovals';
import { ExamClient } from './examClient';
import { ExamError } from './examError';
import { ExamFolder } from './examFolder';
import { examPrompt, toolsOfTask } from './examPrompt';
import type { ExamEnd, ExamTask } from './examTask';
import { modelCalls } from './modelCalls';

export interface TaskRunPorts {
  client: ChatClient;
  models: ModelSource;
  settings: Settings;
  windows: Pick<ContextWindows, 'tokensFor'>;
  /** Returns the real tools for the workspace of a task. */
  toolsFor: (workspace: WorkspacePort) => ToolRegistry;
  commandShell: () => string;
  askForCloud: AskForCloud;
  clock: Clock;
  logger: Logger;
}

/** Time limit of a task in milliseconds, without the time for loading the model. */
const timeLimitMs = 180_000;

/**
 * Runs and judges one task with the agent loop and the real tools in a temporary folder. Stores nothing. Rejects
 * with `CancelledError` when the signal is aborted. If the server cannot run the model, rejects with the reason.
 */
export async function runTask(
  task: ExamTask,
  model: ModelInfo,
  form: 'native' | 'printed',
  ports: TaskRunPorts,
  signal: AbortSignal,
): Promise<ExamTaskResult> {
  const folder = await ExamFolder.create(task.files, ports.commandShell());
  const time = new AbortController();
  const over = new AbortController();
  ports.clock.sleep(timeLimitMs, over.signal).then(
    () => time.abort(),
    () => undefined,
  );
  try {
    const client = new ExamClient(ports.client, model, task.budget);
    const tools = toolsOfTask(ports.toolsFor(folder.workspace), task);
    const log = new MemoryLog();
    const id = `exam#${task.name}`;
    for (const entry of task.before ?? []) await log.append(id, entry);
    await log.append(id, { type: 'user_input', content: task.message, data: { mode: 'agent', attachments: [] } });
    const seeded = log.entries.length;
    const run: Run = {
      sessionId: id,
      mode: 'agent',
      model: model.name,
      signal: AbortSignal.any([signal, time.signal]),
      use: () => undefined,
      report: () => undefined,
      setWaiting: () => Promise.resolve(),
    };
    const approvals = new ExamApprovals(task, folder.path);
    const executor = createExecutor({ client, log, tools, approvals, workspace: folder.workspace }, withForm(model, form), ports);
    const end = await executor.run(run).then(
      ({ outcome }) => toExamEnd(outcome, client),
      (error: unknown) => {
        if (signal.aborted) throw new CancelledError();
        if (time.signal.aborted && isCancelled(error)) return 'time' as const;
        throw error;
      },
    );
    if (end === 'failed') assertRunnable(client, log);
    const { answers } = client;
    const entries = log.entries.slice(seeded);
    const evidence = { task, answers, calls: modelCalls(answers, tools), entries, files: await folder.read(), end };
    return diagnose(evidence, tools, form);
  } finally {
    over.abort();
    await folder.remove().catch((error: unknown) => ports.logger.warn('Could not delete a folder of the model exam', error));
  }
}

function toExamEnd(outcome: RunResult['outcome'], { isUsedUp }: ExamClient): ExamEnd {
  return isUsedUp ? 'budget' : outcome;
}

interface TaskParts {
  client: ExamClient;
  log: MemoryLog;
  tools: ToolRegistry;
  approvals: ExamApprovals;
  workspace: WorkspacePort;
}

function createExecutor({ client, log, tools, approvals, workspace }: TaskParts, model: ModelInfo, ports: TaskRunPorts) {
  const { settings, windows, clock, logger, askForCloud } = ports;
  /** The exam ignores the user's settings and earlier exams, so that its conditions are always the same. */
  const defaults = {
    isPrinted: !model.capabilities.tools,
    isBySchema: false,
    weakEdit: null,
    hasFewTools: false,
    isCompact: false,
  };
  const models: ModelSource = {
    list: () => ports.models.list(),
    refresh: (signal) => ports.models.refresh(signal),
    lastError: null,
    get: () => Promise.resolve(model),
    running: (signal) => ports.models.running(signal),
  };
  const requests = new RequestBuilder(settings, workspace, windows, undefined, null, null, {
    systemPrompt: examPrompt,
    defaults,
  });
  /** The exam does not change the token measurements of the user's chats. */
  const meter = {
    record: () => undefined,
    noteTokens: () => Promise.resolve(),
    size: async () => {
      const characters = JSON.stringify(log.entries).length;
      return {
        characters,
        tokens: estimatedTokens('x'.repeat(characters)),
        isMeasured: false,
        window: await windows.tokensFor(model),
      };
    },
  };
  return new AgentChatExecutor(
    log,
    models,
    new ModelRequester(client, models, requests, meter, clock),
    { registry: tools, runner: new ToolRunner(tools, approvals, settings, clock), workspace },
    { settings, askForCloud, clock, logger, aids: allAids },
  );
}

function withForm(model: ModelInfo, form: 'native' | 'printed'): ModelInfo {
  return { ...model, capabilities: { ...model.capabilities, tools: form === 'native' } };
}

/** Throws if the task failed because of the server or the connection, not because of the model. */
function assertRunnable({ failure, answers }: ExamClient, log: MemoryLog): void {
  const isServers = [ConnectionError, AuthError, LocalOnlyRefusal, ModelLoadError, ModelNotFoundError];
  if (isServers.some((kind) => failure instanceof kind)) throw failure;
  if (answers.length > 0) return;
  throw new ExamError(log.entries.findLast(({ type }) => type === 'error')?.content ?? '');
}
