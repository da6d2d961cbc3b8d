import type { ModelSuggestion } from '../../services/model/catalogue/suggestedModels';

/** Models that fill in the middle, by size (https://ollama.com/library, 2026), and the memory in bytes from which each is worth it. */
const known: readonly (ModelSuggestion & { from: number })[] = [
  { name: 'qwen2.5-coder:7b-base', size: 4.7e9, from: 30e9 },
  { name: 'qwen2.5-coder:3b-base', size: 1.9e9, from: 15e9 },
  { name: 'qwen2.5-coder:1.5b-base', size: 986e6, from: 7e9 },
  { name: 'qwen2.5-coder:0.5b-base', size: 398e6, from: 0 },
];

/** Bytes of memory assumed where those of the server's machine are not known. */
const commonMemory = 16e9;

/** Suggests two models for `memory` bytes (null: unknown) that leave room for one that chats, the quick one first. */
export function suggestCompletionModels(memory: number | null): ModelSuggestion[] {
  const fitting = known.filter(({ from }) => from <= (memory ?? commonMemory));
  // Speed counts for more than size here: the smaller of the two that fit well is offered first.
  const [larger, quick] = fitting;
  return [quick, larger].filter((model) => model !== undefined).map(({ name, size }) => ({ name, size }));
}
