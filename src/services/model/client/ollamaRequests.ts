import type { z } from 'zod';
import type { Clock } from '../../../utils/clock';
import { throwIfAborted } from '../../../utils/errors';
import type { Logger } from '../../../utils/logger';
import { errorFromLine, errorFromResponse, notOllamaError, type RequestSubject } from './errorMapping';
import type { HttpReply } from './httpReply';
import type { HttpRequest, HttpTransport } from './httpTransport';
import { parseNdjson, type JsonObject } from './ndjson';
import { StreamError } from './ollamaErrors';
import { withRetry, type RetryNotice } from './retry';
import { parseServerAddress } from './serverAddress';
import { parsedRecord } from '../../../utils/json';

export interface RequestOptions {
  signal?: AbortSignal | undefined;
  /** Hears of each retry before the wait for it. */
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

export interface OllamaRequest extends HttpRequest {
  /** The model that it is about, for the words of errors. */
  model?: string;
  /** True if the model is offered tools. */
  hasTools?: boolean;
}

interface JsonOptions extends RequestOptions {
  /** Ends retries, and leaves the request itself alone. */
  retrySignal?: AbortSignal | undefined;
  isRetried?: boolean;
}

export interface OllamaRequestsOptions {
  baseUrl: () => string;
  clock: Clock;
  logger: Logger;
}

/** Sends requests with retries and checks answers to be Ollama's: whole ones and streams. */
export class OllamaRequests {
  constructor(
    private readonly transport: HttpTransport,
    private readonly options: OllamaRequestsOptions,
    /** Ends everything. */
    private readonly lifetime: AbortSignal,
  ) {}

  /** Returns the body of a successful answer as text, possibly empty. */
  async text(request: OllamaRequest, options: JsonOptions = {}): Promise<string> {
    const signal = this.signalFor(options.signal);
    const attempt = async () => (await this.open(request, signal)).text();
    return options.isRetried === false
      ? attempt()
      : this.retry(attempt, { ...options, signal: this.signalFor(options.retrySignal ?? options.signal) });
  }

  /** Returns the one JSON object of a successful answer. */
  async json(request: OllamaRequest, options: JsonOptions = {}): Promise<JsonObject> {
    const text = await this.text(request, options);
    const value = parsedRecord(text);
    if (value === undefined) throw notOllamaError(`${request.path}: no JSON object`, this.subject(request).address);
    if (value['error'] !== undefined) throw errorFromLine(value['error'], this.subject(request));
    return value;
  }

  /** Checks an answer against the least we need of it. */
  expect<T>(schema: z.ZodType<T>, answer: JsonObject): T {
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ');
    throw notOllamaError(`Unexpected answer: ${fields}`, parseServerAddress(this.options.baseUrl()).display);
  }

  /** Yields the lines of an answer, each checked; ends normally only after one that `isLast`. */
  async *stream<T>(
    request: OllamaRequest,
    check: (value: JsonObject) => T,
    isLast: (value: T) => boolean,
    options: RequestOptions,
  ): AsyncGenerator<T, void, undefined> {
    const signal = this.signalFor(options.signal);
    const { reply, lines, first } = await this.retry(() => this.begin(request, signal), { ...options, signal });
    let isComplete = false;
    try {
      for (let line = first; !line.done; line = await lines.next()) {
        if (line.value['error'] !== undefined) throw errorFromLine(line.value['error'], this.subject(request));
        const value = check(line.value);
        isComplete = isLast(value);
        yield value;
        if (isComplete) return;
        // Lines that had already arrived when the signal fired are not handed out any more.
        throwIfAborted(signal);
      }
      throw new StreamError(`${request.path}: the answer ended without its last line`, 'incomplete');
    } finally {
      if (!isComplete) reply.close();
      await lines.return?.();
      if (isComplete) reply.release();
    }
  }

  /** Sends a request up to and including the first line of the answer, after which nothing is retried. */
  private async begin(request: OllamaRequest, signal: AbortSignal) {
    const reply = await this.open(request, signal);
    try {
      const lines = parseNdjson(reply.body());
      return { reply, lines, first: await lines.next() };
    } catch (error) {
      reply.close();
      throw error;
    }
  }

  private async open(request: OllamaRequest, signal: AbortSignal): Promise<HttpReply> {
    const subject = this.subject(request);
    const reply = await this.transport.send(request, signal);
    if (reply.status < 200 || reply.status >= 300) throw errorFromResponse(reply.status, await reply.text(), subject);
    // An empty body, as after a delete, has no type.
    const type = reply.header('content-type');
    if (type === undefined || /json/i.test(type)) return reply;
    reply.close();
    throw notOllamaError(`${request.path}: content type ${type}`, subject.address, {
      statusCode: reply.status,
    });
  }

  private retry<T>(attempt: () => Promise<T>, options: RequestOptions): Promise<T> {
    const onRetry = (notice: RetryNotice) => {
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
