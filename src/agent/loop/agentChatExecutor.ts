import type { Settings } from '../../config/settings';
import { ModelNotFoundError } from '../../services/model/client/ollamaErrors';
import { selectedModel } from '../../services/model/modelSelection';
import type { EntryInput, EntryOf } from '../../protocol/entries';
import type { AgentFile } from '../../services/instructions/agentFiles';
import type { ModelList } from '../../types/model';
import type { Clock } from '../../utils/clock';
import { AppError, CancelledError, isCancelled } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { AgentError } from '../kernel/agentError';
import { assertConsent, type AskForCloud } from '../approvals/cloudConsent';
import { errorEntry } from '../kernel/failure';
import { assertCanAnswer, assertModelFits } from '../kernel/assertModelFits';
import { AnswerRequester, type Work } from './answerRequester';
import { dedupeResult } from '../context/dedupeResult';
import { isRefetch } from '../context/refetchedResults';
import { LoopGuard, repeatedIn } from './loopGuard';
import type { ModelRequester } from './modelRequester';
import { nudged } from './modelAdvice';
import { limitNotice, loopNotice, noToolsNotice } from '../kernel/notices';
import type { ModelAids } from '../kernel/modelAids';
import { findAgentName } from '../prompt/chosenAgent';
import { offeredTools, toolState } from '../prompt/offeredTools';
import type { LogStore, ModelSource, QueuedMessageStore } from '../kernel/ports';
import { notePlan, openStepsHint } from './planEnd';
import { selectConversation } from '../../protocol/reducer/timelineReducer';
import { selectPrompted } from '../../protocol/reducer/promptedEntries';
import { WorkspacePaths } from '../../services/files/workspacePaths';
import { modeRow } from '../../types/modes';
import { lineEdits, needsLineEdits } from '../tools/edit/editHistory';
import { attachedParts } from '../tools/kernel/attachedLines';
import { confinedTools } from '../tools/kernel/confinedTools';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import type { Run, RunResult } from '../kernel/run';
import { hasNotice, RunLog } from '../kernel/runLog';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { ToolRunner } from './toolRunner';
import type { RequestedCall } from '../kernel/requestedCall';

export interface ExecutorTools {
  registry: ToolRegistry;
  runner: ToolRunner;
  workspace: WorkspacePort;
}

export interface ExecutorHost {
  settings: Settings;
  /** Asks the user before session content is sent to a cloud model. */
  askForCloud: AskForCloud;
  /** Messages that the user wrote during a run. */
  queued?: QueuedMessageStore;
  clock: Clock;
  logger: Logger;
  aids: Readonly<ModelAids>;
}

/**
 * Runs the agent loop. Each step sends a request, reads the answer and runs its calls. The loop ends when an answer has
 * no calls, marks the task as done, or reaches a limit. Everything is logged. A model failure becomes an error entry.
 */
export class AgentChatExecutor {
  private readonly answers: AnswerRequester;

  constructor(
    private readonly logs: LogStore,
    private readonly models: ModelSource,
    private readonly requester: ModelRequester,
    private readonly tools: ExecutorTools,
    private readonly host: ExecutorHost,
  ) {
    this.answers = new AnswerRequester(requester, tools.runner, host);
  }

