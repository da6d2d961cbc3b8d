import { randomUUID } from 'node:crypto';
import type { Settings } from '../../config/settings';
import { continuedCode } from '../../protocol/continuation';
import { UnreadableCallError } from '../../services/model/client/ollamaErrors';
import type { ModelInfo } from '../../types/model';
import { modeRow } from '../../types/modes';
import type { Clock } from '../../utils/clock';
import { t } from '../../utils/l10n';
import { answerLimitReached } from '../kernel/agentError';
import { emptyAnswerEntry } from '../kernel/failure';
import { falseClaim } from './claims';
import { claimNotice, cutNotice, isWindowFull, repetitionNotice, type CutAnswer } from '../kernel/notices';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';
import type { AskedCall, StreamedAnswer } from '../stream/streamProcessor';
import { calledTool } from '../tools/kernel/calledTool';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { LoopGuard } from './loopGuard';
import { claimHint, droppedCallHint, emptyAnswerHint, shownCallHint, unreadableCall, unreadableCallHint } from './modelAdvice';
import type { ModelRequester } from './modelRequester';
import type { ToolRunner } from './toolRunner';
import type { RequestedCall } from '../kernel/requestedCall';
import { answeredCode } from '../tools/edit/answeredCode';
import type { BrokenCall } from '../repair/callRepair';
import { isCallDropped } from '../repair/droppedCall';
import { lostBySchema } from '../repair/lostBySchema';
import { shownCall } from '../repair/shownCall';
import { endless, joinedCalls, lostCall, findCallProblem, repairedAnswer, RepairOnce, type HeldCall } from '../repair/repairOnce';

/** Maximum tokens of an answer that is only the completion mark. Every tool call is longer. */
const markTokens = 12;
/** Maximum number of automatic continuations of a truncated answer. */
const maxContinuations = 3;
/** Maximum retries with a hint after a call that the server could not read. */
const maxUnreadable = 2;

/** Inputs of a run, prepared once at the start. */
export interface Work {
  run: Run;
  log: RunLog;
  model: ModelInfo;
  /** Tools offered to the model. */
  tools: ToolRegistry;
  guard: LoopGuard;
  /** Text that is added after the conversation in the next request only. */
  hint?: string | undefined;
  /** True to request a call with a schema immediately if the answer is empty or only shows a call. */
  isBySchema?: boolean;
  /** `isMade` is true if the model was already challenged in this run about work that it only claimed. */
  challenge: { isMade: boolean };
}

/** Requests one answer from the model, with retries if necessary, and logs its text and calls. */
export class AnswerRequester {
  constructor(
    private readonly requester: Pick<ModelRequester, 'ask' | 'makeRoom' | 'repairCalls'>,
    private readonly runner: Pick<ToolRunner, 'describe' | 'skip'>,
    private readonly host: { settings: Settings; clock: Clock },
  ) {}

