import type {
  ChatChunk,
  ChatRequest,
  EmbedResponse,
  GenerateChunk,
  GenerateRequest,
  PullProgress,
  RunningModel,
  ShowResponse,
  WireModel,
} from '../../../types/ollama';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { isCancelled } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { abortableWait } from './abortableWait';
import type { JsonObject } from './ndjson';
import { OllamaError } from './ollamaErrors';
import type { OllamaRequest, OllamaRequests, RequestOptions } from './ollamaRequests';
import type { RetryNotice } from './retry';
import { checkChatChunk, checkGenerateChunk, checkPullProgress } from './wireChecks';

export type { RequestOptions, RetryNotice };

export interface OllamaClientOptions {
  baseUrl: () => string;
  /** The bearer token entered for exactly this origin, if there is one. */
  token: (origin: string) => Promise<string | undefined>;
  clock: Clock;
  logger: Logger;
}

/**
 * Calls Ollama's HTTP API. Every call throws an OllamaError or CancelledError; failures to connect and 5xx are retried before the first
 * piece
 * of an answer. A stream is read by `for await`; leaving it, or its signal, closes the socket, which makes the server stop. There are no
 * timeouts.
 */
export class OllamaClient implements Disposable {
  private requests: OllamaRequests | undefined;
  private readonly lifetime = new AbortController();

  constructor(private readonly options: OllamaClientOptions) {}

  /** Ends normally only after a chunk with `done: true`, else throws StreamError `incomplete`. */
  chat(request: ChatRequest, options: RequestOptions = {}): AsyncGenerator<ChatChunk, void, undefined> {
    const hasTools = (request.tools?.length ?? 0) > 0;
    const body = { ...request, stream: true };
    const sent = { method: 'POST', path: '/api/chat', model: request.model, hasTools, body } as const;
    return this.stream(sent, checkChatChunk, isDone, options);
  }

  /** Streams like `chat`. An empty prompt loads the model and completes nothing. */
  generate(request: GenerateRequest, options: RequestOptions = {}): AsyncGenerator<GenerateChunk, void, undefined> {
    const sent = { method: 'POST', path: '/api/generate', model: request.model, body: { ...request, stream: true } } as const;
    return this.stream(sent, checkGenerateChunk, isDone, options);
  }

  /**
   * Loads a model with the options that chat and generate will use; at once where it is in memory with them. The signal ends
   * the waiting, and the loading too only with `isAbandoned`: a disconnect makes the server drop a load that others may wait for.
   */
  async load(
    request: { model: string; options: { num_ctx: number }; keep_alive: string | number },
    options: RequestOptions & { isAbandoned?: boolean } = {},
  ): Promise<void> {
    const { signal, onRetry } = options;
    const body = { ...request, messages: [], stream: false, truncate: false, shift: false };
    const sent = { method: 'POST', path: '/api/chat', model: request.model, body } as const;
    const loading = this.json(sent, { onRetry, ...(options.isAbandoned ? { signal } : { retrySignal: signal }) });
    await abortableWait(loading, signal);
  }

  /**
   * Returns one vector of length 1 for each text, in their order. The server cuts texts that are longer than the model
   * can take.
   */
  async embed(model: string, input: string[], options: RequestOptions & { dimensions?: number } = {}): Promise<EmbedResponse> {
    const body = { model, input, ...(options.dimensions !== undefined && { dimensions: options.dimensions }) };
    const answer = await this.json({ method: 'POST', path: '/api/embed', model, body }, options);
    return (await this.ready()).expect((await schemas()).embedSchema, answer) as JsonObject & EmbedResponse;
  }

  /** Returns the installed models, newest first. */
  async listModels(options: RequestOptions & { isRetried?: boolean } = {}): Promise<WireModel[]> {
    const answer = await this.json({ method: 'GET', path: '/api/tags' }, options);
    return ((await this.ready()).expect((await schemas()).modelListSchema, answer).models ?? []) as (JsonObject & WireModel)[];
  }

