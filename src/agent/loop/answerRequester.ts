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
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { LoopGuard } from './loopGuard';
import { claimHint, emptyAnswerHint, shownCallHint, unreadableCall, unreadableCallHint } from './modelAdvice';
import type { ModelRequester } from './modelRequester';
import type { ToolRunner } from './toolRunner';
import type { RequestedCall } from '../kernel/requestedCall';
import { ToolCallParser } from '../stream/toolCallParser';
import { answeredCode } from '../tools/edit/answeredCode';
import type { BrokenCall } from '../repair/callRepair';
import { endless, joinedCalls, lostCall, problemOf, repairedAnswer, RepairOnce, type HeldCall } from '../repair/repairOnce';

/** Number of tokens above the completion mark's and below any call's. */
const markTokens = 12;
/** Number of continuations of a cut-off answer before a person is asked. */
const maxContinuations = 3;
/** Number of times a model is told that the server could not read its call. */
const maxUnreadable = 2;

/** Ingredients of a run, found out once at its beginning. */
export interface Work {
  run: Run;
  log: RunLog;
  model: ModelInfo;
  /** Tools that the model is offered. */
  tools: ToolRegistry;
  guard: LoopGuard;
  /** Said to the model after the conversation, in the next request only. */
  hint?: string | undefined;
  /** Tells whether the model was asked once in this run about work that it says was done. */
  challenge: { isMade: boolean };
}

/** Gets one answer from the model, as often as it has to be asked for it, and writes what it says and calls into the log. */
export class AnswerRequester {
  constructor(
    private readonly requester: Pick<ModelRequester, 'ask' | 'makeRoom' | 'repairCalls'>,
    private readonly runner: Pick<ToolRunner, 'describe' | 'skip'>,
    private readonly host: { settings: Settings; clock: Clock },
  ) {}

