import type { ModelFigures } from '../../../types/modelFigures';
import type { ShowResponse } from '../../../types/ollama';

/** Bytes per cached value. By default, servers use 16-bit numbers (`f16`). */
const bytesPerValue = 2;

/**
 * Matches keys of layers that do not cache every token: layers with sliding
 * window attention, and layers with a state of fixed size (hybrid models).
 */
const bounded = /\.(?:attention\.sliding_window(?:_pattern)?|ssm\.\w+|full_attention_interval|shortconv\.\w+)$/;

/**
 * Returns the size of one token in the cache, in bytes: key/value heads of all layers × (key + value length) × bytes per value.
 * Returns null if the server does not report these numbers. llama.cpp allocates one key tensor and one value tensor of this size
 * per layer (`src/llama-kv-cache.cpp`; types: `--cache-type-k` and `--cache-type-v` in tools/server/README.md). `isUpperBound` is
 * true for models with layers that cache fewer tokens.
 */
export function computeCacheSize({ model_info: info }: Pick<ShowResponse, 'model_info'>): ModelFigures['cache'] {
  const architecture = String(info['general.architecture']);
  const of = (key: string): unknown => info[`${architecture}.${key}`];
  const layers = of('block_count');
  const heads = of('attention.head_count');
  const width = of('embedding_length');
  if (!isCount(layers)) return null;
  const ofHead = isCount(width) && isCount(heads) ? width / heads : null;
  const lengths = ['attention.key_length', 'attention.value_length'].map((key) => of(key) ?? ofHead);
  const kept = of('attention.head_count_kv') ?? heads;
  // In some models, the number of heads differs per layer. It is 0 for a layer without a cache.
  const perLayer = Array.isArray(kept) ? kept : isCount(kept) ? Array<unknown>(layers).fill(kept) : [];
  if (perLayer.length === 0 || !lengths.every(isCount)) return null;
  const all = perLayer.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
  const bytesPerToken = all * lengths.reduce((sum, length) => sum + length, 0) * bytesPerValue;
  return { bytesPerToken, isUpperBound: Object.keys(info).some((key) => bounded.test(key) && info[key] !== 0) };
}

/** Returns whether a short `/api/show` response omits the number of heads per layer. */
export function lacksHeads({ model_info: info }: Pick<ShowResponse, 'model_info'>): boolean {
  const kept = info[`${String(info['general.architecture'])}.attention.head_count_kv`];
  return kept === null || (Array.isArray(kept) && kept.length === 0);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
