import { modeRow } from '../../types/modes';
import type { PrefixPart, RereadReason } from '../../protocol/contextUse';
import type { ToolFamily } from '../../protocol/toolFacts';
import type { AgentFile } from '../../services/instructions/agentFiles';
import type { ModelDefaults } from '../../types/modelDefaults';
import type { ModelInfo } from '../../types/model';
import type { ChatRequest } from '../../types/ollama';
import { estimatedTokens } from '../../types/tokenLength';
import { ContextOverflowError, UnreadableCallError } from '../../services/model/client/ollamaErrors';
import type { Clock } from '../../utils/clock';
import { CancelledError, throwIfAborted } from '../../utils/errors';
import { CallPreview } from '../stream/callPreview';
import { ContextFitter, type FitterSources, type Prompt } from '../context/contextFitter';
import { CallRepair, type BrokenCall } from '../repair/callRepair';
import { fixedLength, type ContextMeter } from '../context/contextMeter';
import { PrefixWatch } from '../context/prefixWatch';
import { FirstTokenWatch, type AwaitedAnswer } from './firstTokenWatch';
import { ModelLoader } from './modelLoader';
import { ModelTurns, type ModelTurn } from './modelTurns';
import { answerLimitReached } from '../kernel/agentError';
import { allAids, type ModelAids } from '../kernel/modelAids';
import type { ChatClient, ModelSource } from '../kernel/ports';
import { completionMark } from '../prompt/promptBuilder';
import type { PromptPreparer } from '../prompt/promptPreparer';
import { joinPrompt, PromptSpeed, WritingSpeed } from './modelSpeed';
import type { RequestBuilder } from '../prompt/requestBuilder';
import type { Run } from '../kernel/run';
import { SilenceWatch, type WritingFacts } from './silenceWatch';
import { StreamProcessor, type AskedCall, type StreamedAnswer } from '../stream/streamProcessor';
import { assessCall } from '../tools/kernel/calledTool';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';

export interface ModelQuestion extends Prompt {
  run: Run;
  /** Hint that is added after the conversation in this request only. */
  hint?: string | undefined;
}

export interface RequesterSources extends FitterSources {
  aids?: Readonly<ModelAids>;
  /** Measurements that are shared with `ahead`. */
  speed?: PromptSpeed;
  /** Receives how much of a prepared prompt the server reused. */
  ahead?: Pick<PromptPreparer, 'note'>;
}

/** Requests one answer to the current conversation and logs the answer while it arrives. */
export class ModelRequester {
  private readonly aids: Readonly<ModelAids>;
  private readonly loader: ModelLoader;
  private readonly fitter: ContextFitter;
  private readonly repairs: CallRepair;
  private readonly turns = new ModelTurns();
  private readonly promptSpeed: PromptSpeed;
  private readonly ahead: Pick<PromptPreparer, 'note'> | undefined;
  private readonly prefix = new PrefixWatch();
  private readonly writingSpeed = new WritingSpeed();

  constructor(
    private readonly client: ChatClient,
    private readonly models: Pick<ModelSource, 'running'>,
    private readonly requests: RequestBuilder,
    private readonly meter: Pick<ContextMeter, 'record' | 'size' | 'noteTokens'>,
    private readonly clock: Clock,
    { aids = allAids, speed = new PromptSpeed(), ahead, ...sources }: RequesterSources = {},
  ) {
    this.promptSpeed = speed;
    this.ahead = ahead;
    this.aids = aids;
    this.loader = new ModelLoader(client, models, clock);
    this.fitter = new ContextFitter(meter, clock, sources);
    this.repairs = new CallRepair(client, requests);
  }

  /** Returns the context window for requests to the model, in tokens. */
  windowFor(model: ModelInfo): Promise<number> {
    return this.requests.windowFor(model);
  }

  /** Returns the default settings for work with the model. */
  defaultsFor(model: ModelInfo): ModelDefaults {
    return this.requests.defaultsFor(model);
  }

  /** Returns an agent in the workspace, or null if there is none with this name. */
  agentNamed(name: string | null): Promise<AgentFile | null> {
    return this.requests.agentNamed(name);
  }

  /** Replaces old entries with a summary. Resolves with false if no entry is old enough. */
  compactNow(prompt: Prompt): Promise<boolean> {
    return this.fitter.compactNow(prompt);
  }