  /**
   * Runs the agent loop. Rejects with `CancelledError` when the run is
   * stopped, and with a storage error if the log cannot be written.
   */
  async run(run: Run): Promise<RunResult> {
    let iterations = 0;
    let log: RunLog | undefined;
    try {
      log = await RunLog.load(this.logs, run.sessionId, run.model);
      const model = await this.findModelName(run);
      if (model !== null) log.useModel(model);
      let work = await this.prepare(run, log, model);
      let wanted = run.model;
      const { maxIterations } = this.host.settings.getAgentConfig();
      let hint: string | undefined;
      let isReminded = false;
      while (iterations < maxIterations) {
        if (iterations > 0) await this.addQueuedMessages(run, log);
        if (run.model !== wanted) {
          wanted = run.model;
          work = { ...(await this.changeModel(run, log)), guard: work.guard, challenge: work.challenge };
        }
        work = await this.withLineEdits(work);
        const { calls, answer } = await this.answers.ask({ ...work, hint });
        hint = undefined;
        iterations += 1;
        if (answer === null) return { outcome: 'failed', iterations };
        const { hasRepeated, hasFailed } = await this.runCalls(calls, work);
        const isCut = answer.doneReason === 'length' && calls.length === 0;
        if (hasRepeated || isCut || answer.isRepeating) return { outcome: 'limit', iterations };
        // A completion mark is ignored if the last calls failed.
        if (calls.length > 0 && !(answer.isMarkedComplete && !hasFailed)) continue;
        hint = isReminded ? undefined : openStepsHint(log.entries);
        isReminded = true;
        if (hint !== undefined) continue;
        if (modeRow(run.mode).rules === 'plan') await notePlan(log);
        return { outcome: 'done', iterations };
      }
      await log.append(limitNotice(iterations));
      return { outcome: 'limit', iterations };
    } catch (error) {
      if (log === undefined || log.failure !== undefined) throw error;
      if (run.signal.aborted || isCancelled(error)) throw new CancelledError();
      if (error instanceof AppError) this.logFailure(error);
      else this.host.logger.error('A run failed', error);
      await log.append(errorEntry(error));
      if (error instanceof ModelNotFoundError) this.refreshModels();
      return { outcome: 'failed', iterations };
    }
  }

  /** Rejects if the model is missing or cannot answer `message`. */
  assertCanAnswer(model: string, message: EntryOf<'user_input'>): Promise<void> {
    return assertCanAnswer(this.models, model, message);
  }

  /** Refreshes the model list in the background, so that pickers and error messages no longer offer a missing model. */
  private refreshModels(): void {
    this.models.refresh().catch((error: unknown) => {
      if (!isCancelled(error)) this.host.logger.warn('Could not list the models', error);
    });
  }

  /** Adds messages queued since the last step to the conversation in order. Stops before the first message for another mode. */
  private async addQueuedMessages(run: Run, log: RunLog): Promise<void> {
    const { queued } = this.host;
    let isAny = false;
    for (const { id, mode, model } of (await queued?.list(run.sessionId)) ?? []) {
      if (mode !== run.mode || (await queued?.send(run.sessionId, id, true)) === undefined) break;
      if (model !== null) run.use(mode, model);
      isAny = true;
    }
    if (isAny) await log.readNew();
  }

  private async changeModel(run: Run, log: RunLog): Promise<Work> {
    const name = await this.findModelName(run);
    if (name !== null) log.useModel(name);
    return this.prepare(run, log, name);
  }

  /**
   * Replaces old entries with a summary. Resolves with false if no
   * entry is old enough. Rejects with `CancelledError` when stopped.
   */
  async compact(run: Run): Promise<boolean> {
    const name = await this.findModelName(run);
    if (name === null) throw noModel();
    const log = await RunLog.load(this.logs, run.sessionId, name);
    const model = await this.models.get(name, run.signal);
    const { tools } = offeredTools(run.mode, model, await this.requester.windowFor(model), {
      ...this.tools,
      defaults: this.requester.defaultsFor(model),
    });
    return this.requester.compactNow({ run, log, model, tools });
  }

  /** Logs a failure. The message is logged only at trace level, because the server may quote model output in it. */
  private logFailure(error: AppError): void {
    this.host.logger.warn(`A run failed: ${error.name} (${error.code})`);
    this.host.logger.trace('The failure in words', error.message);
  }

  private async findModelName(run: Run): Promise<string | null> {
    if (run.model !== null) return run.model;
    const selected = ({ models }: ModelList) => selectedModel(run.mode, this.host.settings, models);
    const seen = await this.models.list();
    const name = selected(seen);
    if (name !== null || seen.fetchedAt !== null) return name;
    // The model list has not been requested yet.
    const asked = selected(await this.models.refresh(run.signal));
    if (asked === null && this.models.lastError !== null) throw this.models.lastError;
    return asked;
  }

