import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings';
import { UnreadableCallError } from '../../services/model/client/ollamaErrors';
import { selectedModel } from '../../services/model/modelSelection';
import { continuedCode } from '../../protocol/continuation';
import type { EntryInput } from '../../protocol/entries';
import { modeRow } from '../../types/modes';
import type { ModelInfo } from '../../types/model';
import type { Clock } from '../../utils/clock';
import { AppError, CancelledError, isCancelled } from '../../utils/errors';
import { phrase, t } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { AgentError } from '../kernel/agentError';
import { assertConsent, type AskForCloud } from '../approvals/cloudConsent';
import { emptyAnswerEntry, errorEntry } from '../kernel/failure';
import { LoopGuard, repeatedIn } from './loopGuard';
import type { ModelRequester } from './modelRequester';
import { emptyAnswerHint, nudged, shownCallHint, unreadableCall, unreadableCallHint } from './modelAdvice';
import {
  cutNotice,
  isWindowFull,
  limitNotice,
  loopNotice,
  noToolsNotice,
  repetitionNotice,
  type CutAnswer,
} from '../kernel/notices';
import { offeredTools } from '../prompt/offeredTools';
import type { LogStore, ModelSource } from '../kernel/ports';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import type { Run, RunResult } from '../kernel/run';
import { RunLog } from '../kernel/runLog';
import { shownCall } from '../stream/shownCall';
import type { AskedCall, StreamedAnswer } from '../stream/streamProcessor';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { RequestedCall, ToolRunner } from './toolRunner';

/** More tokens than the completion mark takes, and fewer than any call. */
const markTokens = 12;
/** How often an answer that is cut off is gone on with before a person is asked. */
const maxContinuations = 3;
/** How often a model is told that the server could not read its call. */
const maxUnreadable = 2;

export interface ExecutorTools {
  registry: ToolRegistry;
  runner: ToolRunner;
  workspace: WorkspacePort;
}

export interface ExecutorHost {
  settings: Settings;
  /** Before anything of a session goes to a model that Ollama's servers run. */
  askForCloud: AskForCloud;
  clock: Clock;
  logger: Logger;
}

/** What a run has to work with, found out once at its beginning. */
interface Work {
  run: Run;
  log: RunLog;
  model: ModelInfo;
  /** Those that the model is offered. */
  tools: ToolRegistry;
  guard: LoopGuard;
}

/**
 * The agent's loop: request → answer → calls → results → request, until an answer has no calls, says that the task is
 * done, or a limit is reached. All that happens is in the log; failures of the model end as error entries in it.
 */
export class AgentChatExecutor {
  constructor(
    private readonly logs: LogStore,
    private readonly models: ModelSource,
    private readonly requester: ModelRequester,
    private readonly tools: ExecutorTools,
    private readonly host: ExecutorHost,
  ) {}

  /** Rejects with `CancelledError` when the run is stopped, and with a storage error when the log cannot be written. */
  async run(run: Run): Promise<RunResult> {
    let iterations = 0;
    let log: RunLog | undefined;
    try {
      const model = await this.nameOf(run);
      log = await RunLog.load(this.logs, run.sessionId, model);
      const work = await this.prepare(run, log, model);
      const { maxIterations } = this.host.settings.getAgentConfig();
      while (iterations < maxIterations) {
        const { calls, answer } = await this.answer(work);
        iterations += 1;
        if (answer === null) return { outcome: 'failed', iterations };
        const { hasRepeated, hasFailed } = await this.runCalls(calls, work);
        const isCut = answer.doneReason === 'length' && calls.length === 0;
        if (hasRepeated || isCut || answer.isRepeating) return { outcome: 'limit', iterations };
        // What the model takes for done is not, where its last calls failed.
        if (calls.length === 0 || (answer.isMarkedComplete && !hasFailed)) return { outcome: 'done', iterations };
      }
      await log.append(limitNotice(iterations));
      return { outcome: 'limit', iterations };
    } catch (error) {
      if (log === undefined || log.failure !== undefined) throw error;
      if (run.signal.aborted || isCancelled(error)) throw new CancelledError();
      if (error instanceof AppError) this.logFailure(error);
      else this.host.logger.error('A run failed', error);
      await log.append(errorEntry(error));
      return { outcome: 'failed', iterations };
    }
  }

  /** The server's words may quote the model's: they are for the conversation. */
  private logFailure(error: AppError): void {
    this.host.logger.warn(`A run failed: ${error.name} (${error.code})`);
    this.host.logger.trace('The failure in words', error.message);
  }