  /**
   * Requests broken calls again with a schema. Resolves with the calls,
   * or with an empty array if the model returns no suitable calls.
   */
  repairCalls(question: Prompt, broken: BrokenCall): Promise<AskedCall[]> {
    return this.aids.callRepair ? this.repairs.repair(question, broken) : Promise.resolve([]);
  }

  /** Shortens old results in later requests. Resolves with false if no result can be shortened further. */
  makeRoom(question: ModelQuestion): Promise<boolean> {
    return this.fitter.makeRoom(question);
  }

  /**
   * Requests an answer. `onCall` receives each call in order as it arrives. Rejects with `CancelledError` or with the
   * reason why the answer is incomplete. If the prompt is too long, shortens it if possible and sends it once more.
   */
  async ask(question: ModelQuestion, onCall: (call: AskedCall) => Promise<void>): Promise<StreamedAnswer> {
    await this.fitter.fit(question);
    try {
      return await this.askOnce(question, onCall);
    } catch (error) {
      if (!(error instanceof ContextOverflowError) || !(await this.fitter.makeRoom(question, error))) throw error;
      return this.askOnce(question, onCall);
    }
  }

  private async askOnce(question: ModelQuestion, onCall: (call: AskedCall) => Promise<void>): Promise<StreamedAnswer> {
    const { run, log, model, tools, hint } = question;
    throwIfAborted(run.signal);
    const { request, texts } = await this.requests.buildWithTexts({
      mode: run.mode,
      model,
      tools: tools.wire(),
      entries: log.entries,
      sessionId: run.sessionId,
      hint,
    });
    try {
      await this.loader.load(model, request, run);
    } catch (error) {
      throw run.signal.aborted ? new CancelledError() : error;
    }
    const silence = { watch: null as SilenceWatch | null };
    const preview = new CallPreview(
      this.clock,
      (activity) => silence.watch?.setActivity(activity),
      async (tool, path) => (await tools.get(tool)?.textBefore?.(path, run.sessionId)) ?? null,
    );
    const limit = request.options.num_predict ?? null;
    const fixedCharacters = fixedLength(request);
    const processor = new StreamProcessor(log, this.clock, onCall, {
      completionMark: modeRow(run.mode).endsWithMark ? completionMark : null,
      contextWindow: request.options.num_ctx,
      fixedCharacters,
      limit,
      isTool: tools.isEmpty || !this.aids.printedCalls ? null : (name) => tools.resolve(name) !== undefined,
      accepts: ({ name, input }) => tools.get(tools.resolve(name) ?? name)?.prepare(input).isValid === true,
      riskOf: (call) => assessCall(call, tools),
      onPreparing: (call) => preview.setCall(call && written(call.name, tools)),
    });
    const changed = this.prefix.changed(run.sessionId, request, texts);
    const turn = this.turns.enter(request.model);
    const text = joinPrompt(request);
    const reading = this.promptSpeed.of(request.model, text);
    const expected = expectedCalls(request, tools);
    const tokensPerSecond = this.writingSpeed.of(request.model);
    const facts = tokensPerSecond === null ? null : { tokensPerSecond, limit };
    const { patienceMs, expectedMs: readMs } = reading;
    const writing = facts === null || readMs === null ? null : { readMs, ...facts };
    const promptTokens = estimatedTokens(text);
    const measured =
      readMs === null ? null : { newTokens: Math.round(promptTokens * reading.newShare), expectedMs: Math.round(readMs) };
    const awaited = { promptTokens, measured, patienceMs, expected, writing };
    const sentAt = this.clock.now();
    try {
      for await (const chunk of this.stream(request, question, turn, awaited)) {
        throwIfAborted(run.signal);
        silence.watch ??= new SilenceWatch(this.clock, run, expected, facts);
        silence.watch.chunkArrived();
        await processor.accept(chunk);
        preview.follow(() => processor.written);
        // Leaving the loop closes the connection, so the server stops the model.
        if (processor.isOver) break;
      }
    } catch (error) {
      if (log.failure === undefined) await processor.finish(run.signal.aborted ? 'stopped' : 'incomplete');
      if (run.signal.aborted && log.failure === undefined) throw new CancelledError();
      const writtenMs = this.clock.now() - sentAt - (readMs ?? 0);
      throw isAtLimit(error, writtenMs, facts) ? answerLimitReached(facts?.limit ?? 0) : error;
    } finally {
      silence.watch?.stop();
      turn.leave();
    }
    const answer = await processor.finish('complete');
    const { promptTokens: counted, promptMs, cachedTokens, answerTokens = 0 } = answer.stats;
    const reused = reading.measured(promptMs, counted, cachedTokens);
    this.ahead?.note(request, { reused, promptTokens: counted ?? 0 });
    this.writingSpeed.note(request.model, answer.stats);
    const seq = log.entries.at(-1)?.seq;
    if (counted !== undefined && seq !== undefined) {
      const why = rereadReason(changed, reused, 1 - reading.newShare);
      const tokens = counted + answerTokens;
      this.meter.record(run.sessionId, { seq, model: model.name, tokens, fixedCharacters, reused, changed: why });
      await this.meter.noteTokens(model, request, counted);
    }
    return answer;
  }

