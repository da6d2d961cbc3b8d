/** Model to suggest to a user who has no models. */
export interface ModelSuggestion {
  name: string;
  /** Download size in bytes, from Ollama's library. */
  size: number;
}

/** Month of the sizes in the table, from Ollama's library (https://ollama.com/library). */
export const suggestionsAsOf = '2026-08';

/** Models with tool support, largest first. */
const known: readonly ModelSuggestion[] = [
  { name: 'gpt-oss:120b', size: 65e9 },
  { name: 'qwen3-coder:30b', size: 19e9 },
  { name: 'gpt-oss:20b', size: 14e9 },
  { name: 'qwen3:14b', size: 9.3e9 },
  { name: 'qwen3:8b', size: 5.2e9 },
  { name: 'qwen3:4b', size: 2.5e9 },
  { name: 'qwen3:1.7b', size: 1.4e9 },
  { name: 'qwen3:0.6b', size: 523e6 },
];

/** Share of memory to use for the weights. The context window needs the rest. In main memory, other programs also need space. */
const shares = { gpu: 0.75, computer: 0.65 };
/** Assumed memory of a server in bytes if the real size is unknown. */
const commonMemory = 16e9;

/**
 * Suggests up to three models that fit into `memory` bytes (null if unknown), largest first. Each model is clearly smaller than
 * the previous model. `kind` is `gpu` for measured GPU memory, `computer` for the memory of the whole computer.
 */
export function suggestModels(memory: number | null, kind: keyof typeof shares = 'computer'): ModelSuggestion[] {
  const chosen: ModelSuggestion[] = [];
  let largest = (memory ?? commonMemory) * shares[kind];
  for (const model of known) {
    if (chosen.length === 3 || model.size > largest) continue;
    chosen.push(model);
    largest = model.size * 0.6;
  }
  return chosen.length > 0 ? chosen : known.slice(-1);
}