  private async nameOf(run: Run): Promise<string | null> {
    return run.model ?? selectedModel(run.mode, this.host.settings, (await this.models.list()).models);
  }

  private async prepare(run: Run, log: RunLog, name: string | null): Promise<Work> {
    if (!log.entries.some((entry) => entry.type === 'user_input')) {
      throw new AgentError('nothingToAnswer', phrase('There is no message to answer yet. Write one first.'));
    }
    if (name === null) throw new AgentError('noModel', phrase('No model is selected. Choose a model, then try again.'));
    const model = await this.models.get(name, run.signal);
    if (!model.capabilities.chat) {
      const words = model.capabilities.embedding
        ? phrase('{0} only makes embeddings, it cannot chat. Choose another model.', model.name)
        : phrase('{0} cannot chat. Choose another model.', model.name);
      throw new AgentError('capability', words);
    }
    await assertConsent(model.name, run, log, this.host.askForCloud);
    const { tools, obstacle } = offeredTools(run.mode, model, await this.requester.windowFor(model), this.tools);
    if (obstacle !== null && !isTold(obstacle, log)) await log.append(noToolsNotice(obstacle));
    return { run, log, model, tools, guard: new LoopGuard() };
  }

  /**
   * One answer: asked for once more if it is empty or only shows its call, gone on with if it is cut off. `answer` is null when it stayed empty (the log
   * says so).
   */
  private async answer(work: Work): Promise<{ answer: StreamedAnswer | null; calls: RequestedCall[] }> {
    const { run, log, model, tools } = work;
    let continuations = 0;
    let hint: string | undefined;
    let hasShown = false;
    let unreadable = 0;
    for (let isRetried = false; ;) {
      const before = log.entries.length;
      const asked = await this.request({ ...work, hint }).catch((error: unknown) => {
        // It is the model's mistake: that one can mend it, once it knows. What it has said already would be said twice.
        const hasSaid = log.entries.slice(before).some(({ type }) => type === 'assistant_output' || type === 'tool_call');
        if (!(error instanceof UnreadableCallError) || hasSaid || unreadable >= maxUnreadable) throw error;
        return error;
      });
      if (asked instanceof UnreadableCallError) {
        unreadable += 1;
        hint = unreadableCallHint(asked.problem);
        this.reportRetry(run, t('The call could not be read.'), { attempt: unreadable, of: maxUnreadable });
        continue;
      }
      hint = undefined;
      const { answer, calls } = asked;
      if (answer.isRepeating) await log.append(repetitionNotice());
      if (calls.length > 0 || answer.isRepeating) return { answer, calls };
      // All that was allowed went into thinking: that is an empty answer, as long as there is room for another.
      const isThoughtAlone = answer.hasThinking && !answer.hasText && !isWindowFull(this.cutOf(work, answer));
      if (answer.doneReason === 'length' && (isRetried || !isThoughtAlone)) {
        if (await this.canGoOn(work, answer, continuations)) {
          continuations += 1;
          await log.append({ type: 'system_message', content: '', data: { level: 'info', code: continuedCode } });
          continue;
        }
        await log.append(cutNotice(this.cutOf(work, answer)));
        return { answer, calls };
      }
      // Asked to go on, a model that has nothing to add has answered.
      const isAnswer = answer.hasText || hasShown || continuations > 0 || answer.isMarkedComplete || isMarkAlone(answer, work);
      const shown = isAnswer && !hasShown && !answer.isMarkedComplete ? callShown(work) : null;
      if (shown !== null) {
        hasShown = true;
        hint = shownCallHint(shown);
        this.reportRetry(run, t('The call was shown and not made.'));
        continue;
      }
      if (isAnswer) return { answer, calls };
      if (isRetried) break;
      isRetried = true;
      hint = emptyAnswerHint(answer, tools.names());
      this.reportRetry(run, t('The answer was empty.'));
    }
    await log.append(emptyAnswerEntry(model.name));
    return { answer: null, calls: [] };
  }

  private reportRetry(run: Run, reason: string, count = { attempt: 1, of: 1 }): void {
    run.report({ kind: 'retrying', ...count, until: this.host.clock.now(), reason });
  }

  /** Where the window is full, only when older results leave room for more. */
  private async canGoOn(work: Work, answer: StreamedAnswer, continuations: number): Promise<boolean> {
    if (!answer.hasText || continuations >= maxContinuations) return false;
    return !isWindowFull(this.cutOf(work, answer)) || this.requester.makeRoom(work);
  }

