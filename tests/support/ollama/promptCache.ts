import { renderChat } from './chatTemplates';
import type { DoubleModel } from './doubleModel';
import type { GenerationRequest } from './doubleReply';
import { pause } from './pause';

/** Cached prompt of each model. */
const cached = new WeakMap<DoubleModel, string>();

export interface ReadPrompt {
  /** Number of tokens from the cache: the common prefix with the previous prompt. */
  cachedTokens: number;
  /** Milliseconds for reading the other tokens. Null for a model that reads immediately. */
  ms: number | null;
}

/** Reads a prompt at the speed of the model. If the client disconnects, the part that was read stays in the cache. */
export async function readPrompt(
  model: DoubleModel,
  request: GenerationRequest,
  promptTokens: number,
  signal: AbortSignal,
): Promise<ReadPrompt> {
  const text = `${stampOf(model)}${renderedBy(model, request)}`;
  const before = cached.get(model) ?? '';
  let common = 0;
  while (common < text.length && text[common] === before[common]) common += 1;
  const cachedTokens = text === '' ? 0 : Math.floor((promptTokens * common) / text.length);
  cached.set(model, text);
  const { promptTokenMs } = model.spec;
  if (promptTokenMs === undefined) return { cachedTokens, ms: null };
  const began = performance.now();
  const whole = (promptTokens - cachedTokens) * promptTokenMs;
  try {
    await pause(whole, signal);
  } catch (error) {
    const read = (performance.now() - began) / whole;
    cached.set(model, text.slice(0, common + Math.floor((text.length - common) * Math.min(1, read))));
    throw error;
  }
  return { cachedTokens, ms: whole };
}

let prompts = 0;

/**
 * Returns the beginning of templates with `strftime_now`, such as Llama 3: a few fixed words and then the time. Prompts have only these
 * words in common.
 */
function stampOf({ spec }: DoubleModel): string {
  if (spec.template?.includes('strftime_now') !== true) return '';
  return `<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\nToday Date: ${(prompts += 1)}\n\n`;
}

function renderedBy({ spec }: DoubleModel, request: GenerationRequest): string {
  return request.kind === 'chat' ? renderChat(spec.promptOrder ?? 'deepseek', request) : `${request.prompt}${request.suffix}`;
}
