import type { ModelSuggestion } from '../../services/model/catalogue/suggestedModels';

/** Fill-in-the-middle models by size (https://ollama.com/library, 2026), with the minimum memory in bytes for each. */
const known: readonly (ModelSuggestion & { from: number })[] = [
  { name: 'qwen2.5-coder:7b-base', size: 4.7e9, from: 30e9 },
  { name: 'qwen2.5-coder:3b-base', size: 1.9e9, from: 15e9 },
  { name: 'qwen2.5-coder:1.5b-base', size: 986e6, from: 7e9 },
  { name: 'qwen2.5-coder:0.5b-base', size: 398e6, from: 0 },
];

/** Memory in bytes assumed if that of the server's machine is unknown. */
const commonMemory = 16e9;

/** Suggests two models for `memory` bytes (null: unknown), the faster first. Leaves room for a chat model. */
export function suggestCompletionModels(memory: number | null): ModelSuggestion[] {
  const fitting = known.filter(({ from }) => from <= (memory ?? commonMemory));
  // Speed matters more than size, so the smaller of the two largest that fit comes first.
  const [larger, quick] = fitting;
  return [quick, larger].filter((model) => model !== undefined).map(({ name, size }) => ({ name, size }));
}