  private cutOf({ run }: Work, { stats }: StreamedAnswer): CutAnswer {
    const { maxTokens } = this.host.settings.getModeConfig(run.mode);
    return {
      maxTokens,
      contextWindow: stats.contextWindow ?? 0,
      ...{ promptTokens: stats.promptTokens, answerTokens: stats.answerTokens },
    };
  }

  private async request(work: Work & { hint: string | undefined }): Promise<{ answer: StreamedAnswer; calls: RequestedCall[] }> {
    const { run, log } = work;
    const calls: RequestedCall[] = [];
    try {
      const answer = await this.requester.ask(work, (call) => this.recordCall(call, calls, work));
      return { answer, calls };
    } catch (error) {
      // What was called before the answer broke off is not run: the rest of the answer might have changed its meaning.
      const reason = run.signal.aborted ? 'Not run: the user stopped the answer.' : 'Not run: the answer broke off.';
      if (log.failure === undefined) for (const call of calls) await this.tools.runner.skip(call, reason, log);
      throw error;
    }
  }

  private async recordCall(call: AskedCall, calls: RequestedCall[], { log, tools }: Work): Promise<void> {
    const { input, repairs, unreadable } = call;
    const name = tools.resolve(call.name) ?? call.name;
    const requested = { callId: freshId(call.id, log), name, input };
    const label = unreadable ? undefined : this.tools.runner.label(name, input);
    calls.push({
      ...requested,
      ...(repairs && { repairs }),
      ...(unreadable && { problem: unreadableCall(unreadable.problem), written: unreadable.written }),
    });
    const written = unreadable && { written: unreadable.written };
    await log.append({ type: 'tool_call', data: { ...requested, ...(label !== undefined && { label }), ...written } });
  }

  /** Runs the calls of one answer. `hasRepeated`: the model has to be stopped, because it only repeats itself. */
  private async runCalls(
    calls: readonly RequestedCall[],
    { run, log, tools, guard }: Work,
  ): Promise<{ hasRepeated: boolean; hasFailed: boolean }> {
    const { runner } = this.tools;
    const repeated: EntryInput[] = [];
    const again = repeatedIn(calls, (name) => tools.get(name)?.access === 'read');
    let hasFailed = false;
    guard.answered();
    for (const group of runner.groups(calls, tools)) {
      if (run.signal.aborted || repeated.length > 0) {
        const reason = run.signal.aborted ? 'Not run: the user stopped the agent.' : 'Not run: the agent was stopped.';
        for (const call of group) await runner.skip(call, reason, log);
        continue;
      }
      await runner.run(group, { run, log, tools, again }, (call, result) => {
        if (again.has(call)) return result;
        hasFailed ||= result.status !== 'success';
        const verdict = guard.observe(call, result.content);
        if (verdict === 'stop') repeated.push(loopNotice(call.name, { round: guard.round, times: guard.repetitions }));
        return verdict === 'nudge' ? nudged(result, guard) : result;
      });
      const [notice] = repeated;
      if (notice) await log.append(notice);
    }
    if (run.signal.aborted) throw new CancelledError();
    return { hasRepeated: repeated.length > 0, hasFailed };
  }
}

/** What weak models often do: words, and the call in a code block after them. It may be an example, so that it is not run. */
function callShown({ run, log, tools }: Work): string | null {
  const last = log.entries.at(-1);
  if (modeRow(run.mode).tools !== 'all' || last?.type !== 'assistant_output') return null;
  return shownCall(last.content, (name) => tools.resolve(name) !== undefined);
}

/** Whether the last message has had this notice already, from a run before this one. */
function isTold(code: string, log: RunLog): boolean {
  const last = log.entries.findLast(
    (entry) => entry.type === 'user_input' || (entry.type === 'system_message' && entry.data.code === code),
  );
  return last?.type === 'system_message';
}

/** The server cuts the completion mark out: an answer that was nothing else, after work was done, is no empty one. */
function isMarkAlone(answer: StreamedAnswer, { run, log }: Work): boolean {
  if (!modeRow(run.mode).endsWithMark) return false;
  const { answerTokens = 0 } = answer.stats;
  const last = log.entries.findLast((entry) => entry.type === 'tool_result' || entry.type === 'user_input');
  return last?.type === 'tool_result' && !answer.hasThinking && answerTokens > 0 && answerTokens <= markTokens;
}

/** The model's own id where it is new in this session; calls are told apart by it. */
function freshId(id: string | undefined, log: RunLog): string {
  const isTaken = log.entries.some((entry) => entry.type === 'tool_call' && entry.data.callId === id);
  return id === undefined || id === '' || isTaken ? `call_${randomUUID().slice(0, 8)}` : id;
}
