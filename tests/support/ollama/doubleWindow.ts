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
  /** `truncate` and `shift` as sent; absent ones are true. */
  truncate: boolean;
  shift: boolean;
  /** Whether llama-server renders the prompt itself: its own check then comes first. */
  native: boolean;
}

/** The window that a model is loaded with: what is asked for, within what it was trained for. */
export function windowLength(model: DoubleModel, options: OllamaOptions): number {
  return Math.max(4, Math.min(options.num_ctx ?? defaultNumCtx, model.contextLength));
}

/**
 * The prompt's tokens after whatever the server cuts from a chat, by a cheap estimate: the model's `countTokens` over contents, calls
 * and tool definitions, 4 for each message, 768 for each image. Answers 400 where the server does.
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

/** As `chatTokens`, of a prompt that is one text. */
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

/** The error of llama-server, passed on as a string that is JSON itself. */
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
