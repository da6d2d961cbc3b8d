import type { ModelInfo } from '../types/model';
import type { ChatRequest, WireTool, WireToolCall } from '../types/ollama';
import type { Clock } from '../utils/clock';
import { CancelledError, throwIfAborted } from '../utils/errors';
import { FirstTokenWatch } from './firstTokenWatch';
import type { ChatClient, ModelSource } from './ports';
import { completionMark } from './promptBuilder';
import type { RequestBuilder } from './requestBuilder';
import type { Run } from './run';
import type { RunLog } from './runLog';
import { StreamProcessor, type StreamedAnswer } from './streamProcessor';

export interface Question {
  run: Run;
  log: RunLog;
  model: ModelInfo;
  tools: readonly WireTool[];
}

/** Characters of English and code that make a token, about. */
const charactersPerToken = 4;

/** Asks the model for one answer to the conversation as it stands, and writes the answer to the log while it comes. */
export class ModelRequester {
  constructor(
    private readonly client: ChatClient,
    private readonly models: Pick<ModelSource, 'running'>,
    private readonly requests: RequestBuilder,
    private readonly clock: Clock,
  ) {}

  /** `onCall` hears of each call in order, as it arrives. Rejects with `CancelledError` or with why there is no whole answer. */
  async ask({ run, log, model, tools }: Question, onCall: (call: WireToolCall) => Promise<void>): Promise<StreamedAnswer> {
    throwIfAborted(run.signal);
    const request = this.requests.build({ mode: run.mode, model, tools, entries: log.entries });
    const promptTokens = estimateTokens(request);
    const watch = new FirstTokenWatch(this.models, this.clock, run);
    const processor = new StreamProcessor(log, this.clock, onCall, {
      completionMark: run.mode === 'agent' ? completionMark : null,
      contextWindow: request.options.num_ctx,
    });
    watch.start(model, promptTokens);
    try {
      const chunks = this.client.chat(request, {
        signal: run.signal,
        onRetry: ({ attempt, of, delayMs, error }) => {
          run.report({ kind: 'retrying', attempt, of, until: this.clock.now() + delayMs, reason: error.userMessage });
          watch.start(model, promptTokens, delayMs);
        },
      });
      let isFirst = true;
      for await (const chunk of chunks) {
        throwIfAborted(run.signal);
        if (isFirst) {
          watch.stop();
          run.report({ kind: 'answering', since: this.clock.now() });
        }
        isFirst = false;
        await processor.accept(chunk);
      }
    } catch (error) {
      if (log.failure === undefined) await processor.finish(run.signal.aborted ? 'stopped' : 'incomplete');
      throw run.signal.aborted && log.failure === undefined ? new CancelledError() : error;
    } finally {
      watch.stop();
    }
    return processor.finish('complete');
  }
}

function estimateTokens(request: ChatRequest): number {
  const text = JSON.stringify([request.messages, request.tools ?? []]);
  return Math.ceil(text.length / charactersPerToken);
}
