/** A model worth having, for somebody who has none yet. */
export interface ModelSuggestion {
  name: string;
  /** Bytes to download, as Ollama's library says. */
  size: number;
}

/** Models that can use tools, by size (https://ollama.com/library, 2026). */
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

/** Weights may take this much of the memory; the context window and everything else need the rest. */
const shareOfMemory = 0.65;
/** Bytes of memory assumed if those of the server's machine are not known. */
const commonMemory = 16e9;

/**
 * Suggests up to three models that fit into `memory` bytes (null: unknown), the most able first, each clearly smaller than the one
 * before.
 */
export function suggestModels(memory: number | null): ModelSuggestion[] {
  const chosen: ModelSuggestion[] = [];
  let largest = (memory ?? commonMemory) * shareOfMemory;
  for (const model of known) {
    if (chosen.length === 3 || model.size > largest) continue;
    chosen.push(model);
    largest = model.size * 0.6;
  }
  return chosen.length > 0 ? chosen : known.slice(-1);
}
