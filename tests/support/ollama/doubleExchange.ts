import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { DoubleRegistry } from './doubleRegistry';
import type { GenerationRequest, Reply } from './doubleReply';
import type { ModelSpec, ServerAge } from './doubleModel';
import type { Body } from './requestBody';
import { goJson } from './goJson';
import type { WireWriter } from './wireWriter';

/** A request as the double saw it. */
export interface RecordedRequest {
  method: string;
  /** With the query, if there is one. */
  path: string;
  headers: IncomingHttpHeaders;
  /** The parsed JSON body; undefined when there is none or it is not JSON. */
  body: unknown;
  rawBody: string;
  /** The client left before the answer was complete. */
  aborted: boolean;
  /** The answer was sent to its end. */
  finished: boolean;
}

/** What all handlers share. */
export interface DoubleState {
  readonly age: ServerAge;
  readonly version: string;
  readonly registry: DoubleRegistry;
  /** Models that a pull can fetch, by short name. */
  readonly pullable: readonly ModelSpec[];
  readonly pullDelayMs: number;
  readonly now: () => Date;
  /** The answer that the script has for a request. */
  nextReply(request: GenerationRequest): Promise<Reply>;
}

/** One request on its way to its answer. */
export interface Exchange {
  readonly state: DoubleState;
  readonly body: Body;
  readonly writer: WireWriter;
  readonly response: ServerResponse;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

export function sendJson(exchange: Exchange, value: unknown, status = 200): Promise<void> {
  return exchange.writer.send(status, 'application/json; charset=utf-8', goJson(value));
}
