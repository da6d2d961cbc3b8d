import type { WireMessage, WireTool } from '../../../src/types/ollama';
import { sendJson, type Exchange } from './doubleExchange';
import type { DoubleModel } from './doubleModel';
import type { GenerationRequest } from './doubleReply';
import { loadOnly, openSession, runSession, windowRequest, type Session } from './doubleSession';
import type { LineOf } from './doubleStream';
import { chatTokens } from './doubleWindow';
import { goTime } from './goJson';
import { findModel } from './modelLookup';

/** POST /api/chat */
export async function handleChat(exchange: Exchange): Promise<void> {
  const { body, state } = exchange;
  const model = findModel(exchange, '/api/chat');
  const messages = (body.messages ?? []) as WireMessage[];
  const tools = (body.tools ?? []) as WireTool[];
  if (messages.length === 0 && isZero(body.keep_alive)) {
    state.registry.keep(model, 0);
    await sendEmpty(exchange, 'unload');
    return;
  }
  const session = openSession(exchange, 'chat', model, tools.length > 0 ? ['tools'] : []);
  if (messages.length === 0) {
    await loadOnly(exchange, session);
    await sendEmpty(exchange, 'load');
    return;
  }
  const native = model.spec.path === 'native' && state.age !== '0.17.4';
  const count = (): number => chatTokens(windowRequest(exchange, session, native), withSystem(model, messages), tools);
  await runSession(exchange, session, requestOf(exchange, session, messages, tools), count, chatLine(exchange));
}

/** Returns true if a `keep_alive` value means "unload now". */
export function isZero(keepAlive: unknown): boolean {
  return keepAlive === 0 || (typeof keepAlive === 'string' && /^-?0+[a-z]*$/.test(keepAlive));
}

function chatLine(exchange: Exchange): LineOf {
  return (delta, final) => {
    const message = {
      role: 'assistant',
      content: delta.content,
      ...(delta.thinking === '' ? {} : { thinking: delta.thinking }),
      ...(delta.calls.length === 0 ? {} : { tool_calls: delta.calls }),
    };
    const created_at = goTime(exchange.state.now());
    return { model: exchange.body.model, created_at, message, done: final !== undefined, ...final };
  };
}

function requestOf(exchange: Exchange, session: Session, messages: WireMessage[], tools: WireTool[]): GenerationRequest {
  const { body } = exchange;
  const { options, think } = session;
  return { kind: 'chat', model: String(body.model), messages, tools, prompt: '', suffix: '', think, options, body };
}

function withSystem(model: DoubleModel, messages: readonly WireMessage[]): readonly WireMessage[] {
  if (!model.spec.system || messages[0]?.role === 'system') return messages;
  return [{ role: 'system', content: model.spec.system }, ...messages];
}

function sendEmpty(exchange: Exchange, reason: 'load' | 'unload'): Promise<void> {
  return sendJson(exchange, {
    model: exchange.body.model,
    created_at: goTime(exchange.state.now()),
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: reason,
  });
}
