import { renderChat } from './chatTemplates';
import type { DoubleModel } from './doubleModel';
import type { GenerationRequest } from './doubleReply';
import { pause } from './pause';

/** The prompt that each model has in its cache. */
const cached = new WeakMap<DoubleModel, string>();

export interface ReadPrompt {
  /** Tokens that were in the cache: as many as the prompt has in common with the one before. */
  cachedTokens: number;
  /** Milliseconds that the others took; null for a model that reads at once. */
  ms: number | null;
}

/** Reads a prompt, at the speed of the model. What has been read stays in the cache when the client leaves. */
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

/** Templates with `strftime_now` write the time after a few fixed words, as those of Llama 3 do: prompts have only these words in common. */
function stampOf({ spec }: DoubleModel): string {
  if (spec.template?.includes('strftime_now') !== true) return '';
  return `<|start_header_id|>system<|end_header_id|>\n\nCutting Knowledge Date: December 2023\nToday Date: ${(prompts += 1)}\n\n`;
}

function renderedBy({ spec }: DoubleModel, request: GenerationRequest): string {
  return request.kind === 'chat' ? renderChat(spec.promptOrder ?? 'deepseek', request) : `${request.prompt}${request.suffix}`;
}
