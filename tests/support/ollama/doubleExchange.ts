import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { DoubleRegistry } from './doubleRegistry';
import type { GenerationRequest, Reply } from './doubleReply';
import type { ModelSpec, ServerAge } from './doubleModel';
import type { Body } from './requestBody';
import { goJson } from './goJson';
import type { WireWriter } from './wireWriter';

/** A request as the double received it. */
export interface RecordedRequest {
  method: string;
  /** Path with the query, if the request has a query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Parsed JSON body. Undefined if there is no body or it is not valid JSON. */
  body: unknown;
  rawBody: string;
  /** True if the client disconnected before the response was complete. */
  aborted: boolean;
  /** True if the response was sent completely. */
  finished: boolean;
}

/** State that all handlers share. */
export interface DoubleState {
  readonly age: ServerAge;
  readonly version: string;
  readonly registry: DoubleRegistry;
  /** Models that a pull can fetch, by short name. */
  readonly pullable: readonly ModelSpec[];
  readonly pullDelayMs: number;
  readonly now: () => Date;
  /** Returns the scripted reply to a request. */
  nextReply(request: GenerationRequest): Promise<Reply>;
}

/** A request that is being answered. */
export interface Exchange {
  readonly state: DoubleState;
  readonly body: Body;
  readonly writer: WireWriter;
  readonly response: ServerResponse;
  /** Signal that aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export function sendJson(exchange: Exchange, value: unknown, status = 200): Promise<void> {
  return exchange.writer.send(status, 'application/json; charset=utf-8', goJson(value));
}