  /**
   * Requests one answer. Retries once if the answer is empty or only shows a call. Continues a
   * truncated answer. If the answer stays empty, `answer` is null and the log contains an error.
   */
  async ask(work: Work): Promise<{ answer: StreamedAnswer | null; calls: RequestedCall[] }> {
    const { run, log, model, tools } = work;
    let continuations = 0;
    let { hint } = work;
    let hasShown = false;
    let unreadable = 0;
    let isDropped = false;
    const repair = new RepairOnce(this.requester, work, () => this.reportRetry(run, t('The tool call could not be read.')));
    for (let isRetried = false; ;) {
      const before = log.entries.length;
      const asked = await this.request({ ...work, hint }, repair).catch(async (error: unknown) => {
        const lost = lostCall(error);
        if (lost !== null) {
          const calls = await this.repairedCalls(lost, repair, work);
          if (calls.length > 0) return { answer: repairedAnswer(calls.length), calls };
        }
        // Retries only if nothing was logged yet, to avoid repeated text. The hint with the error helps the model fix the call.
        const hasSaid = log.entries.slice(before).some(({ type }) => type === 'assistant_output' || type === 'tool_call');
        if (!(error instanceof UnreadableCallError) || hasSaid || unreadable >= maxUnreadable) throw error;
        return error;
      });
      if (asked instanceof UnreadableCallError) {
        unreadable += 1;
        hint = unreadableCallHint(asked.problem);
        this.reportRetry(run, t('The tool call could not be read.'), { attempt: unreadable, of: maxUnreadable });
        continue;
      }
      hint = undefined;
      const { answer, calls } = asked;
      if (answer.isRepeating) await log.append(repetitionNotice());
      if (calls.length > 0 || answer.isRepeating) return { answer, calls };
      // An answer that used its whole limit for thinking counts as empty if the context window has room for another answer.
      const isThoughtAlone = answer.hasThinking && !answer.hasText && !isWindowFull(this.describeCut(work, answer));
      if (answer.doneReason === 'length' && (isRetried || !isThoughtAlone)) {
        if (this.isRunaway(work, answer)) {
          const repaired = await this.repairedCalls({ problem: endless, written: null }, repair, work);
          if (repaired.length > 0) return { answer: repairedAnswer(repaired.length), calls: repaired };
          throw answerLimitReached(answer.limit ?? answer.stats.answerTokens ?? 0);
        }
        if (await this.canContinue(work, answer, continuations)) {
          continuations += 1;
          await log.append({ type: 'system_message', content: '', data: { level: 'info', code: continuedCode } });
          continue;
        }
        await log.append(cutNotice(this.describeCut(work, answer)));
        return { answer, calls };
      }
      if (!isDropped && isCallDropped(answer, log.entries.slice(before), tools)) {
        isDropped = true;
        hint = droppedCallHint(tools);
        this.reportRetry(run, t('The server dropped the tool call.'));
        continue;
      }
      // An empty answer after a request to continue means that the model is done.
      const isAnswer = answer.hasText || hasShown || continuations > 0 || answer.isMarkedComplete || isMarkAlone(answer, work);
      const shown = isAnswer && !hasShown && !answer.isMarkedComplete ? (answer.heldCall ?? callShown(work)) : null;
      // A call that the model's words withheld is not requested again, because a schema would force the model to make it.
      const lost = lostBySchema(work, shown !== null && answer.heldCall === null, isAnswer);
      const repaired = lost === null ? [] : await this.repairedCalls(lost, repair, work);
      if (repaired.length > 0) return { answer: repairedAnswer(repaired.length), calls: repaired };
      if (shown !== null) {
        hasShown = true;
        hint = shownCallHint(shown);
        this.reportRetry(run, t('The model wrote the tool call as text instead of running it.'));
        continue;
      }
      const code = isAnswer ? await codeCall(work) : null;
      if (code !== null) {
        await this.logCall(this.requested(code, calls, work), work);
        return { answer: { ...answer, isMarkedComplete: true }, calls };
      }
      const claim = isAnswer && answer.hasText ? findFalseClaim(work) : null;
      if (claim?.isUntrue === true && !work.challenge.isMade) {
        work.challenge.isMade = hasShown = true;
        hint = claimHint(claim);
        this.reportRetry(run, t('The answer describes work that was not done.'));
        continue;
      }
      if (claim !== null) await log.append(claimNotice(claim));
      if (isAnswer) return { answer, calls };
      if (isRetried) break;
      isRetried = true;
      hint = emptyAnswerHint(answer, tools);
      this.reportRetry(run, t('The answer was empty.'));
    }
    await log.append(emptyAnswerEntry(model.name));
    return { answer: null, calls: [] };
  }

  private reportRetry(run: Run, reason: string, count = { attempt: 1, of: 1 }): void {
    run.report({ kind: 'retrying', ...count, until: this.host.clock.now(), reason });
  }

  /** Returns whether the default token limit truncated a mostly hidden answer. A limit in the settings shows a notice instead. */
  private isRunaway(work: Work, answer: StreamedAnswer): boolean {
    const cut = this.describeCut(work, answer);
    return cut.maxTokens <= 0 && cut.limit !== null && isMostlyHidden(answer) && !isWindowFull(cut);
  }

  /** Returns whether a truncated answer can continue. If the context window is full, first shortens older results. */
  private async canContinue(work: Work, answer: StreamedAnswer, continuations: number): Promise<boolean> {
    if (!answer.hasText || continuations >= maxContinuations) return false;
    return !isWindowFull(this.describeCut(work, answer)) || this.requester.makeRoom(work);
  }

  private describeCut({ run }: Work, { limit, stats }: StreamedAnswer): CutAnswer {
    const { maxTokens } = this.host.settings.getModeConfig(run.mode);
    const { contextWindow = 0, promptTokens, answerTokens } = stats;
    return { maxTokens, limit, contextWindow, promptTokens, answerTokens };
  }

  /** Requests a lost call again and logs the result. Returns an empty array if the model gives no valid call. */
  private async repairedCalls(lost: BrokenCall, repair: RepairOnce, work: Work): Promise<RequestedCall[]> {
    const calls: RequestedCall[] = [];
    for (const call of await repair.callsFor(lost)) await this.logCall(this.requested(call, calls, work), work);
    return calls;
  }

  private async request(
    work: Work & { hint: string | undefined },
    repair: RepairOnce,
  ): Promise<{ answer: StreamedAnswer; calls: RequestedCall[] }> {
    const { run, log, tools } = work;
    const calls: RequestedCall[] = [];
    // Calls are repaired after the answer, because the server processes one request at a time.
    const held: HeldCall[] = [];
    try {
      const answer = await this.requester.ask(work, async (asked) => {
        const call = this.requested(asked, calls, work);
        const problem = repair.isUsed ? null : findCallProblem(call, tools);
        if (problem === null) await this.logCall(call, work);
        else held.push({ call, problem });
      });
      if (held.length > 0) await this.repairBroken(held, calls, repair, work);
      held.length = 0;
      return { answer, calls };
    } catch (error) {
      // Calls of an incomplete answer are not run, because the missing part might have changed their meaning.
      if (log.failure === undefined) {
        for (const { call } of held) await this.logCall(call, work);
        for (const call of calls) await this.runner.skip(call, 'Not run: the answer broke off.', { run, log });
      }
      throw error;
    }
  }

