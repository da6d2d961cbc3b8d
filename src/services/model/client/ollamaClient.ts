import type {
  ChatChunk,
  ChatRequest,
  EmbedResponse,
  GenerateChunk,
  GenerateRequest,
  PullProgress,
  RunningModel,
  ShowResponse,
  WireMetrics,
  WireModel,
} from '../../../types/ollama';
import type { ModelExchange } from '../../../types/modelExchange';
import { shownAddress } from '../../../types/httpAddress';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter, type Event } from '../../../utils/emitter';
import { isCancelled } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { abortableWait } from './abortableWait';
import type { JsonObject } from './ndjson';
import { OllamaError } from './ollamaErrors';
import type { OllamaRequest, OllamaRequests, RequestOptions } from './ollamaRequests';
import type { RetryEvent } from './retry';
import { checkChatChunk, checkGenerateChunk, checkPullProgress, metricNames } from './wireChecks';

export type { RequestOptions, RetryEvent };

export interface OllamaClientOptions {
  baseUrl: () => string;
  /** Returns the bearer token for exactly this origin, if the user has entered one. */
  token: (origin: string) => Promise<string | undefined>;
  clock: Clock;
  logger: Logger;
}

/**
 * Calls Ollama's HTTP API. Every call throws `OllamaError` or `CancelledError`. Connection errors and 5xx responses are retried
 * until the first part of a response arrives. Leaving the `for await` loop of a stream closes the socket, so that the server
 * stops working on the request. The signal has the same effect. There are no timeouts.
 */
export class OllamaClient implements Disposable {
  private requests: OllamaRequests | undefined;
  private readonly lifetime = new AbortController();
  private readonly exchanged: Emitter<ModelExchange>;
  private readonly lost: Emitter<void>;

  constructor(private readonly options: OllamaClientOptions) {
    const report = (error: unknown) => options.logger.error('A listener of the requests failed', error);
    this.exchanged = new Emitter(report);
    this.lost = new Emitter(report);
  }

  /** Fires when a chat, a completion or a load has ended, even after an error. */
  get onDidExchange(): Event<ModelExchange> {
    return this.exchanged.event;
  }

  /** Fires when the server did not respond to a request, or when the response was interrupted. */
  get onDidLoseConnection(): Event<void> {
    return this.lost.event;
  }

  /** Streams a chat. Ends only after a chunk with `done: true`. Otherwise throws `StreamError` `incomplete`. */
  chat(request: ChatRequest, options: RequestOptions = {}): AsyncGenerator<ChatChunk, void, undefined> {
    const hasTools = (request.tools?.length ?? 0) > 0;
    const body = { ...request, stream: true };
    const about = options.isAhead === true && { about: 'ahead of a message' };
    const sent = { method: 'POST', path: '/api/chat', model: request.model, hasTools, body, ...about } as const;
    return this.watched(sent, this.stream(sent, checkChatChunk, isDone, options), options);
  }

  /** Streams a completion like `chat`. An empty prompt only loads the model. */
  generate(request: GenerateRequest, options: RequestOptions = {}): AsyncGenerator<GenerateChunk, void, undefined> {
    const sent = { method: 'POST', path: '/api/generate', model: request.model, body: { ...request, stream: true } } as const;
    return this.watched(sent, this.stream(sent, checkGenerateChunk, isDone, options), options);
  }

  /**
   * Loads a model with the options of later chat and generate requests. Resolves immediately if the model is already loaded with
   * these options. The signal ends the wait. With `isAbandoned`, it also ends the request. The server then drops the load, which
   * other requests may need.
   */
  async load(
    request: { model: string; options: { num_ctx: number }; keep_alive: string | number },
    options: RequestOptions & { isAbandoned?: boolean } = {},
  ): Promise<void> {
    const { signal, onRetry } = options;
    const body = { ...request, messages: [], stream: false, truncate: false, shift: false };
    const sent = { method: 'POST', path: '/api/chat', model: request.model, body } as const;
    const loading = this.json(sent, { onRetry, ...(options.isAbandoned ? { signal } : { retrySignal: signal }) });
    const end = this.begin(sent, { isLoad: true });
    loading.then(
      () => end({}),
      () => end(null),
    );
    await abortableWait(loading, signal);
  }

  /** Returns one unit vector per text, in the same order. The server truncates texts that are too long for the model. */
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

  /** Returns the details of a model. `isVerbose` adds long lists, which can contain megabytes of data. */
  async showModel(name: string, options: RequestOptions & { isVerbose?: boolean } = {}): Promise<ShowResponse> {
    const body = { model: name, ...(options.isVerbose === true && { verbose: true }) };
    const answer = await this.json({ method: 'POST', path: '/api/show', model: name, body }, options);
    const shown = (await this.ready()).expect((await schemas()).showSchema, answer);
    return { ...shown, model_info: shown.model_info ?? {} } as ShowResponse;
  }