  async showModel(name: string, options: RequestOptions = {}): Promise<ShowResponse> {
    const answer = await this.json({ method: 'POST', path: '/api/show', model: name, body: { model: name } }, options);
    const shown = (await this.ready()).expect((await schemas()).showSchema, answer);
    return { ...shown, model_info: shown.model_info ?? {} } as ShowResponse;
  }

  /** Returns the models in memory, with the context length that each was really loaded with. */
  async getRunningModels(options: RequestOptions & { isRetried?: boolean } = {}): Promise<RunningModel[]> {
    const answer = await this.json({ method: 'GET', path: '/api/ps' }, options);
    return ((await this.ready()).expect((await schemas()).modelListSchema, answer).models ?? []) as (JsonObject & RunningModel)[];
  }

  /** Ends normally only after `success`. What was fetched before an abort is kept by the server. */
  pull(name: string, options: RequestOptions = {}): AsyncGenerator<PullProgress, void, undefined> {
    const sent = { method: 'POST', path: '/api/pull', model: name, body: { model: name, stream: true } } as const;
    return this.stream(sent, checkPullProgress, (progress) => progress.status === 'success', options);
  }

  async deleteModel(name: string, options: RequestOptions = {}): Promise<void> {
    await (await this.ready()).text({ method: 'DELETE', path: '/api/delete', model: name, body: { model: name } }, options);
  }

  /** Gives the model's memory back; running requests end first. Nothing happens where it is not loaded. */
  async unload(name: string, options: RequestOptions = {}): Promise<void> {
    const body = { model: name, messages: [], keep_alive: 0, stream: false };
    await this.json({ method: 'POST', path: '/api/chat', model: name, body }, options);
  }

  async version(options: RequestOptions = {}): Promise<string> {
    return this.askVersion(options, true);
  }

  /** Asks once, without retries: whoever tests wants to know how things stand now. Throws only CancelledError. */
  async testConnection(
    options: Pick<RequestOptions, 'signal'> = {},
  ): Promise<{ ok: true; version: string } | { ok: false; error: OllamaError }> {
    try {
      return { ok: true, version: await this.askVersion(options, false) };
    } catch (error) {
      if (isCancelled(error) || !(error instanceof OllamaError)) throw error;
      return { ok: false, error };
    }
  }

  /** Destroys every socket; what is under way and every later call rejects with CancelledError. */
  dispose(): void {
    this.lifetime.abort();
  }

  private async json(...request: Parameters<OllamaRequests['json']>): Promise<JsonObject> {
    return (await this.ready()).json(...request);
  }

  private async *stream<T>(
    request: OllamaRequest,
    check: (value: JsonObject) => T,
    isLast: (value: T) => boolean,
    options: RequestOptions,
  ): AsyncGenerator<T, void, undefined> {
    yield* (await this.ready()).stream(request, check, isLast, options);
  }

  /** Loads the HTTP code with the first request instead of when the window starts. */
  private async ready(): Promise<OllamaRequests> {
    const [{ OllamaRequests }, { HttpTransport }] = await Promise.all([
      import(/* webpackChunkName: "chat" */ './ollamaRequests'),
      import(/* webpackChunkName: "chat" */ './httpTransport'),
    ]);
    this.requests ??= new OllamaRequests(new HttpTransport(this.options), this.options, this.lifetime.signal);
    return this.requests;
  }

  private async askVersion(options: RequestOptions, isRetried: boolean): Promise<string> {
    const answer: JsonObject = await this.json({ method: 'GET', path: '/api/version' }, { ...options, isRetried });
    return (await this.ready()).expect((await schemas()).versionSchema, answer).version;
  }
}

/** Loads the schemas with the first answer, not when the window starts. */
function schemas() {
  return import(/* webpackChunkName: "chat" */ './wireSchemas');
}

function isDone(chunk: { done: boolean }): boolean {
  return chunk.done;
}
