import assert from 'node:assert/strict';
import { readFileTool, type ContractTarget } from './contractTarget';
import { rawExchange } from './rawHttp';
import { jsonType } from './wireShape';

interface Refusal {
  says: string;
  path: string;
  method?: string;
  body: unknown;
  status: number;
  error: string;
  /** True if the generation itself raises the error, after the request was accepted. */
  late?: boolean;
}

export function refusalContract(target: ContractTarget): void {
  describe('refusals before the first chunk', () => {
    for (const refusal of [...refusalsOf(target), ...unnamedModels(target)]) {
      it(refusal.says, async () => {
        const { path, body, method = 'POST' } = refusal;
        const answer = await rawExchange(target.baseUrl(), { path, body, method });
        const contentType = refusal.late ? 'application/json' : jsonType;
        assert.deepEqual(answer, { status: refusal.status, contentType, text: `{"error":${goText(refusal.error)}}` });
      });
    }
  });
}

function goText(text: string): string {
  return JSON.stringify(text).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026');
}

function refusalsOf({ models, age }: ContractTarget): Refusal[] {
  const messages = [{ role: 'user', content: 'Hello' }];
  const chat = (fields: object, model = models.chat) => ({ path: '/api/chat', body: { model, messages, ...fields } });
  const generate = (fields: object, model = models.chat) => ({ path: '/api/generate', body: { model, prompt: 'x', ...fields } });
  const levels = age === '0.17.4' ? '"high", "medium", "low"' : '"high", "medium", "low", "max"';
  const call = { function: { name: 'f', arguments: '{"a":1}' } };
  const parts = [{ type: 'text', text: 'x' }];
  return [
    { says: 'an empty body', path: '/api/chat', body: '', status: 400, error: 'missing request body' },
    { says: 'a body cut off', path: '/api/chat', body: '{"model":', status: 400, error: 'unexpected EOF' },
    {
      says: 'a body that is no JSON',
      path: '/api/chat',
      body: 'hello',
      status: 400,
      error: "invalid character 'h' looking for beginning of value",
    },
    {
      says: 'content in parts',
      ...chat({ messages: [{ role: 'user', content: parts }] }),
      status: 400,
      error: 'json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string',
    },
    {
      says: 'call arguments that are a string',
      ...chat({ messages: [{ role: 'assistant', content: '', tool_calls: [call] }] }),
      status: 400,
      error: "Value looks like object, but can't find closing '}' symbol",
    },
    {
      says: 'a wrong type of a field',
      ...chat({ stream: 'yes' }),
      status: 400,
      error: 'json: cannot unmarshal string into Go struct field ChatRequest.stream of type bool',
    },
    {
      says: 'options of the wrong type',
      ...chat({ options: { num_ctx: 'many' } }),
      status: 500,
      error: 'option "num_ctx" must be of type integer',
    },
    {
      says: 'a stop that is no list',
      ...chat({ options: { stop: 'x' } }),
      status: 500,
      error: 'option "stop" must be of type array',
    },
    {
      says: 'a keep_alive without a unit',
      ...chat({ keep_alive: '-1' }),
      status: 400,
      error: 'time: missing unit in duration "-1"',
    },
    { says: 'a keep_alive of true', ...chat({ keep_alive: true }), status: 400, error: "Unsupported type: 'bool'" },
    {
      says: 'an unknown think level, with angle brackets escaped',
      ...chat({ think: '<x>' }),
      status: 400,
      error: `invalid think value: "<x>" (must be ${levels}, true, or false)`,
    },
    { says: 'too many logprobs', ...chat({ top_logprobs: 21 }), status: 400, error: 'top_logprobs must be between 0 and 20' },
    {
      says: 'tools for a model that has none',
      ...chat({ tools: [readFileTool] }),
      status: 400,
      error: `registry.ollama.ai/library/${models.chat}:latest does not support tools`,
    },
    {
      says: 'think for a model that cannot',
      ...chat({ think: true }),
      status: 400,
      error: `"${models.chat}" does not support thinking`,
    },
    {
      says: 'think in generate for a model that cannot',
      ...generate({ think: 'high' }),
      status: 400,
      error: `"${models.chat}" does not support thinking`,
    },
    {
      says: 'a suffix for a model that cannot insert',
      ...generate({ suffix: 'y' }),
      status: 400,
      error: `registry.ollama.ai/library/${models.chat}:latest does not support insert`,
    },
    {
      says: 'raw together with a system message',
      ...generate({ raw: true, system: 'y' }),
      status: 400,
      error: 'raw mode does not support template, system, or context',
    },
    {
      says: 'a chat with an embedding model',
      ...chat({}, models.embed),
      status: 400,
      error: `"${models.embed}" does not support chat`,
    },
    {
      says: 'a generation with an embedding model',
      ...generate({}, models.embed),
      status: 400,
      error: `"${models.embed}" does not support generate`,
    },
    {
      says: 'a format that is neither json nor a schema',
      ...chat({ format: 'xml' }),
      status: 500,
      error: 'invalid format: "\\"xml\\""; expected "json" or a valid JSON Schema object',
      late: true,
    },
    {
      says: 'inputs to embed that are not strings',
      path: '/api/embed',
      body: { model: models.embed, input: [1] },
      status: 400,
      error: 'invalid input type',
    },
  ];
}

function unnamedModels({ age }: ContractTarget): Refusal[] {
  const old = age === '0.17.4';
  const quoted = 'model "no-such-model" not found, try pulling it first';
  const single = "model 'no-such-model' not found";
  const body = { model: 'no-such-model' };
  const none = { model: '' };
  return [
    { says: 'an unknown model in chat', path: '/api/chat', body, status: 404, error: single },
    { says: 'an unknown model in generate', path: '/api/generate', body, status: 404, error: single },
    { says: 'an unknown model in embed', path: '/api/embed', body, status: 404, error: quoted },
    { says: 'an unknown model in embeddings', path: '/api/embeddings', body, status: 404, error: quoted },
    {
      says: 'an unknown model in show',
      path: '/api/show',
      body,
      status: 404,
      error: old ? single : "model 'no-such-model:latest' not found",
    },
    { says: 'no model in chat', path: '/api/chat', body: none, status: 400, error: 'model is required' },
    { says: 'no model in show', path: '/api/show', body: none, status: 400, error: 'model is required' },
    { says: 'no model in generate', path: '/api/generate', body: none, status: 404, error: "model '' not found" },
    {
      says: 'no model in embed',
      path: '/api/embed',
      body: none,
      status: old ? 500 : 404,
      error: old ? 'unqualified name: registry.ollama.ai/library/:latest' : "model '' not found",
    },
    { says: 'no model in pull', path: '/api/pull', body: none, status: 400, error: 'invalid model name' },
    { says: 'a name with a blank', path: '/api/chat', body: { model: 'no model' }, status: 400, error: 'invalid model name' },
  ];
}
