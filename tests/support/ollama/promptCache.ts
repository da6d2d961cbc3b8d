import type { DoubleModel } from './doubleModel';
import type { GenerationRequest } from './doubleReply';

/** The prompt that each model has in its cache. */
const cached = new WeakMap<DoubleModel, string>();

/**
 * Returns the tokens of a prompt that the model had in its cache: as many as it has in common with the prompt before. Null where the server
 * does not count them.
 */
export function takeFromCache(model: DoubleModel, request: GenerationRequest, promptTokens: number): number | null {
  if (model.spec.countsCache !== true) return null;
  const text = rendered(request);
  const before = cached.get(model) ?? '';
  cached.set(model, text);
  let common = 0;
  while (common < text.length && text[common] === before[common]) common += 1;
  return text === '' ? 0 : Math.floor((promptTokens * common) / text.length);
}

/** Renders a prompt as the templates of Qwen do: the tools follow the system prompt. */
function rendered({ messages, tools, prompt, suffix }: GenerationRequest): string {
  const turns = messages.map(({ role, content, tool_calls: calls }, index) => {
    const declared = index === 0 && tools.length > 0 ? `\n# Tools\n${JSON.stringify(tools)}` : '';
    const called = (calls ?? []).map((call) => `\n<tool_call>\n${JSON.stringify(call.function)}\n</tool_call>`).join('');
    return `<|im_start|>${role}\n${content}${declared}${called}<|im_end|>\n`;
  });
  return `${turns.join('')}${prompt}${suffix}`;
}
