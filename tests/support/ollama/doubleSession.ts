import type { OllamaOptions } from '../../../src/types/ollama';
import type { Exchange } from './doubleExchange';
import { Generation } from './doubleGeneration';
import type { Capability, DoubleModel } from './doubleModel';
import { defaultOptions, mergeOptions } from './doubleOptions';
import type { GenerationRequest, Reply } from './doubleReply';
import { sendGeneration, type LineOf } from './doubleStream';
import { windowLength, type WindowRequest } from './doubleWindow';
import { readPrompt } from './promptCache';
import { goJson, goQuote } from './goJson';
import { isObject, keepAliveMs } from './requestBody';
import { WireError } from './wireError';

/** State that both handlers need for a chat or generate request after its model has been found and checked. */
export interface Session {
  readonly model: DoubleModel;
  readonly options: OllamaOptions;
  readonly think: boolean;
  readonly shift: boolean;
  readonly keepAlive: number | undefined;
  readonly startedAt: number;
}

/** Checks capabilities, `think` and options in the same order as the server. */
export function openSession(
  exchange: Exchange,
  kind: 'chat' | 'generate',
  model: DoubleModel,
  needs: readonly Capability[],
): Session {
  const { body } = exchange;
  const asked = body.think;
  const thinking = model.has('thinking');
  if (!thinking && asked !== undefined && asked !== null && asked !== false) {
    throw new WireError(400, `${goQuote(String(body.model))} does not support thinking`);
  }
  if (!model.has('completion')) throw new WireError(400, `${goQuote(String(body.model))} does not support ${kind}`);
  for (const need of needs) if (!model.has(need)) throw new WireError(400, `${model.fullName} does not support ${need}`);
  return {
    model,
    options: { ...defaultOptions(exchange.state.age), ...mergeOptions(model.options, body.options) },
    think: thinking && (asked ?? true) !== false,
    shift: body.shift !== false,
    keepAlive: keepAliveMs(body.keep_alive),
    startedAt: performance.now(),
  };
}

/** Returns the parts of a request that the check of the context window needs. */
export function windowRequest(exchange: Exchange, session: Session, native: boolean): WindowRequest {
  const { model, options, shift } = session;
  return { model, age: exchange.state.age, options, shift, native, truncate: exchange.body.truncate !== false };
}

/** Loads the model without generating. If the model is already loaded with these options, this does not wait for earlier requests. */
export async function loadOnly(exchange: Exchange, session: Session): Promise<void> {
  const { registry } = exchange.state;
  const { model, options, shift, keepAlive } = session;
  if (!registry.isLoadedWith(model, options, shift)) {
    await registry.slot(model).run(exchange.signal, () => registry.load(model, options, shift, exchange.signal));
  }
  registry.keep(model, keepAlive);
}

/** Waits for the model's slot, loads the model, counts the prompt tokens, and sends the scripted reply. */
export async function runSession(
  exchange: Exchange,
  session: Session,
  request: GenerationRequest,
  countPrompt: () => number,
  lineOf: LineOf,
): Promise<void> {
  const { state, signal } = exchange;
  const { model, options, shift } = session;
  await state.registry.slot(model).run(signal, async () => {
    await state.registry.load(model, options, shift, signal);
    const loadedAt = performance.now();
    try {
      const promptTokens = countPrompt();
      checkFormat(exchange, session);
      const reply = await state.nextReply(request);
      if (reply.refuse) {
        await refuse(exchange, reply.refuse);
        return;
      }
      const generation = new Generation(reply, settingsOf(exchange, session, request, reply, promptTokens));
      const { cachedTokens, ms } = await readPrompt(model, request, promptTokens, signal);
      const counted = model.spec.countsCache === true ? cachedTokens : null;
      const measured = { startedAt: session.startedAt, loadedAt, promptTokens, cachedTokens: counted, promptMs: ms };
      await sendGeneration(exchange, generation, reply, lineOf, measured);
    } finally {
      state.registry.keep(model, session.keepAlive);
    }
  });
}

function settingsOf(
  exchange: Exchange,
  session: Session,
  request: GenerationRequest,
  reply: Reply,
  promptTokens: number,
): ConstructorParameters<typeof Generation>[1] {
  const { model, options } = session;
  const path = model.spec.path ?? 'rendered';
  // The older server has no native path. It renders and parses everything itself.
  const own = exchange.state.age === '0.17.4' && path === 'native' ? 'rendered' : path;
  const room = session.shift ? Infinity : windowLength(model, options) - promptTokens;
  const asked = options.num_predict ?? -1;
  return {
    thinkingField: model.has('thinking') && (session.think || path === 'harmony'),
    timing: reply.timing ?? own,
    tools: request.tools.length > 0 ? new Set(request.tools.map((tool) => tool.function.name)) : undefined,
    stop: options.stop ?? [],
    budget: Math.min(room, asked > 0 ? asked : Infinity),
    countTokens: (text) => model.countTokens(text),
  };
}

function checkFormat(exchange: Exchange, session: Session): void {
  const { format } = exchange.body;
  if (format === undefined || format === null || format === '' || format === 'json' || isObject(format)) return;
  // A thinking model writes its thoughts without constraints, so the format is not checked before they end.
  if (session.think) return;
  const text = `invalid format: ${goQuote(goJson(format))}; expected "json" or a valid JSON Schema object`;
  throw new WireError(500, text, 'application/json');
}

async function refuse(exchange: Exchange, refusal: NonNullable<Reply['refuse']>): Promise<void> {
  const body = refusal.body ?? goJson({ error: refusal.message ?? '' });
  await exchange.writer.send(refusal.status, refusal.contentType ?? 'application/json; charset=utf-8', body, refusal.headers);
}
