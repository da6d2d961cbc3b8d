import type { RunningModel } from '../../../types/ollama';

/** Minimum useful context window, in tokens. */
const smallest = 2048;
/** Step between suggested context windows, in tokens. */
const step = 256;

/**
 * Returns the largest context window, in tokens, with which a partly offloaded
 * model would fit on the GPU. Returns null if no useful context window would fit.
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