  /**
   * Requests one answer. Asks once more if it is empty or only shows its call, and continues it if it is cut off.
   * `answer` is null if it
   * stayed empty, which the log then says.
   */
  async ask(work: Work): Promise<{ answer: StreamedAnswer | null; calls: RequestedCall[] }> {
    const { run, log, model, tools } = work;
    let continuations = 0;
    let { hint } = work;
    let hasShown = false;
    let unreadable = 0;
    const repair = new RepairOnce(this.requester, work, () => this.reportRetry(run, t('The call could not be read.')));
    for (let isRetried = false; ;) {
      const before = log.entries.length;
      const asked = await this.request({ ...work, hint }, repair).catch(async (error: unknown) => {
        const lost = lostCall(error);
        if (lost !== null) {
          const calls = await this.repairedCalls(lost, repair, work);
          if (calls.length > 0) return { answer: repairedAnswer(calls.length), calls };
        }
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
        if (this.isRunaway(work, answer)) {
          const repaired = await this.repairedCalls({ problem: endless, written: null }, repair, work);
          if (repaired.length > 0) return { answer: repairedAnswer(repaired.length), calls: repaired };
          throw answerLimitReached(answer.limit ?? answer.stats.answerTokens ?? 0);
        }
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
      const code = isAnswer ? await codeCall(work) : null;
      if (code !== null) {
        await this.logCall(this.requested(code, calls, work), work);
        return { answer: { ...answer, isMarkedComplete: true }, calls };
      }
      const claim = isAnswer && answer.hasText ? claimOf(work) : null;
      if (claim !== null && !work.challenge.isMade) {
        work.challenge.isMade = hasShown = true;
        hint = claimHint(claim);
        this.reportRetry(run, t('The answer speaks of work that no call has done.'));
        continue;
      }
      if (claim !== null) await log.append(claimNotice(claim.claim));
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

  /** Tells whether a limit of ours cut an answer of which most never came. Of the limit in the settings a notice tells. */
  private isRunaway(work: Work, answer: StreamedAnswer): boolean {
    const cut = this.cutOf(work, answer);
    return cut.maxTokens <= 0 && cut.limit !== null && isSilentlyCut(answer) && !isWindowFull(cut);
  }

  /** Tells whether a cut-off answer can go on; with a full window only if older results leave room for more. */
  private async canGoOn(work: Work, answer: StreamedAnswer, continuations: number): Promise<boolean> {
    if (!answer.hasText || continuations >= maxContinuations) return false;
    return !isWindowFull(this.cutOf(work, answer)) || this.requester.makeRoom(work);
  }

  private cutOf({ run }: Work, { limit, stats }: StreamedAnswer): CutAnswer {
    const { maxTokens } = this.host.settings.getModeConfig(run.mode);
    return {
      ...{ maxTokens, limit },
      contextWindow: stats.contextWindow ?? 0,
      ...{ promptTokens: stats.promptTokens, answerTokens: stats.answerTokens },
    };
  }

  /** Asks for a call that was lost, and logs what comes; empty if the model gives no call. */
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
    // A broken call is asked for again when the answer is over, since the server answers one request at a time.
    const held: HeldCall[] = [];
    try {
      const answer = await this.requester.ask(work, async (asked) => {
        const call = this.requested(asked, calls, work);
        const problem = repair.isUsed ? null : problemOf(call, tools);
        if (problem === null) await this.logCall(call, work);
        else held.push({ call, problem });
      });
      if (held.length > 0) await this.repairBroken(held, calls, repair, work);
      held.length = 0;
      return { answer, calls };
    } catch (error) {
      // What was called before the answer broke off is not run: the rest of the answer might have changed its meaning.
      if (log.failure === undefined) {
        for (const { call } of held) await this.logCall(call, work);
        for (const call of calls) await this.runner.skip(call, 'Not run: the answer broke off.', { run, log });
      }
      throw error;
    }
  }

  /** Replaces broken calls, each in its place, by what the model gives when it is asked once more, and logs them all. */
  private async repairBroken(held: readonly HeldCall[], calls: RequestedCall[], repair: RepairOnce, work: Work): Promise<void> {
    const broken = joinedCalls(held);
    const repaired: RequestedCall[] = [];
    for (const one of await repair.callsFor(broken)) {
      const id = held[repaired.length]?.call.callId;
      await this.logCall(this.requested({ ...one, id }, repaired, work), work);
    }
    const replaced = Math.min(broken.count, repaired.length);
    for (const [at, { call }] of held.entries()) {
      if (at >= replaced) await this.logCall(call, work);
      else calls.splice(calls.indexOf(call), 1, ...repaired.slice(at, at === replaced - 1 ? undefined : at + 1));
    }
  }

  private requested(call: AskedCall, calls: RequestedCall[], { log, tools }: Work): RequestedCall {
    const { input, repairs, unreadable } = call;
    const name = tools.resolve(call.name) ?? call.name;
    const requested: RequestedCall = {
      ...{ callId: freshId(call.id, log), name, input },
      ...(repairs && { repairs }),
      ...(unreadable && { problem: unreadableCall(unreadable.problem), written: unreadable.written }),
    };
    calls.push(requested);
    return requested;
  }

  private async logCall({ callId, name, input, problem, written }: RequestedCall, { log }: Work): Promise<void> {
    const isUnreadable = problem !== undefined;
    const described = this.runner.describe(name, isUnreadable ? null : input);
    const text = isUnreadable && written !== undefined ? { written } : {};
    await log.append({ type: 'tool_call', data: { callId, name, input, ...described, ...text } });
  }
}

/**
 * Finds a call in a code block at the end of an answer, as weak models often write it. It may be an example, so it is
 * not run.
 */
function callShown({ run, log, tools }: Work): string | null {
  const last = log.entries.at(-1);
  if (modeRow(run.mode).rules === 'answer' || last?.type !== 'assistant_output') return null;
  return shownCall(last.content, (name) => tools.resolve(name) !== undefined);
}

/** Returns the call that writes the code block of an answer in Edit mode where the message wants it; null if there is none. */
async function codeCall({ run, log, tools }: Work): Promise<AskedCall | null> {
  const tool = modeRow(run.mode).rules === 'edit' ? tools.get('write_file') : undefined;
  const code = tool && answeredCode(log.entries);
  if (!code) return null;
  const before = await tool?.textBefore?.(code.path, run.sessionId).catch(() => null);
  if (before === null || before === undefined) return null;
  return { name: 'write_file', input: { path: code.path, content: code.applied(before) } };
}

/** Finds work that an answer says was done and no call of the turn did, in a mode whose tools do such work. */
function claimOf({ run, log, tools }: Work): ReturnType<typeof falseClaim> {
  const { rules } = modeRow(run.mode);
  if ((rules !== 'work' && rules !== 'edit') || tools.isEmpty) return null;
  return falseClaim(log.entries, (name) => tools.get(name)?.facts.effect);
}

/** Tokens that an answer has to have more than characters, for something to be missing in it. */
const missing = 1000;

/** Tells whether most of a cut answer never came: it was a call that was not complete, or thinking that is left out. */
function isSilentlyCut({ hasText, characters, stats }: StreamedAnswer): boolean {
  return !hasText || (stats.answerTokens ?? 0) > characters + missing;
}

/** Tells whether an empty answer was the completion mark alone, after work was done: the server cuts the mark out. */
function isMarkAlone(answer: StreamedAnswer, { run, log }: Work): boolean {
  if (!modeRow(run.mode).endsWithMark) return false;
  const { answerTokens = 0 } = answer.stats;
  const last = log.entries.findLast((entry) => entry.type === 'tool_result' || entry.type === 'user_input');
  return last?.type === 'tool_result' && !answer.hasThinking && answerTokens > 0 && answerTokens <= markTokens;
}

/** Returns the model's own id if it is new in this session, else a made-up one; calls are told apart by it. */
function freshId(id: string | undefined, log: RunLog): string {
  const isTaken = log.entries.some((entry) => entry.type === 'tool_call' && entry.data.callId === id);
  return id === undefined || id === '' || isTaken ? `call_${randomUUID().slice(0, 8)}` : id;
}

const fence = '```';

/** Returns the tool of a call in a code block at the end of an answer, which is shown and not made; null if there is none. */
function shownCall(answer: string, isTool: (name: string) => boolean): string | null {
  const text = answer.trimEnd();
  if (!text.endsWith(fence)) return null;
  const start = text.lastIndexOf(fence, text.length - fence.length - 1);
  if (start < 0 || !/(?:^|\n) {0,3}$/.test(text.slice(Math.max(0, start - 4), start))) return null;
  const parser = new ToolCallParser(isTool);
  const pieces = [...parser.push(text.slice(start)), ...parser.flush()].filter(({ kind }) => kind !== 'preparing');
  const [first] = pieces;
  const areCalls = pieces.every((piece) => piece.kind === 'call' && !piece.call.unreadable && isTool(piece.call.name));
  return areCalls && first?.kind === 'call' ? first.call.name : null;
}
