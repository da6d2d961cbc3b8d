import type { z } from 'zod';
import { isCloudModel } from '../../../types/model';
import type { RequestOrigin } from '../../../types/modelExchange';
import type { Clock } from '../../../utils/clock';
import { throwIfAborted } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { network } from '../../network/network';
import { errorFromLine, errorFromResponse, notOllamaError, type RequestSubject } from './errorMapping';
import type { HttpReply } from './httpReply';
import type { HttpRequest, HttpTransport } from './httpTransport';
import { parseNdjson, type JsonObject } from './ndjson';
import { ConnectionError, LocalOnlyRefusal, StreamError } from './ollamaErrors';
import { StrayLines } from './strayLines';
import { withRetry, type RetryEvent } from './retry';
import { parseServerAddress } from './serverAddress';
import { parsedRecord } from '../../../utils/json';

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Chat message to which the request belongs. */
  origin?: RequestOrigin | undefined;
  /** True for a measurement. No cache contains the prompt of a measurement. */
  isMeasurement?: boolean;
  /** True if the server only preloads the start of a later prompt. The list of connections shows this. */
  isAhead?: boolean | undefined;
  /** Called before the delay of each retry. */
  onRetry?: ((notice: RetryEvent) => void) | undefined;
}

export interface OllamaRequest extends HttpRequest {
  model?: string;
  hasTools?: boolean;
}

interface JsonOptions extends RequestOptions {
  /** Ends the retries without aborting the request. */
  retrySignal?: AbortSignal | undefined;
  isRetried?: boolean;
}

export interface OllamaRequestsOptions {
  baseUrl: () => string;
  clock: Clock;
  logger: Logger;
  /** Called when the server did not respond, or when the response was interrupted. */
  onLostConnection: () => void;
}

/** Paths of requests that the server forwards for cloud models. */
const forwarded = new Set(['/api/chat', '/api/generate', '/api/embed']);

/** Sends requests with retries, and verifies that responses and streams come from Ollama. */
export class OllamaRequests {
  constructor(
    private readonly transport: HttpTransport,
    private readonly options: OllamaRequestsOptions,
    private readonly lifetime: AbortSignal,
  ) {}

  /** Returns the body of a successful response. The body may be empty. */
  async text(request: OllamaRequest, options: JsonOptions = {}): Promise<string> {
    const signal = this.signalFor(options.signal);
    const attempt = async () => (await this.open(request, signal)).text().catch(this.noted);
    return options.isRetried === false
      ? attempt()
      : this.retry(attempt, { ...options, signal: this.signalFor(options.retrySignal ?? options.signal) });
  }

  /** Returns the JSON object of a successful response. */
  async json(request: OllamaRequest, options: JsonOptions = {}): Promise<JsonObject> {
    const text = await this.text(request, options);
    const value = parsedRecord(text);
    if (value === undefined) throw notOllamaError(`${request.path}: no JSON object`, this.subject(request).address);
    if (hasError(value)) throw errorFromLine(value['error'], this.subject(request));
    return value;
  }

  /** Validates the required fields of a response. */
  expect<T>(schema: z.ZodType<T>, answer: JsonObject): T {
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw notOllamaError(`Unexpected answer: ${fields}`, parseServerAddress(this.options.baseUrl()).display);
  }

  /**
   * Yields the checked lines of a response. Ends only after a line for which `isLast` is true. Logs and skips lines that `check`
   * does not recognize. If the response then ends early, the text of these lines becomes the error message.
   */
  async *stream<T>(
    request: OllamaRequest,
    check: (value: JsonObject) => T | null,
    isLast: (value: T) => boolean,
    options: RequestOptions,
  ): AsyncGenerator<T, void, undefined> {
    const signal = this.signalFor(options.signal);
    const strays = new StrayLines((message) => this.options.logger.warn(`${request.path}: ${message}`));
    const { reply, lines, first } = await this.retry(() => this.begin(request, strays, signal), { ...options, signal });
    let isComplete = false;
    try {
      for (let line = first; !line.done; line = await lines.next()) {
        if (hasError(line.value)) throw errorFromLine(line.value['error'], this.subject(request));
        const value = check(line.value);
        if (value === null) strays.add(line.value);
        else {
          isComplete = isLast(value);
          yield value;
          if (isComplete) return;
        }
        // After the signal fires, drop lines that have already arrived.
        throwIfAborted(signal);
      }
      if (strays.words !== '') throw errorFromLine(strays.words, this.subject(request));
      throw new StreamError(`${request.path}: the answer ended without its last line`, 'incomplete');
    } catch (error) {
      return this.noted(error);
    } finally {
      if (!isComplete) reply.close();
      await lines.return?.();
      if (isComplete) reply.release();
    }
  }

  /** Sends a request and reads the first line of the response. Later failures are not retried. */
  private async begin(request: OllamaRequest, strays: StrayLines, signal: AbortSignal) {
    const reply = await this.open(request, signal);
    try {
      const lines = parseNdjson(reply.body(), (line) => strays.add(line));
      return { reply, lines, first: await lines.next() };
    } catch (error) {
      reply.close();
      return this.noted(error);
    }
  }

  private async open(request: OllamaRequest, signal: AbortSignal): Promise<HttpReply> {
    const subject = this.subject(request);
    if (network.isLocalOnly && request.method === 'POST' && forwarded.has(request.path) && isCloudModel(request.model ?? ''))
      throw LocalOnlyRefusal.forCloudModel(request.model ?? '');
    const reply = await this.transport.send(request, signal).catch(this.noted);
    if (reply.status < 200 || reply.status >= 300) throw errorFromResponse(reply.status, await reply.text(), subject);
    // An empty body, for example after a delete, has no content type.
    const type = reply.header('content-type');
    if (type === undefined || /json/i.test(type)) return reply;
    reply.close();
    throw notOllamaError(`${request.path}: content type ${type}`, subject.address, {
      statusCode: reply.status,
    });
  }

  /** Reports a connection error, then throws the error. */
  private readonly noted = (error: unknown): never => {
    const isBroken = error instanceof StreamError && (error.reason === 'disconnected' || error.reason === 'incomplete');
    if (isBroken || error instanceof ConnectionError) this.options.onLostConnection();
    throw error;
  };

  private retry<T>(attempt: () => Promise<T>, options: RequestOptions): Promise<T> {
    const onRetry = (notice: RetryEvent) => {
      this.options.logger.info(
        `Retry ${notice.attempt} of ${notice.of} in ${notice.delayMs} ms after ${notice.error.name} (${notice.error.statusCode ?? 'no status'})`,
      );
      options.onRetry?.(notice);
    };
    return withRetry(attempt, { clock: this.options.clock, signal: options.signal, onRetry });
  }

  private subject(request: OllamaRequest): RequestSubject {
    const { model, hasTools = false } = request;
    return { address: parseServerAddress(this.options.baseUrl()).display, model, hasTools };
  }

  private signalFor(signal: AbortSignal | undefined): AbortSignal {
    return signal === undefined ? this.lifetime : AbortSignal.any([this.lifetime, signal]);
  }
}

/** Returns whether a response reports an error. Some servers add an empty error to every line. */
function hasError(answer: JsonObject): boolean {
  const error = answer['error'];
  return error !== undefined && error !== null && error !== '' && error !== false;
}
