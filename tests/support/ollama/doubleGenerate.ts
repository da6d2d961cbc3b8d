import { isZero } from './doubleChat';
import { sendJson, type Exchange } from './doubleExchange';
import type { GenerationRequest } from './doubleReply';
import { loadOnly, openSession, runSession, windowRequest, type Session } from './doubleSession';
import type { LineOf } from './doubleStream';
import { promptTokens } from './doubleWindow';
import { goTime } from './goJson';
import { findModel } from './modelLookup';
import { WireError } from './wireError';

/** POST /api/generate */
export async function handleGenerate(exchange: Exchange): Promise<void> {
  const { body, state } = exchange;
  const model = findModel(exchange, '/api/generate');
  const prompt = textOf(body.prompt);
  const suffix = textOf(body.suffix);
  if (prompt === '' && isZero(body.keep_alive)) {
    state.registry.keep(model, 0);
    await sendEmpty(exchange, 'unload');
    return;
  }
  const context = Array.isArray(body.context) && body.context.length > 0;
  if (body.raw === true && (textOf(body.template) !== '' || textOf(body.system) !== '' || context)) {
    throw new WireError(400, 'raw mode does not support template, system, or context');
  }
  const session = openSession(exchange, 'generate', model, suffix === '' ? [] : ['insert']);
  if (prompt === '') {
    await loadOnly(exchange, session);
    await sendEmpty(exchange, 'load');
    return;
  }
  const rendered = textOf(body.system) + prompt + (body.raw === true ? '' : suffix);
  const count = (): number => promptTokens(windowRequest(exchange, session, false), rendered);
  await runSession(
    exchange,
    session,
    requestOf(exchange, session, prompt, suffix),
    count,
    generateLine(exchange, rendered, session),
  );
}

function generateLine(exchange: Exchange, prompt: string, session: Session): LineOf {
  let written = '';
  return (delta, final) => {
    written += delta.thinking + delta.content;
    const { done_reason, ...metrics } = final ?? {};
    const tokens = session.model.countTokens(prompt + written);
    return {
      model: exchange.body.model,
      created_at: goTime(exchange.state.now()),
      response: delta.content,
      ...(delta.thinking === '' ? {} : { thinking: delta.thinking }),
      done: final !== undefined,
      ...(done_reason === undefined ? {} : { done_reason }),
      ...(final === undefined || exchange.body.raw === true
        ? {}
        : { context: Array.from({ length: tokens }, (_, at) => at + 1) }),
      ...(delta.calls.length === 0 ? {} : { tool_calls: delta.calls }),
      ...metrics,
    };
  };
}

function requestOf(exchange: Exchange, session: Session, prompt: string, suffix: string): GenerationRequest {
  const { body } = exchange;
  const { options, think } = session;
  return { kind: 'generate', model: String(body.model), messages: [], tools: [], prompt, suffix, think, options, body };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function sendEmpty(exchange: Exchange, reason: 'load' | 'unload'): Promise<void> {
  const created_at = goTime(exchange.state.now());
  return sendJson(exchange, { model: exchange.body.model, created_at, response: '', done: true, done_reason: reason });
}