  /** Returns the models in memory. Each has the context length with which it was actually loaded. */
  async getRunningModels(options: RequestOptions & { isRetried?: boolean } = {}): Promise<RunningModel[]> {
    const answer = await this.json({ method: 'GET', path: '/api/ps' }, options);
    return ((await this.ready()).expect((await schemas()).modelListSchema, answer).models ?? []) as (JsonObject & RunningModel)[];
  }

  /** Streams the progress of a pull. Ends only after `success`. After an abort, the server keeps the downloaded part. */
  pull(name: string, options: RequestOptions = {}): AsyncGenerator<PullProgress, void, undefined> {
    const sent = { method: 'POST', path: '/api/pull', model: name, body: { model: name, stream: true } } as const;
    return this.stream(sent, checkPullProgress, (progress) => progress.status === 'success', options);
  }

  async deleteModel(name: string, options: RequestOptions = {}): Promise<void> {
    await (await this.ready()).text({ method: 'DELETE', path: '/api/delete', model: name, body: { model: name } }, options);
  }

  /** Unloads a model after its running requests have ended. Does nothing if the model is not loaded. */
  async unload(name: string, options: RequestOptions = {}): Promise<void> {
    const body = { model: name, messages: [], keep_alive: 0, stream: false };
    await this.json({ method: 'POST', path: '/api/chat', model: name, body }, options);
  }

  async version(options: RequestOptions = {}): Promise<string> {
    return this.askVersion(options, true);
  }

  /** Checks the connection without retries, because the caller needs the current state. Throws only `CancelledError`. */
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

  /** Destroys every socket. Running and later calls reject with `CancelledError`. */
  dispose(): void {
    this.lifetime.abort();
    this.exchanged.dispose();
    this.lost.dispose();
  }

  /** Passes a stream through and reports when it ends. */
  private async *watched<T extends { done: boolean } & WireMetrics>(
    request: SentRequest,
    chunks: AsyncGenerator<T, void, undefined>,
    { origin, isMeasurement }: RequestOptions,
  ): AsyncGenerator<T, void, undefined> {
    const end = this.begin(request, { isLoad: false, ...(origin && { origin }), ...(isMeasurement && { isMeasurement }) });
    let metrics: WireMetrics | null = null;
    try {
      for await (const chunk of chunks) {
        if (chunk.done) metrics = pickMetrics(chunk);
        yield chunk;
      }
    } finally {
      end(metrics);
    }
  }

  /** Records the start of a request. Returns the function that reports the end. */
  private begin(
    { path, model, body }: SentRequest,
    facts: Pick<ModelExchange, 'isLoad' | 'origin' | 'isMeasurement'>,
  ): (metrics: WireMetrics | null) => void {
    const { clock, baseUrl } = this.options;
    const startedAt = clock.now();
    const address = shownAddress(baseUrl());
    return (metrics) => this.exchanged.fire({ path, model, body, address, startedAt, endedAt: clock.now(), metrics, ...facts });
  }

  private async json(...request: Parameters<OllamaRequests['json']>): Promise<JsonObject> {
    return (await this.ready()).json(...request);
  }

  private async *stream<T>(
    request: OllamaRequest,
    check: (value: JsonObject) => T | null,
    isLast: (value: T) => boolean,
    options: RequestOptions,
  ): AsyncGenerator<T, void, undefined> {
    yield* (await this.ready()).stream(request, check, isLast, options);
  }

  /** Loads the HTTP code on the first request instead of at window start. */
  private async ready(): Promise<OllamaRequests> {
    const [{ OllamaRequests }, { HttpTransport }] = await Promise.all([
      import(/* webpackChunkName: "chat" */ './ollamaRequests'),
      import(/* webpackChunkName: "chat" */ './httpTransport'),
    ]);
    const options = { ...this.options, onLostConnection: () => this.lost.fire() };
    this.requests ??= new OllamaRequests(new HttpTransport(this.options), options, this.lifetime.signal);
    return this.requests;
  }

  private async askVersion(options: RequestOptions, isRetried: boolean): Promise<string> {
    const answer: JsonObject = await this.json({ method: 'GET', path: '/api/version' }, { ...options, isRetried });
    return (await this.ready()).expect((await schemas()).versionSchema, answer).version;
  }
}

interface SentRequest extends OllamaRequest {
  path: ModelExchange['path'];
  model: string;
  body: object;
}

function pickMetrics(chunk: WireMetrics): WireMetrics {
  return Object.fromEntries(metricNames.flatMap((name) => (chunk[name] === undefined ? [] : [[name, chunk[name]]])));
}

/** Loads the schemas on the first response instead of at window start. */
function schemas() {
  return import(/* webpackChunkName: "chat" */ './wireSchemas');
}

function isDone(chunk: { done: boolean }): boolean {
  return chunk.done;
}
