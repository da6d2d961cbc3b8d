import type { ModelSuggestion } from '../../services/model/catalogue/suggestedModels';

/** Fill-in-the-middle models by size (https://ollama.com/library, 2026). `from` is the minimum memory in bytes. */
const known: readonly (ModelSuggestion & { from: number })[] = [
  { name: 'qwen2.5-coder:7b-base', size: 4.7e9, from: 30e9 },
  { name: 'qwen2.5-coder:3b-base', size: 1.9e9, from: 15e9 },
  { name: 'qwen2.5-coder:1.5b-base', size: 986e6, from: 7e9 },
  { name: 'qwen2.5-coder:0.5b-base', size: 398e6, from: 0 },
];

/** Assumed memory of the server's machine in bytes if the real size is unknown. */
const commonMemory = 16e9;

/** Suggests two models for `memory` bytes (null if unknown), the faster model first. Leaves memory for a chat model. */
export function suggestCompletionModels(memory: number | null): ModelSuggestion[] {
  const fitting = known.filter(({ from }) => from <= (memory ?? commonMemory));
  // Speed matters more than size, so the smaller of the two largest models that fit comes first.
  const [larger, quick] = fitting;
  return [quick, larger].filter((model) => model !== undefined).map(({ name, size }) => ({ name, size }));
}
