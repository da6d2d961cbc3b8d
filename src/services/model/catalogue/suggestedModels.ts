/** Suggested model for a user without models. */
export interface ModelSuggestion {
  name: string;
  /** Download size in bytes, from Ollama's library. */
  size: number;
}

/** Month of the table, from Ollama's library (https://ollama.com/library). */
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

/** Share of memory for the weights. The context window needs the rest, and other programs too if the memory is the computer's. */
const shares = { gpu: 0.75, computer: 0.65 };
/** Assumed memory of the server in bytes if it is unknown. */
const commonMemory = 16e9;

/**
 * Suggests up to three models that fit into `memory` bytes (null: unknown), largest first. Each is clearly smaller than the previous one.
 * `kind`: the memory of a GPU, as measured, or of the whole computer.
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