  /** Replaces broken calls in place with the repaired calls, and logs every call. */
  private async repairBroken(held: readonly HeldCall[], calls: RequestedCall[], repair: RepairOnce, work: Work): Promise<void> {
    const broken = joinedCalls(held);
    const isUnannounced = held.some(({ call }) => call.isUnannounced);
    const repaired: RequestedCall[] = [];
    for (const one of await repair.callsFor(broken)) {
      const id = held[repaired.length]?.call.callId;
      await this.logCall(this.requested({ ...one, id, isUnannounced }, repaired, work), work);
    }
    const replaced = Math.min(broken.count, repaired.length);
    for (const [at, { call }] of held.entries()) {
      if (at >= replaced) await this.logCall(call, work);
      else calls.splice(calls.indexOf(call), 1, ...repaired.slice(at, at === replaced - 1 ? undefined : at + 1));
    }
  }

  private requested(call: AskedCall, calls: RequestedCall[], { log, tools }: Work): RequestedCall {
    const { repairs, unreadable, isUnannounced } = call;
    const { name, input } = calledTool(call, tools);
    const requested: RequestedCall = {
      callId: freshId(call.id, log),
      name,
      input,
      ...(repairs && { repairs }),
      ...(isUnannounced && { isUnannounced }),
      ...(unreadable && { problem: unreadableCall(unreadable.problem), written: unreadable.written }),
    };
    calls.push(requested);
    return requested;
  }

  private async logCall({ callId, name, input, problem, written }: RequestedCall, { log, tools }: Work): Promise<void> {
    const isUnreadable = problem !== undefined;
    const described = this.runner.describe(name, isUnreadable ? null : input, tools);
    const text = isUnreadable && written !== undefined ? { written } : {};
    await log.append({ type: 'tool_call', data: { callId, name, input, ...described, ...text } });
  }
}

/** Returns a call that a code block at the end of an answer shows. The call may be an example, so it is not run. */
function callShown({ run, log, tools }: Work): string | null {
  const last = log.entries.at(-1);
  if (modeRow(run.mode).rules === 'answer' || last?.type !== 'assistant_output') return null;
  return shownCall(last.content, (name) => tools.resolve(name) !== undefined);
}

/**
 * Returns a call that writes the code block of an answer to the file. Works
 * only in Edit mode if the message asks for a change. Otherwise returns null.
 */
async function codeCall({ run, log, tools }: Work): Promise<AskedCall | null> {
  const tool = modeRow(run.mode).rules === 'edit' ? tools.get('write_file') : undefined;
  const code = tool && answeredCode(log.entries);
  if (!code) return null;
  const before = await tool?.textBefore?.(code.path, run.sessionId).catch(() => null);
  if (before === null || before === undefined) return null;
  const content = code.applied(before);
  return content === null ? null : { name: 'write_file', input: { path: code.path, content } };
}

/** Returns a claim that the calls of the turn do not support. Checks only modes whose tools can do the claimed work. */
function findFalseClaim({ run, log, tools }: Work): ReturnType<typeof falseClaim> {
  const { rules } = modeRow(run.mode);
  if ((rules !== 'work' && rules !== 'edit') || tools.isEmpty) return null;
  return falseClaim(log.entries, (name) => tools.get(name)?.facts.effect);
}

/** Minimum excess of tokens over visible characters that shows that output is hidden. */
const minHiddenTokens = 1000;

/** Returns whether most of a truncated answer is hidden in an incomplete call or in discarded thinking. */
function isMostlyHidden({ hasText, characters, stats }: StreamedAnswer): boolean {
  return !hasText || (stats.answerTokens ?? 0) > characters + minHiddenTokens;
}

/** Returns whether an empty answer after tool calls was only the completion mark. The server removes this mark. */
function isMarkAlone(answer: StreamedAnswer, { run, log }: Work): boolean {
  if (!modeRow(run.mode).endsWithMark) return false;
  const { answerTokens = 0 } = answer.stats;
  const last = log.entries.findLast((entry) => entry.type === 'tool_result' || entry.type === 'user_input');
  return last?.type === 'tool_result' && !answer.hasThinking && answerTokens > 0 && answerTokens <= markTokens;
}

/** Returns the call id from the model if it is unique in the session, otherwise a generated id. */
function freshId(id: string | undefined, log: RunLog): string {
  const isTaken = log.entries.some((entry) => entry.type === 'tool_call' && entry.data.callId === id);
  return id === undefined || id === '' || isTaken ? `call_${randomUUID().slice(0, 8)}` : id;
}
