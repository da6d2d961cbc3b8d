import type { Settings } from '../../config/settings';
import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { GenerateChunk, GenerateRequest } from '../../types/ollama';
import { PromptBuilder, type PromptContext } from '../prompt/promptBuilder';
import type { CompletionDocument, CompletionModel } from '../completionTypes';
import type { Flight } from './flight';
import type { ModelReadiness } from './modelReadiness';

/** Tokens of a prompt at the most. */
const budget = 2048;
/** Characters that a token of code has, before anything is measured. */
const usualCharsPerToken = 3;
const singleLineTokens = 64;

/** Sends requests and fills their flights with what comes. */
export class FlightRunner {
  private readonly builder = new PromptBuilder();

  constructor(
    private readonly client: Pick<OllamaClient, 'generate'>,
    private readonly settings: Pick<Settings, 'getCompletionConfig' | 'getAgentConfig'>,
    private readonly readiness: Pick<ModelReadiness, 'ready' | 'answered'>,
  ) {}

  /** Resolves when the answer has ended, however it did: the flight says how. */
  async run(flight: Flight, context: PromptContext = { stable: [], volatile: [] }): Promise<void> {
    const { model } = flight.start;
    try {
      await this.readiness.ready(model, this.settings.getAgentConfig().keepAlive);
      if (flight.signal.aborted) {
        flight.finish();
        return;
      }
      for await (const chunk of this.client.generate(this.request(flight, context), { signal: flight.signal })) {
        this.take(flight, chunk);
      }
      this.readiness.answered(model);
      flight.finish();
    } catch (error) {
      flight.finish(flight.signal.aborted ? undefined : asError(error));
    }
  }

  /** Lets the server read a prompt, and write nothing of it. Failures are nothing to tell: nobody waits. */
  async warm(document: CompletionDocument, model: CompletionModel, signal: AbortSignal): Promise<void> {
    const start = { document, model, multiline: false, isSpeculative: true };
    const request = this.request({ start }, { stable: [], volatile: [] });
    const once = { ...request, options: { ...request.options, num_predict: 1 } };
    try {
      for await (const chunk of this.client.generate(once, { signal })) if (chunk.done) this.readiness.answered(model);
    } catch {
      // The next question says what is wrong.
    }
  }

  private take(flight: Flight, { response, done }: GenerateChunk): void {
    if (response !== '') flight.push(response);
    if (done) flight.finish();
  }

  private request({ start: { document, model, multiline } }: Pick<Flight, 'start'>, context: PromptContext): GenerateRequest {
    const config = this.settings.getCompletionConfig();
    const { maxPrefixChars, maxSuffixChars, temperature, maxTokens } = config;
    const room = Math.max(64, Math.min(budget, model.numCtx - maxTokens - 16));
    const limits = { tokens: room, charsPerToken: usualCharsPerToken, maxPrefixChars, maxSuffixChars };
    const { prompt, suffix, stop } = this.builder.build(document, model, limits, context);
    const predicted = multiline ? maxTokens : Math.min(maxTokens, singleLineTokens);
    return {
      model: model.name,
      prompt,
      ...(suffix === undefined ? { raw: true } : { suffix }),
      options: { num_ctx: model.numCtx, num_predict: predicted, temperature, stop: multiline ? stop : [...stop, '\n'] },
      keep_alive: this.settings.getAgentConfig().keepAlive,
      think: false,
      truncate: false,
      shift: false,
    };
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
