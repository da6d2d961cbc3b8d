import type { WireMetrics } from '../../../src/types/ollama';
import type { Exchange } from './doubleExchange';
import { sendJson } from './doubleExchange';
import type { Delta, Generation, GenerationEvent } from './doubleGeneration';
import type { Reply } from './doubleReply';
import { goJson, omitEmpty } from './goJson';
import { WireError } from './wireError';

/** Writes one delta of chat or generate as a line. `final` is undefined except for the last line. */
export type LineOf = (delta: Delta, final: FinalFields | undefined) => Record<string, unknown>;

export interface FinalFields extends WireMetrics {
  done_reason?: string;
}

export interface Measured {
  startedAt: number;
  loadedAt: number;
  promptTokens: number;
  /** Prompt tokens that came from the cache. Null for servers that do not count them. */
  cachedTokens: number | null;
  /** Milliseconds for reading the prompt. Null to use a share of the total time. */
  promptMs: number | null;
}

/** Sends a generation as the lines of a stream, or as one object if the request disables streaming. */
export async function sendGeneration(
  exchange: Exchange,
  generation: Generation,
  reply: Reply,
  lineOf: LineOf,
  measured: Measured,
): Promise<void> {
  const events = generation.events(exchange.signal);
  const finalOf = (event: GenerationEvent & { kind: 'final' }): FinalFields => ({
    ...(event.reason === 'none' ? {} : { done_reason: event.reason }),
    ...metricsOf(reply, measured, event.tokens),
  });
  if (exchange.body.stream === false) await sendWhole(exchange, events, lineOf, finalOf);
  else await sendLines(exchange, events, lineOf, finalOf);
}

type FinalOf = (event: GenerationEvent & { kind: 'final' }) => FinalFields;

async function sendLines(
  exchange: Exchange,
  events: AsyncIterable<GenerationEvent>,
  lineOf: LineOf,
  finalOf: FinalOf,
): Promise<void> {
  const { writer } = exchange;
  const send = async (text: string): Promise<void> => {
    if (!writer.started) writer.begin(200, { 'Content-Type': 'application/x-ndjson' });
    await writer.write(text);
  };
  for await (const event of events) {
    if (event.kind === 'delta') await send(`${goJson(lineOf(event.delta, undefined))}\n`);
    else if (event.kind === 'final') await send(`${goJson(lineOf(event.delta, finalOf(event)))}\n`);
    else if (event.kind === 'raw') await send(event.bytes);
    else if (event.kind === 'reset') return writer.reset();
    else if (event.kind === 'error') {
      if (!writer.started) throw new WireError(event.status, event.message, 'application/json');
      await send(`${goJson({ error: event.message })}\n`);
    } else if (!writer.started) await send('');
  }
  writer.end();
}

async function sendWhole(
  exchange: Exchange,
  events: AsyncIterable<GenerationEvent>,
  lineOf: LineOf,
  finalOf: FinalOf,
): Promise<void> {
  const sum: Delta = { content: '', thinking: '', calls: [] };
  let final: FinalFields | undefined;
  for await (const event of events) {
    if (event.kind === 'error') throw new WireError(event.status, event.message);
    if (event.kind === 'reset') return exchange.writer.reset();
    if (event.kind !== 'delta' && event.kind !== 'final') continue;
    sum.content += event.delta.content;
    sum.thinking += event.delta.thinking;
    sum.calls.push(...event.delta.calls);
    if (event.kind === 'final') final = finalOf(event);
  }
  await sendJson(exchange, lineOf(sum, final));
}

function metricsOf(reply: Reply, measured: Measured, tokens: number): WireMetrics {
  if (reply.metrics === 'none') return {};
  if (reply.metrics) return omitEmpty(reply.metrics);
  const total = nanoseconds(performance.now() - measured.startedAt);
  const load = nanoseconds(measured.loadedAt - measured.startedAt);
  const rest = Math.max(2, total - load);
  const reading = measured.promptMs === null ? Math.floor(rest / 2) : nanoseconds(measured.promptMs);
  return omitEmpty({
    total_duration: total,
    load_duration: load,
    prompt_eval_count: measured.promptTokens,
    prompt_eval_cached_count: measured.cachedTokens ?? 0,
    prompt_eval_duration: reading,
    eval_count: tokens,
    eval_duration: Math.max(1, rest - reading),
  });
}

function nanoseconds(milliseconds: number): number {
  return Math.max(1, Math.round(milliseconds * 1e6));
}
