import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { handleDelete, handlePs, handleShow, handleTags, handleVersion } from './doubleCatalog';
import { handleChat } from './doubleChat';
import { handleEmbed, handleEmbeddings } from './doubleEmbed';
import type { DoubleState, Exchange, RecordedRequest } from './doubleExchange';
import { handleGenerate } from './doubleGenerate';
import { corsHeaders, isAllowedHost, isAllowedOrigin } from './doubleGuards';
import type { ModelSpec, ServerAge } from './doubleModel';
import { handlePull } from './doublePull';
import { DoubleRegistry, type LoadRecord } from './doubleRegistry';
import { toReply, type GenerationRequest, type Reply, type ReplyHandler, type Scripted } from './doubleReply';
import { goJson } from './goJson';
import { decodeBody } from './requestBody';
import { isRepairRequest, isSummaryRequest, isTitleRequest } from './requestKinds';
import { ClientGone, WireError } from './wireError';
import { WireWriter } from './wireWriter';

export interface DoubleOptions {
  /** Ollama version whose behavior is simulated. Default: `0.32.15`. */
  age?: ServerAge;
  /** Models on disk. Default: one model `test-model` with the completion capability. */
  models?: readonly ModelSpec[];
  /** Models that a pull can fetch. */
  pullable?: readonly ModelSpec[];
  /** Pause between the progress lines of a pull. */
  pullDelayMs?: number;
  /** Chunk size of responses in bytes. Default: 65536. */
  chunkBytes?: number;
  /** Port to listen on. Default: any free port. */
  port?: number;
  /** Version that `/api/version` returns. Default: the value of `age`. */
  version?: string;
  /** Token that every request must send, as for an authenticating proxy. Requests without it get status 401. */
  bearerToken?: string;
  /** Number of parallel requests per model, like `OLLAMA_NUM_PARALLEL`. Default: 1. */
  parallel?: number;
  now?: () => Date;
}

/** Handles a request and returns true, or returns false to leave it to the double. */
export type Interceptor = (request: http.IncomingMessage, response: http.ServerResponse) => boolean;

type Handler = (exchange: Exchange) => Promise<void>;

const routes: Record<string, Record<string, Handler>> = {
  '/': { GET: sendRunning, HEAD: sendRunning },
  '/api/version': { GET: handleVersion, HEAD: handleVersion },
  '/api/tags': { GET: handleTags, HEAD: handleTags },
  '/api/ps': { GET: handlePs },
  '/api/show': { POST: handleShow },
  '/api/pull': { POST: handlePull },
  '/api/delete': { DELETE: handleDelete },
  '/api/chat': { POST: handleChat },
  '/api/generate': { POST: handleGenerate },
  '/api/embed': { POST: handleEmbed },
  '/api/embeddings': { POST: handleEmbeddings },
};

/** An Ollama server for tests: a real HTTP server with the exact wire format and scripted replies. */
export class OllamaDouble {
  /** Remaining replies, in order of use. See `Reply.when`. */
  readonly script: Scripted[] = [];
  readonly requests: RecordedRequest[] = [];
  /** Chunk size of responses in bytes. May be changed between requests. */
  chunkBytes: number;
  private readonly server: http.Server;
  readonly registry: DoubleRegistry;
  private readonly state: DoubleState;
  private readonly watchers = new Set<() => void>();
  private chatHandler: ReplyHandler | undefined;
  private generateHandler: ReplyHandler | undefined;
  private summaryHandler: ReplyHandler = () => '';
  private titleHandler: ReplyHandler = () => '';
  private repairHandler: ReplyHandler = () => '';
  private interceptor: Interceptor | undefined;
  private streaming = 0;

  private constructor(private readonly options: DoubleOptions) {
    const now = options.now ?? (() => new Date());
    const age = options.age ?? '0.32.15';
    this.chunkBytes = options.chunkBytes ?? 65_536;
    this.registry = new DoubleRegistry(now, options.parallel);
    for (const spec of options.models ?? [{ name: 'test-model' }]) this.registry.add(spec);
    this.state = {
      age,
      version: options.version ?? age,
      registry: this.registry,
      pullable: options.pullable ?? [],
      pullDelayMs: options.pullDelayMs ?? 0,
      now,
      nextReply: (request) => this.nextReply(request),
    };
    this.server = http.createServer((request, response) => void this.serve(request, response));
  }

