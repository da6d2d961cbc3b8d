import type { RunningModel } from '../../../types/ollama';

/** Maximum number of loads in one search. */
export const maxLoads = 5;
/** Step between context windows to try, in tokens. */
const step = 1024;
/** Minimum useful context window, in tokens. */
const smallest = 2048;
/** Share of the memory that stays free when a context window is computed. */
const reserve = 0.02;

/**
 * Loads the model with a context window. Resolves with the state that the server reports; undefined if the model is not loaded.
 */
type LoadWith = (tokens: number) => Promise<Pick<RunningModel, 'size' | 'size_vram' | 'context_length'> | undefined>;

export interface WindowRange {
  /** First context window to try, in tokens. */
  start: number;
  /** Context length of the model. */
  max: number;
  /** Bytes per token in the cache. Null if unknown. */
  bytesPerToken: number | null;
}

export interface FoundWindow {
  /** Largest context window, in tokens, with which the whole model was on the GPU. Null if the whole model never fitted. */
  tokens: number | null;
  loads: number;
  /** False if no part of the model was on a GPU. */
  hasGpu: boolean;
}

interface Try {
  tokens: number;
  size: number;
  vram: number;
}

/**
 * Finds the largest context window with which the whole model stays on the GPU. Loads the model at most `maxLoads` times. Each
 * load halves the range, or tries the limit predicted from the previous loads.
 */
export async function largestWindow(load: LoadWith, { start, max, bytesPerToken }: WindowRange): Promise<FoundWindow> {
  const tries: Try[] = [];
  const good = () => Math.max(0, ...tries.filter(isWhole).map(({ tokens }) => tokens));
  const bad = () => Math.min(Infinity, ...tries.filter((one) => !isWhole(one)).map(({ tokens }) => tokens));
  let next: number | null = Math.min(start, max);
  while (next !== null && tries.length < maxLoads) {
    const running = await load(next);
    if (running === undefined) break;
    tries.push({ tokens: Math.min(next, running.context_length ?? next), size: running.size, vram: running.size_vram });
    if (running.size_vram <= 0 && next <= 2 * smallest) break;
    next = running.size_vram <= 0 ? smallest : nextWindow(tries, good(), Math.min(bad(), max + step), { max, bytesPerToken });
  }
  return { tokens: good() === 0 ? null : good(), loads: tries.length, hasGpu: tries.some(({ vram }) => vram > 0) };
}

function isWhole({ size, vram }: Try): boolean {
  return vram > 0 && vram >= size;
}

/**
 * Returns the next context window to try, between the largest that fits and
 * the smallest that does not. Returns null if no further load is useful.
 */
function nextWindow(tries: readonly Try[], good: number, bad: number, { max, bytesPerToken }: Omit<WindowRange, 'start'>) {
  if (good >= max || bad - good <= step || bad <= smallest) return null;
  const predicted = predictedWindow(tries, bytesPerToken);
  // If every context window fitted so far, there is no middle. Try the maximum, or four times the largest that fitted.
  const middle = bad > max ? Math.min(max, good * 4) : Math.sqrt(Math.max(good, smallest) * bad);
  const wanted = predicted !== null && predicted > good && predicted < bad ? predicted : middle;
  if (wanted >= max && bad > max) return max;
  const rounded = Math.floor(wanted / step) * step;
  return Math.max(smallest, Math.min(bad - step, Math.max(good + step, rounded)));
}

/**
 * Predicts the largest context window with which the whole model fits. Uses
 * a load that did not fit: its part on the GPU is the available memory.
 */
function predictedWindow(tries: readonly Try[], bytesPerToken: number | null): number | null {
  const spilt = tries.filter((one) => !isWhole(one) && one.vram > 0).at(-1);
  if (spilt === undefined) return null;
  const other = tries.find(({ tokens }) => tokens !== spilt.tokens);
  const measured = other === undefined ? null : (spilt.size - other.size) / (spilt.tokens - other.tokens);
  const perToken = measured !== null && measured > 0 ? measured : bytesPerToken;
  return perToken === null ? null : spilt.tokens - (spilt.size - spilt.vram * (1 - reserve)) / perToken;
}
