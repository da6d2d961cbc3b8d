import type { RunningModel, ShowResponse } from '../../../types/ollama';

/** Bytes of a value in the cache, which servers keep as 16-bit numbers unless they are told otherwise. */
const bytesOfValue = 2;
/** Tokens below which a window is of no use, and of which a suggested one is a multiple. */
const [smallest, step] = [2048, 256];

/** Returns the bytes that a token takes in the cache: layers × heads for keys and values × their lengths × bytes of a value. Null where the server does not say. */
export function cacheBytesPerToken({ model_info: info }: Pick<ShowResponse, 'model_info'>): number | null {
  const architecture = String(info['general.architecture']);
  const of = (key: string): unknown => info[`${architecture}.${key}`];
  const [layers, heads, width] = [of('block_count'), of('attention.head_count'), of('embedding_length')];
  if (!isCount(layers)) return null;
  const ofHead = isCount(width) && isCount(heads) ? width / heads : null;
  const lengths = ['attention.key_length', 'attention.value_length'].map((key) => of(key) ?? ofHead);
  const kept = of('attention.head_count_kv') ?? heads;
  // Some models keep another number of heads in each layer.
  const perLayer = Array.isArray(kept) ? kept : isCount(kept) ? Array<unknown>(layers).fill(kept) : [];
  if (perLayer.length === 0 || !lengths.every(isCount)) return null;
  const all = perLayer.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
  return all * lengths.reduce((sum, length) => sum + length, 0) * bytesOfValue;
}

/**
 * Returns the largest window, in tokens, with which a model that is partly in the machine's own memory would be on the graphics card as a whole; null where
 * none of use would do that.
 */
export function fittingWindow(
  model: Pick<RunningModel, 'size' | 'size_vram' | 'context_length'>,
  bytesPerToken: number,
): number | null {
  const { size, size_vram: onCard, context_length: window } = model;
  if (window === undefined || onCard <= 0 || onCard >= size || bytesPerToken <= 0) return null;
  const fitting = Math.floor((window - (size - onCard) / bytesPerToken) / step) * step;
  return fitting >= smallest ? fitting : null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