  static async start(options: DoubleOptions = {}): Promise<OllamaDouble> {
    const double = new OllamaDouble(options);
    await new Promise<void>((resolve, reject) => {
      double.server.once('error', reject);
      double.server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return double;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Number of accepted requests that are neither fully answered nor aborted by their clients. */
  get openStreams(): number {
    return this.streaming;
  }

  /** Requests whose clients disconnected before the response was complete. */
  get aborted(): RecordedRequest[] {
    return this.requests.filter((request) => request.aborted);
  }

  /** Completed model loads, in order. A reload appears as a second entry. */
  get loads(): readonly LoadRecord[] {
    return this.registry.loads;
  }

  requestsTo(path: string): RecordedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Adds a model to the models on disk, or replaces it. */
  addModel(spec: ModelSpec): void {
    this.registry.add(spec);
  }

  /** Handles chat requests for which the script has no reply. */
  onChat(handler: ReplyHandler): void {
    this.chatHandler = handler;
  }

  /** Handles requests for a summary of a conversation, which never use the script. By default the reply is empty. */
  onSummary(handler: ReplyHandler): void {
    this.summaryHandler = handler;
  }

  /** Handles requests for a chat title, which never use the script. By default the reply is empty. */
  onTitle(handler: ReplyHandler): void {
    this.titleHandler = handler;
  }

  /** Handles requests for a schema-constrained tool call, which never use the script. By default the reply is empty. */
  onRepair(handler: ReplyHandler): void {
    this.repairHandler = handler;
  }

  /** Handles generate requests for which the script has no reply. */
  onGenerate(handler: ReplyHandler): void {
    this.generateHandler = handler;
  }

  /** Sets a handler that receives every request before the double. Use it for responses that Ollama never sends, such as redirects. */
  intercept(interceptor: Interceptor | undefined): void {
    this.interceptor = interceptor;
  }

  /** Resolves when the condition is true. Checks it after every request, response and disconnect. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        const watch = (): void => {
          this.watchers.delete(watch);
          resolve();
        };
        this.watchers.add(watch);
      });
    }
  }

  /** Closes every connection and frees the port, like a killed server. Another double can then use the port. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeAllConnections();
    await closed;
  }

  private async nextReply(request: GenerationRequest): Promise<Reply> {
    if (isSummaryRequest(request)) return toReply(await this.summaryHandler(request));
    if (isTitleRequest(request)) return toReply(await this.titleHandler(request));
    if (isRepairRequest(request.body)) return toReply(await this.repairHandler(request));
    for (const [at, scripted] of this.script.entries()) {
      const reply = toReply(scripted);
      if (reply.when && !reply.when(request)) continue;
      this.script.splice(at, 1);
      return reply;
    }
    const handler = request.kind === 'chat' ? this.chatHandler : this.generateHandler;
    return handler ? toReply(await handler(request)) : { steps: ['OK'] };
  }

  private async serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const record: RecordedRequest = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: undefined,
      rawBody: '',
      aborted: false,
      finished: false,
    };
    const gone = new AbortController();
    const writer = new WireWriter(response, this.chunkBytes);
    this.streaming += 1;
    response.on('close', () => {
      record.finished = response.writableFinished;
      record.aborted = !record.finished && !response.writableEnded;
      this.streaming -= 1;
      gone.abort();
      this.notify();
    });
    try {
      record.rawBody = await readAll(request);
      record.body = parsedOrUndefined(record.rawBody);
      this.requests.push(record);
      this.notify();
      if (this.interceptor?.(request, response)) return;
      await this.answer(request, response, writer, record.rawBody, gone.signal);
    } catch (error) {
      await this.fail(error, writer, response);
    }
  }

  private async answer(
    request: http.IncomingMessage,
    response: http.ServerResponse,
    writer: WireWriter,
    rawBody: string,
    signal: AbortSignal,
  ): Promise<void> {
    const method = request.method ?? '';
    const path = (request.url ?? '').replace(/\?.*$/, '');
    if (!isAllowedOrigin(request) || !isAllowedHost(request)) return empty(writer, 403);
    if (request.headers.origin !== undefined) {
      for (const [name, value] of corsHeaders(request)) response.setHeader(name, value);
      if (method === 'OPTIONS') return empty(writer, 204);
    }
    const { bearerToken } = this.options;
    if (bearerToken !== undefined && request.headers.authorization !== `Bearer ${bearerToken}`) {
      throw new WireError(401, 'unauthorized');
    }
    const route = routes[path];
    if (!route) return writer.send(404, 'text/plain', '404 page not found');
    const handler = route[method];
    if (!handler) return writer.send(405, 'text/plain', '405 method not allowed', { Allow: Object.keys(route).join(', ') });
    const body = method === 'POST' || method === 'DELETE' ? decodeBody(path, rawBody, this.state.age) : {};
    await handler({ state: this.state, body, writer, response, signal });
  }

  private async fail(error: unknown, writer: WireWriter, response: http.ServerResponse): Promise<void> {
    if (error instanceof ClientGone || response.destroyed) return;
    if (writer.started) {
      response.destroy();
      return;
    }
    const status = error instanceof WireError ? error.status : 500;
    const contentType = error instanceof WireError ? error.contentType : 'application/json; charset=utf-8';
    const message = error instanceof Error ? error.message : String(error);
    await writer.send(status, contentType, goJson({ error: message })).catch(() => response.destroy());
  }

  private notify(): void {
    for (const watcher of [...this.watchers]) watcher();
  }
}

async function readAll(request: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function empty(writer: WireWriter, status: number): Promise<void> {
  writer.begin(status, status === 204 ? {} : { 'Content-Length': '0' });
  writer.end();
  await Promise.resolve();
}

async function sendRunning(exchange: Exchange): Promise<void> {
  await exchange.writer.send(200, 'text/plain; charset=utf-8', 'Ollama is running');
}
