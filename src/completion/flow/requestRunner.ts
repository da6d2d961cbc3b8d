import type { Settings } from '../../config/settings';
import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { ServerArbiter } from '../../services/model/serverArbiter';
import type { GenerateChunk, GenerateRequest } from '../../types/ollama';
import { PromptBuilder, type PromptContext } from '../prompt/promptBuilder';
import type { CompletionDocument, CompletionModel } from '../completionTypes';
import type { PendingRequest, RequestStart } from './pendingRequest';
import { PromptRate } from './promptRate';
import type { ModelReadiness } from './modelReadiness';

const singleLineTokens = 64;

interface RunnerPorts {
  client: Pick<OllamaClient, 'generate'>;
  arbiter: Pick<ServerArbiter, 'begin'>;
  settings: Pick<Settings, 'getCompletionConfig' | 'getAgentConfig'>;
}

/** Sends requests and appends the streamed responses to them. */
export class RequestRunner {
  private readonly builder = new PromptBuilder();
  private readonly rate = new PromptRate();

  constructor(
    private readonly ports: RunnerPorts,
    private readonly readiness: Pick<ModelReadiness, 'ready' | 'answered'>,
    private readonly context: (document: CompletionDocument) => Promise<PromptContext>,
  ) {}

  /** Resolves when the response has ended. `pending` contains the result. */
  async run(pending: PendingRequest): Promise<void> {
    const { model } = pending.start;
    const end = this.ports.arbiter.begin('suggestion');
    try {
      await this.readiness.ready(model, this.ports.settings.getAgentConfig().keepAlive);
      if (pending.signal.aborted) {
        pending.finish();
        return;
      }
      const request = this.request(pending.start, await this.context(pending.start.document));
      for await (const chunk of this.ports.client.generate(request, { signal: pending.signal })) {
        if (chunk.done) {
          this.rate.note(request.prompt, chunk);
          this.readiness.answered(model);
        }
        this.take(pending, chunk);
        // Leaving the loop closes the stream and stops the server.
        if (pending.isPastBlock) break;
      }
      pending.finish();
    } catch (error) {
      pending.finish(pending.signal.aborted ? undefined : asError(error));
    } finally {
      end();
    }
  }

  /** Makes the server process a prompt without generating text. Ignores failures, because no caller waits for the result. */
  async warm(document: CompletionDocument, model: CompletionModel, signal: AbortSignal): Promise<void> {
    const request = this.request({ document, model, multiline: false }, await this.context(document));
    const once = { ...request, options: { ...request.options, num_predict: 1 } };
    try {
      for await (const chunk of this.ports.client.generate(once, { signal })) if (chunk.done) this.readiness.answered(model);
    } catch {
      // The next request reports the problem.
    }
  }

  private take(pending: PendingRequest, { response, done }: GenerateChunk): void {
    if (response !== '') pending.push(response);
    if (done) pending.finish();
  }

  private request({ document, model, multiline }: Omit<RequestStart, 'isSpeculative'>, context: PromptContext): GenerateRequest {
    const config = this.ports.settings.getCompletionConfig();
    const { maxPrefixChars, maxSuffixChars, temperature, maxTokens } = config;
    const room = Math.max(64, Math.min(this.rate.budget, model.options.num_ctx - maxTokens - 16));
    const limits = { tokens: room, charsPerToken: this.rate.charsPerToken, maxPrefixChars, maxSuffixChars };
    const { prompt, suffix, stop } = this.builder.build(document, model, limits, context);
    const predicted = multiline ? maxTokens : Math.min(maxTokens, singleLineTokens);
    return {
      model: model.name,
      prompt,
      ...(suffix === undefined ? { raw: true } : { suffix }),
      options: {
        ...model.options,
        num_predict: predicted,
        temperature,
        stop: multiline ? stop : [...stop, '\n'],
      },
      keep_alive: this.ports.settings.getAgentConfig().keepAlive,
      think: false,
      truncate: false,
      shift: false,
    };
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
