import { modeRow } from '../../types/modes';
import { imageLength } from '../../protocol/context/imageRef';
import type { ToolFamily } from '../../protocol/toolFacts';
import type { AgentFile } from '../../services/instructions/agentFiles';
import type { ModelInfo } from '../../types/model';
import type { ChatRequest } from '../../types/ollama';
import { estimatedTokens } from '../../types/tokenLength';
import { ContextOverflowError, UnreadableCallError } from '../../services/model/client/ollamaErrors';
import type { Clock } from '../../utils/clock';
import { CancelledError, throwIfAborted } from '../../utils/errors';
import { CallPreview } from '../stream/callPreview';
import { ContextFitter, type FitterSources, type Prompt } from '../context/contextFitter';
import { CallRepair, type BrokenCall } from '../repair/callRepair';
import type { ContextMeter } from '../context/contextMeter';
import { PrefixWatch } from '../context/prefixWatch';
import { FirstTokenWatch, type AwaitedAnswer } from './firstTokenWatch';
import { ModelLoader } from './modelLoader';
import { ModelTurns, type ModelTurn } from './modelTurns';
import { answerLimitReached } from '../kernel/agentError';
import { allAids, type ModelAids } from '../kernel/modelAids';
import type { ChatClient, ModelSource } from '../kernel/ports';
import { completionMark } from '../prompt/promptBuilder';
import { ReadingPace, WritingPace } from './readingPace';
import type { RequestBuilder } from '../prompt/requestBuilder';
import type { Run } from '../kernel/run';
import { SilenceWatch, type WritingFacts } from './silenceWatch';
import { StreamProcessor, type AskedCall, type StreamedAnswer } from '../stream/streamProcessor';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';

export interface Question extends Prompt {
  run: Run;
  /** Hint that is sent after the conversation in this one request. */
  hint?: string | undefined;
}

/** Asks the model for one answer to the conversation as it stands, and writes the answer to the log while it comes. */
export class ModelRequester {
  private readonly aids: Readonly<ModelAids>;
  private readonly loader: ModelLoader;
  private readonly fitter: ContextFitter;
  private readonly repairs: CallRepair;
  private readonly turns = new ModelTurns();
  private readonly pace = new ReadingPace();
  private readonly prefix = new PrefixWatch();
  private readonly writingPace = new WritingPace();

  constructor(
    private readonly client: ChatClient,
    private readonly models: Pick<ModelSource, 'running'>,
    private readonly requests: RequestBuilder,
    private readonly meter: Pick<ContextMeter, 'record' | 'size' | 'noteTokens'>,
    private readonly clock: Clock,
    { aids = allAids, ...sources }: FitterSources & { aids?: Readonly<ModelAids> } = {},
  ) {
    this.aids = aids;
    this.loader = new ModelLoader(client, models, clock);
    this.fitter = new ContextFitter(meter, clock, sources);
    this.repairs = new CallRepair(client, requests);
  }

  /** Returns the window that the model is asked with, in tokens. */
  windowFor(model: ModelInfo): Promise<number> {
    return this.requests.windowFor(model);
  }

  /** Finds an agent of the workspace; null where there is none of that name. */
  agentNamed(name: string | null): Promise<AgentFile | null> {
    return this.requests.agentNamed(name);
  }

  /** Lets a summary stand for what is old; false where nothing is old enough. */
  compactNow(prompt: Prompt): Promise<boolean> {
    return this.fitter.compactNow(prompt);
  }

  /** Asks once more for what could not be run, in a form that can be read. Resolves with the calls; empty if the model gives none that fit. */
  repairCalls(question: Prompt, broken: BrokenCall): Promise<AskedCall[]> {
    return this.aids.callRepair ? this.repairs.repair(question, broken) : Promise.resolve([]);
  }

  /** Sends less of old results from now on; false where nothing is left to be shortened. */
  makeRoom(question: Question): Promise<boolean> {
    return this.fitter.makeRoom(question);
  }

  /**
   * Requests an answer. `onCall` gets each call in order, as it arrives. Rejects with `CancelledError` or with the reason why there is no
   * whole answer. A prompt that does not fit is shortened if possible, and sent once more.
   */
  async ask(question: Question, onCall: (call: AskedCall) => Promise<void>): Promise<StreamedAnswer> {
    await this.fitter.fit(question);
    try {
      return await this.askOnce(question, onCall);
    } catch (error) {
      if (!(error instanceof ContextOverflowError) || !(await this.fitter.makeRoom(question, error))) throw error;
      return this.askOnce(question, onCall);
    }
  }

