import type { Exchange } from './doubleExchange';
import { withTag, type DoubleModel } from './doubleModel';
import { goQuote } from './goJson';
import { WireError } from './wireError';

export type ModelPath = '/api/chat' | '/api/generate' | '/api/embed' | '/api/embeddings' | '/api/show' | '/api/delete';

const validName = /^[\w.-]+(:\d+)?(\/[\w.-]+)*(:[\w.-]+)?$/;

/** Returns the model that a request names. Each endpoint has a different error message for a missing name. */
export function findModel(exchange: Exchange, path: ModelPath): DoubleModel {
  const { body, state } = exchange;
  const named = nameIn(body, path);
  if (named === '') throw unnamed(path, state.age === '0.17.4');
  if (!validName.test(named)) throw new WireError(400, 'invalid model name');
  const model = state.registry.find(named);
  if (model) return model;
  if (/[:-]cloud$/.test(named)) throw new WireError(401, 'unauthorized');
  throw unknown(path, named, state.age === '0.17.4');
}

/** Returns the model name in a body. `name` is the older spelling, which show, pull and delete still accept. */
export function nameIn(body: Record<string, unknown>, path: ModelPath | '/api/pull'): string {
  const older = path === '/api/show' || path === '/api/pull' || path === '/api/delete' ? body.name : undefined;
  const named = body.model || older;
  return typeof named === 'string' ? named : '';
}

function unnamed(path: ModelPath, old: boolean): WireError {
  if (path === '/api/generate') return new WireError(404, "model '' not found");
  if (path === '/api/embed') {
    return old
      ? new WireError(500, 'unqualified name: registry.ollama.ai/library/:latest')
      : new WireError(404, "model '' not found");
  }
  return new WireError(400, 'model is required');
}

function unknown(path: ModelPath, name: string, old: boolean): WireError {
  if (path === '/api/embed' || path === '/api/embeddings') {
    return new WireError(404, `model ${goQuote(name)} not found, try pulling it first`);
  }
  return new WireError(404, `model '${path === '/api/show' && !old ? withTag(name) : name}' not found`);
}
