import type { OllamaOptions, WireMessage } from '../../../src/types/ollama';
import type { DoubleModel, ServerAge } from './doubleModel';
import { WireError } from './wireError';

export const defaultNumCtx = 4096;

const tokensPerMessage = 4;
const tokensPerImage = 768;
const tooLong =
  'the prompt is longer than the context length currently available to the model; shorten the prompt, ' +
  'adjust the context length in settings, or use a model with a longer context length';

export interface WindowRequest {
  model: DoubleModel;
  age: ServerAge;
  options: OllamaOptions;
  /** Values of `truncate` and `shift` in the request. Default: true. */
  truncate: boolean;
  shift: boolean;
  /** True if llama-server renders the prompt itself. Its own check then runs first. */
  native: boolean;
}

/** Returns the context window that a model is loaded with: the requested size, limited by the trained length. */
export function windowLength(model: DoubleModel, options: OllamaOptions): number {
  return Math.max(4, Math.min(options.num_ctx ?? defaultNumCtx, model.contextLength));
}

/**
 * Returns the prompt tokens after the server has truncated a chat. The estimate is the model's `countTokens` over contents, calls and tool
 * definitions. Each message adds 4 tokens, each image 768. Throws status 400 in the same cases as the server.
 */
export function chatTokens(request: WindowRequest, messages: readonly WireMessage[], tools: readonly unknown[]): number {
  const declared = tools.length > 0 ? request.model.countTokens(JSON.stringify(tools)) : 0;
  const count = (list: readonly WireMessage[]): number =>
    list.reduce((sum, message) => sum + messageTokens(request.model, message), declared);
  let kept = messages;
  const window = windowLength(request.model, request.options);
  while (request.truncate && count(kept) > window) {
    const oldest = kept.findIndex((message, at) => message.role !== 'system' && at < kept.length - 1);
    if (oldest < 0) break;
    kept = kept.filter((_, at) => at !== oldest);
  }
  return fitTokens(request, count(kept));
}

/** Works like `chatTokens` for a prompt that is a single text. */
export function promptTokens(request: WindowRequest, prompt: string): number {
  return fitTokens(request, request.model.countTokens(prompt));
}

function fitTokens(request: WindowRequest, tokens: number): number {
  const window = windowLength(request.model, request.options);
  if (tokens < window) return tokens;
  if (request.age === '0.17.4') {
    if (!request.truncate) throw new WireError(400, 'the input length exceeds the context length');
  } else {
    if (request.native || !request.truncate) throw exceeded(tokens, window);
    if (!request.shift) throw new WireError(400, tooLong, 'application/json');
  }
  const keep = Math.min(request.options.num_keep ?? 4, window - 1);
  return window - Math.max(Math.floor((window - keep) / 2), 1);
}

/** Returns the error of llama-server, forwarded as a string that contains JSON. */
function exceeded(tokens: number, window: number): WireError {
  const message = `request (${tokens} tokens) exceeds the available context size (${window} tokens), try increasing it`;
  const error = { code: 400, message, type: 'exceed_context_size_error', n_prompt_tokens: tokens, n_ctx: window };
  return new WireError(400, JSON.stringify({ error }), 'application/json');
}

function messageTokens(model: DoubleModel, message: WireMessage): number {
  const calls = message.tool_calls?.length ? JSON.stringify(message.tool_calls) : '';
  const images = (message.images?.length ?? 0) * tokensPerImage;
  return tokensPerMessage + images + model.countTokens(message.content ?? '') + model.countTokens(calls);
}