  private async askOnce(
    { run, log, model, tools, hint }: Question,
    onCall: (call: AskedCall) => Promise<void>,
  ): Promise<StreamedAnswer> {
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
      (activity) => silence.watch?.say(activity),
      async (tool, path) => (await tools.get(tool)?.textBefore?.(path, run.sessionId)) ?? null,
    );
    const limit = request.options.num_predict ?? null;
    const processor = new StreamProcessor(log, this.clock, onCall, {
      completionMark: modeRow(run.mode).endsWithMark ? completionMark : null,
      contextWindow: request.options.num_ctx,
      limit,
      isTool: tools.isEmpty || !this.aids.printedCalls ? null : (name) => tools.resolve(name) !== undefined,
      accepts: ({ name, input }) => tools.get(tools.resolve(name) ?? name)?.prepare(input).isValid === true,
      onPreparing: (call) => preview.tell(call && written(call.name, tools)),
    });
    const changed = this.prefix.changed(request, texts);
    const turn = this.turns.enter(request.model);
    const text = JSON.stringify([request.tools ?? [], request.messages.map(withShortImages)]);
    const reading = this.pace.of(request.model, text);
    const expected = expectedOf(request, tools);
    const tokensPerSecond = this.writingPace.of(request.model);
    const facts = tokensPerSecond === null ? null : { tokensPerSecond, limit };
    const { patienceMs, expectedMs: readMs } = reading;
    const writing = facts === null || readMs === null ? null : { readMs, ...facts };
    const awaited = { promptTokens: estimatedTokens(text), patienceMs, expected, writing };
    const sentAt = this.clock.now();
    try {
      for await (const chunk of this.stream(request, run, turn, awaited)) {
        throwIfAborted(run.signal);
        silence.watch ??= new SilenceWatch(this.clock, run, expected, facts);
        silence.watch.heard();
        await processor.accept(chunk);
        preview.follow(() => processor.written);
        // Left, the stream closes its connection, which ends the model's work.
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
    const { promptTokens, promptMs, cachedTokens, answerTokens = 0 } = answer.stats;
    const reused = reading.measured(promptMs, promptTokens, cachedTokens);
    this.writingPace.note(request.model, answer.stats);
    const seq = log.entries.at(-1)?.seq;
    if (promptTokens !== undefined && seq !== undefined) {
      this.meter.record(run.sessionId, { seq, tokens: promptTokens + answerTokens, reused, changed });
      await this.meter.noteTokens(model, request, promptTokens);
    }
    return answer;
  }

  /** Yields the chunks of the answer; until the first of them, reports what the run waits for. */
  private async *stream(request: ChatRequest, run: Run, turn: ModelTurn, awaited: AwaitedAnswer) {
    const watch = new FirstTokenWatch(this.models, this.clock, run, awaited);
    const wait = () => {
      turn.onFirst = turn.isBehind ? wait : null;
      if (turn.isBehind) run.report({ kind: 'behind', model: request.model, since: this.clock.now() });
      else watch.reading();
    };
    wait();
    let isFirst = true;
    try {
      const chunks = this.client.chat(request, {
        signal: run.signal,
        onRetry: ({ attempt, of, delayMs, error }) => {
          turn.onFirst = null;
          run.report({ kind: 'retrying', attempt, of, until: this.clock.now() + delayMs, reason: error.userMessage });
          watch.again({ name: request.model }, delayMs);
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

/** Share of a limit that has probably been written where a call was cut by it and not by the model. */
const nearLimit = 0.7;

/** Tells whether a call that the engine could not read was cut by the limit, going by how long the model wrote. */
function isAtLimit(error: unknown, writtenMs: number, facts: WritingFacts | null): boolean {
  if (!(error instanceof UnreadableCallError) || !error.isCut || facts?.limit == null) return false;
  return (writtenMs / 1000) * facts.tokensPerSecond >= facts.limit * nearLimit;
}

/** Returns a message whose images tell one from another and take as much room as the server gives them. */
function withShortImages({ images, ...message }: ChatRequest['messages'][number]) {
  return images === undefined ? message : { ...message, images: images.map((image) => image.slice(-imageLength)) };
}

function written(called: string | null, tools: ToolRegistry): { tool: string; family: ToolFamily } {
  const tool = called === null ? '' : (tools.resolve(called) ?? '');
  return { tool, family: tools.get(tool)?.facts.family ?? 'other' };
}

/**
 * Returns the calls to expect in silence: a call that the server sends whole is preceded by nothing, one written as text
 * comes word by word.
 */
function expectedOf(request: ChatRequest, tools: ToolRegistry): AwaitedAnswer['expected'] {
  if (!request.tools) return null;
  return tools.names().some((name) => tools.get(name)?.facts.effect !== 'none') ? 'editOrCall' : 'call';
}