  /** Yields the chunks of the answer. Until the first chunk arrives, reports the current activity. */
  private async *stream(request: ChatRequest, { run, log }: ModelQuestion, turn: ModelTurn, awaited: AwaitedAnswer) {
    const watch = new FirstTokenWatch(this.models, this.clock, run, awaited);
    const wait = () => {
      turn.onFirst = turn.isBehind ? wait : null;
      if (turn.isBehind) run.report({ kind: 'behind', model: request.model, since: this.clock.now() });
      else watch.start();
    };
    wait();
    let isFirst = true;
    try {
      const turnSeq = log.entries.findLast(({ type }) => type === 'user_input')?.seq;
      const chunks = this.client.chat(request, {
        signal: run.signal,
        ...(turnSeq !== undefined && { origin: { sessionId: run.sessionId, turn: turnSeq } }),
        onRetry: ({ attempt, of, delayMs, error }) => {
          turn.onFirst = null;
          run.report({ kind: 'retrying', attempt, of, until: this.clock.now() + delayMs, reason: error.userMessage });
          watch.restart({ name: request.model }, delayMs);
        },
      });
      for await (const chunk of chunks) {
        if (isFirst && !run.signal.aborted) {
          watch.stop();
          turn.began();
          run.report({ kind: 'answering', since: this.clock.now() });
        }
        isFirst = false;
        yield chunk;
      }
    } finally {
      turn.onFirst = null;
      watch.stop();
    }
  }
}

/** Minimum share of a prompt that must match the last prompt. Below it, the reused share says nothing about the cache. */
const minCommonShare = 0.5;

/** Reused share of a prompt from which a change is not reported, because it costs little. */
const minReusedShare = 0.8;

/** Returns why the server processed a large part of the prompt again, or null if it did not. */
function rereadReason(changed: PrefixPart | null, reused: number | null, commonShare: number): RereadReason | null {
  if (reused !== null && reused >= minReusedShare) return null;
  return changed ?? (wasEvicted(reused, commonShare) ? 'cache' : null);
}

/**
 * Returns whether the server reused less than half of the matching
 * part, because another prompt has replaced the last one in its cache.
 */
function wasEvicted(reused: number | null, commonShare: number): boolean {
  return reused !== null && commonShare >= minCommonShare && reused < commonShare / 2;
}

/** Minimum estimated share of the token limit at which an unreadable call counts as truncated by the limit. */
const nearLimit = 0.7;

/** Returns whether the token limit probably truncated an unreadable call, estimated from the writing time. */
function isAtLimit(error: unknown, writtenMs: number, facts: WritingFacts | null): boolean {
  if (!(error instanceof UnreadableCallError) || !error.isCut || facts?.limit == null) return false;
  return (writtenMs / 1000) * facts.tokensPerSecond >= facts.limit * nearLimit;
}

function written(called: string | null, tools: ToolRegistry): { tool: string; family: ToolFamily } {
  const tool = called === null ? '' : (tools.resolve(called) ?? '');
  return { tool, family: tools.get(tool)?.facts.family ?? 'other' };
}

/** Returns the kind of calls that may come after a silence. Native calls arrive whole. Calls in text are streamed. */
function expectedCalls(request: ChatRequest, tools: ToolRegistry): AwaitedAnswer['expected'] {
  if (!request.tools) return null;
  return tools.names().some((name) => tools.get(name)?.facts.effect !== 'none') ? 'editOrCall' : 'call';
}