  private async prepare(run: Run, log: RunLog, name: string | null): Promise<Work> {
    if (!log.entries.some((entry) => entry.type === 'user_input')) {
      throw new AgentError('nothingToAnswer', phrase('There is no message to answer yet. Write a message first.'));
    }
    if (name === null) throw noModel();
    const model = await this.models.get(name, run.signal);
    const message = selectConversation(log.entries).findLast((entry) => entry.type === 'user_input');
    assertModelFits(model, message);
    await assertConsent(model.name, run, log, this.host.askForCloud);
    if (modeRow(run.mode).tools === 'all' && this.tools.workspace.isTrusted()) await this.tools.registry.ready(run.signal);
    const agent = await this.findAgent(log);
    const defaults = this.requester.defaultsFor(model);
    const here = { ...this.tools, ...toolState(log.entries), agent, defaults };
    const { tools: offered, obstacle } = offeredTools(run.mode, model, await this.requester.windowFor(model), here);
    if (obstacle !== null && !hasNotice(obstacle, log)) await log.append(noToolsNotice(obstacle));
    const tools = modeRow(run.mode).rules === 'edit' ? this.confined(offered, log) : offered;
    const { isBySchema } = defaults;
    return { run, log, model, tools, isBySchema, guard: new LoopGuard(), challenge: { isMade: !this.host.aids.claimChallenge } };
  }

  /** After repeated failed edits to a file, offers the tool that replaces lines by number. */
  private async withLineEdits(work: Work): Promise<Work> {
    const { run, log, model, tools } = work;
    const isOffered = tools.get(lineEdits) !== undefined || this.tools.registry.get(lineEdits) === undefined;
    if (isOffered || !needsLineEdits(log.entries)) return work;
    return { ...work, tools: (await this.prepare(run, log, model.name)).tools };
  }

  /**
   * Returns the agent that the user chose for the last message. Rejects
   * with `noAgent` if its file is missing, disabled or unreadable.
   */
  private async findAgent({ entries }: RunLog): Promise<AgentFile | null> {
    const name = findAgentName(entries);
    const agent = await this.requester.agentNamed(name);
    if (name === null || agent !== null) return agent;
    throw new AgentError(
      'noAgent',
      phrase('The agent “{0}” is no longer available. Choose another mode, then send your message again.', name),
    );
  }

  /** Limits the tools to the attached files and lines. */
  private confined(tools: ToolRegistry, log: RunLog): ToolRegistry {
    const parts = () => attachedParts(selectPrompted(log.entries));
    if (parts().size === 0) {
      const words = phrase(
        'Edit mode changes the selection or the attached files only. Attach the files to change, then send again.',
      );
      throw new AgentError('nothingToEdit', words);
    }
    return confinedTools(tools, parts, new WorkspacePaths(this.tools.workspace));
  }

  /** Runs the calls of one answer. If `hasRepeated` is true, the run must stop because the model repeats itself. */
  private async runCalls(
    calls: readonly RequestedCall[],
    { run, log, tools, guard }: Work,
  ): Promise<{ hasRepeated: boolean; hasFailed: boolean }> {
    const { runner } = this.tools;
    const { loopGuard } = this.host.aids;
    const repeated: EntryInput[] = [];
    const again = repeatedIn(loopGuard ? calls : [], (name) => tools.get(name)?.modes === 'every');
    let hasFailed = false;
    guard.answered();
    for (const group of runner.groups(calls, tools)) {
      if (run.signal.aborted || repeated.length > 0) {
        for (const call of group) await runner.skip(call, 'Not run: the agent was stopped.', { run, log });
        continue;
      }
      await runner.run(group, { run, log, tools, again }, (call, given) => {
        if (again.has(call)) return given;
        hasFailed ||= given.status !== 'success';
        const tool = tools.get(call.name);
        const isReading = tool?.facts.effect === 'none' && tool.isPolling !== true;
        const result = isReading ? dedupeResult(given, call, log.entries) : given;
        if (!loopGuard) return result;
        if (isRefetch(log.entries, call)) guard.allowRefetch(call);
        const verdict = guard.observe(call, given.content, {
          ...(tool?.isPolling !== undefined && { isPolling: tool.isPolling }),
          isReading,
        });
        if (verdict === 'stop')
          repeated.push(loopNotice(call.name, { round: guard.round, times: guard.repetitions }, guard.howAlike));
        return verdict === 'nudge' ? nudged(result, guard) : result;
      });
      const [notice] = repeated;
      if (notice) await log.append(notice);
    }
    if (run.signal.aborted) throw new CancelledError();
    return { hasRepeated: repeated.length > 0, hasFailed };
  }
}

function noModel(): AgentError {
  return new AgentError('noModel', phrase('No model is selected. Choose a model, then try again.'));
}
