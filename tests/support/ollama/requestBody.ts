import { parseGoDuration } from './goDuration';
import { goQuote } from './goJson';
import { WireError } from './wireError';
import type { ServerAge } from './doubleModel';

export type Body = Record<string, unknown>;

type FieldType =
  'string' | 'bool' | 'int' | 'map[string]interface {}' | '[]api.Message' | 'api.Tools' | '[]api.ImageData' | '[]int';

const commonFields: Record<string, FieldType> = {
  model: 'string',
  name: 'string',
  stream: 'bool',
  options: 'map[string]interface {}',
  truncate: 'bool',
  shift: 'bool',
  logprobs: 'bool',
  top_logprobs: 'int',
};

/** Types of the fields that the server checks while it decodes a body, by endpoint. */
const fieldsByPath: Record<string, { type: string; fields: Record<string, FieldType> }> = {
  '/api/chat': { type: 'ChatRequest', fields: { ...commonFields, messages: '[]api.Message', tools: 'api.Tools' } },
  '/api/generate': {
    type: 'GenerateRequest',
    fields: {
      ...commonFields,
      prompt: 'string',
      suffix: 'string',
      system: 'string',
      template: 'string',
      raw: 'bool',
      context: '[]int',
      images: '[]api.ImageData',
    },
  },
  '/api/embed': { type: 'EmbedRequest', fields: { ...commonFields, dimensions: 'int' } },
  '/api/embeddings': { type: 'EmbeddingRequest', fields: { ...commonFields, prompt: 'string' } },
  '/api/show': { type: 'ShowRequest', fields: { ...commonFields, verbose: 'bool' } },
  '/api/pull': { type: 'PullRequest', fields: commonFields },
  '/api/delete': { type: 'DeleteRequest', fields: commonFields },
};

/** Decodes and checks a request body as the server does before any handler uses the model. */
export function decodeBody(path: string, text: string, age: ServerAge): Body {
  if (text.trim() === '') throw new WireError(400, 'missing request body');
  const parsed = parse(text);
  const declared = fieldsByPath[path];
  if (!isObject(parsed)) throw wrongRoot(parsed, declared?.type ?? 'Request');
  for (const [field, type] of Object.entries(declared?.fields ?? {})) checkField(parsed, field, type, declared?.type ?? '');
  checkThink(parsed.think, age);
  checkKeepAlive(parsed.keep_alive);
  const top = parsed.top_logprobs;
  if (typeof top === 'number' && (top < 0 || top > 20)) throw new WireError(400, 'top_logprobs must be between 0 and 20');
  return parsed;
}

/** Returns the milliseconds of a `keep_alive`. Undefined if it is absent, infinite if it is negative. */
export function keepAliveMs(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  const ms = typeof value === 'number' ? value * 1000 : parseGoDuration(typeof value === 'string' ? value : '');
  return ms < 0 ? Infinity : ms;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WireError(400, syntaxError(text));
  }
}

/** Distinguishes a truncated body from invalid syntax. The position of the error is not reproduced. */
function syntaxError(text: string): string {
  const first = text.trim().charAt(0);
  if (!/[{["\dtfn-]/.test(first)) return `invalid character '${first}' looking for beginning of value`;
  return 'unexpected EOF';
}

function checkField(body: Body, field: string, type: FieldType, struct: string): void {
  const value = body[field];
  if (value === undefined || value === null) return;
  if (type === '[]api.Message') checkMessages(value, struct, field);
  else if (type === '[]api.ImageData') checkImages(value);
  else if (!fits(value, type)) throw mismatch(value, struct, field, type);
}

function fits(value: unknown, type: FieldType): boolean {
  if (type === 'string') return typeof value === 'string';
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'int') return Number.isInteger(value);
  return type === 'map[string]interface {}' ? isObject(value) : Array.isArray(value);
}

function checkMessages(value: unknown, struct: string, field: string): void {
  if (!Array.isArray(value)) throw mismatch(value, struct, field, '[]api.Message');
  for (const message of value as unknown[]) {
    if (!isObject(message)) throw mismatch(message, struct, field, 'api.Alias');
    for (const key of ['role', 'content', 'thinking', 'tool_name', 'tool_call_id']) {
      checkField(message, key, 'string', `${struct}.${field}`);
    }
    checkImages(message.images);
    checkCalls(message.tool_calls);
  }
}

function checkCalls(calls: unknown): void {
  if (!Array.isArray(calls)) return;
  for (const call of calls as unknown[]) {
    const target = isObject(call) ? call.function : undefined;
    const given = isObject(target) ? target.arguments : undefined;
    if (given !== undefined && given !== null && !isObject(given)) {
      throw new WireError(400, "Value looks like object, but can't find closing '}' symbol");
    }
  }
}

function checkImages(images: unknown): void {
  if (!Array.isArray(images)) return;
  for (const image of images as unknown[]) {
    const text = String(image);
    const wrong = text.search(/[^A-Za-z0-9+/=]/);
    if (wrong >= 0) throw new WireError(400, `illegal base64 data at input byte ${wrong}`);
  }
}

function checkThink(think: unknown, age: ServerAge): void {
  if (think === undefined || think === null || typeof think === 'boolean') return;
  const levels = age === '0.17.4' ? ['high', 'medium', 'low'] : ['high', 'medium', 'low', 'max'];
  const list = levels.map(goQuote).join(', ');
  if (typeof think !== 'string') throw new WireError(400, `think must be a boolean or string (${list}, true, or false)`);
  if (!levels.includes(think))
    throw new WireError(400, `invalid think value: ${goQuote(think)} (must be ${list}, true, or false)`);
}

function checkKeepAlive(value: unknown): void {
  if (value === undefined || value === null || typeof value === 'number') return;
  if (typeof value === 'boolean') throw new WireError(400, "Unsupported type: 'bool'");
  if (typeof value !== 'string') {
    throw new WireError(400, `Unsupported type: '${Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'}'`);
  }
  try {
    parseGoDuration(value);
  } catch (error) {
    throw new WireError(400, (error as Error).message);
  }
}

function mismatch(value: unknown, struct: string, field: string, type: string): WireError {
  return new WireError(400, `json: cannot unmarshal ${goKind(value)} into Go struct field ${struct}.${field} of type ${type}`);
}

function wrongRoot(value: unknown, struct: string): WireError {
  return new WireError(400, `json: cannot unmarshal ${goKind(value)} into Go value of type api.${struct}`);
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
