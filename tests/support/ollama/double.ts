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
  /** Which column of behaviour is shown. Default `0.32.15`. */
  age?: ServerAge;
  /** Default: one model `test-model` that completes. */
  models?: readonly ModelSpec[];
  /** Models that a pull can fetch. */
  pullable?: readonly ModelSpec[];
  /** Silence between the progress lines of a pull. */
  pullDelayMs?: number;
  /** Size of the pieces in which answers are sent. Default 65536. */
  chunkBytes?: number;
  /** Default: any free port. */
  port?: number;
  /** What `/api/version` says. Default: the age. */
  version?: string;
  /** As a proxy in front of the server does: without this token every request is answered 401. */
  bearerToken?: string;
  /** Answers that one model gives at a time, as `OLLAMA_NUM_PARALLEL` sets it. Default 1. */
  parallel?: number;
  now?: () => Date;
}

/** Takes a request over and returns true, or leaves it to the double. */
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

/** An Ollama server for tests: a real HTTP server that is exact on the wire and says what its script says. */
export class OllamaDouble {
  /** Answers still to be given, first come first served; see `Reply.when`. */
  readonly script: Scripted[] = [];
  readonly requests: RecordedRequest[] = [];
  /** Size of the pieces in which answers are sent; may be changed between requests. */
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

  /** Requests that were taken and are neither answered to the end nor left by their client. */
  get openStreams(): number {
    return this.streaming;
  }

  /** Requests whose client left before the answer was complete. */
  get aborted(): RecordedRequest[] {
    return this.requests.filter((request) => request.aborted);
  }

  /** Completed loads of models into memory, in order; a reload shows as a second one. */
  get loads(): readonly LoadRecord[] {
    return this.registry.loads;
  }

  requestsTo(path: string): RecordedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Adds a model to those on disk, or replaces one. */
  addModel(spec: ModelSpec): void {
    this.registry.add(spec);
  }

  /** Answers chat requests for which the script has nothing. */
  onChat(handler: ReplyHandler): void {
    this.chatHandler = handler;
  }

  /** Answers requests for the summary of a conversation, which the script never answers. By default they get nothing. */
  onSummary(handler: ReplyHandler): void {
    this.summaryHandler = handler;
  }

  /** Answers requests for the title of a chat, which the script never answers. By default they get nothing. */
  onTitle(handler: ReplyHandler): void {
    this.titleHandler = handler;
  }

  /** Answers requests for a call in the form of a schema, which the script never answers. By default they get nothing. */
  onRepair(handler: ReplyHandler): void {
    this.repairHandler = handler;
  }

  /** Answers generate requests for which the script has nothing. */
  onGenerate(handler: ReplyHandler): void {
    this.generateHandler = handler;
  }

  /** Sees every request before the double does; for answers that no Ollama gives, such as redirects. */
  intercept(interceptor: Interceptor | undefined): void {
    this.interceptor = interceptor;
  }

  /** Resolves when this is true; looked at after every request, answer and departure. */
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

  /** Cuts every connection and gives the port back, as a kill does: another double can start there. */
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
