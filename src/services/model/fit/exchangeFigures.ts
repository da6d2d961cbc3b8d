import { longPrompt, type MeasuredSpeed, type ModelFigures } from '../../../types/modelFigures';
import { isCloudModel } from '../../../types/model';
import type { ModelExchange } from '../../../types/modelExchange';
import type { RunningModel, WireMetrics } from '../../../types/ollama';

/** Minimum number of tokens to measure a speed, because the first tokens take longer. */
const fewestAnswered = 16;
const fewestRead = 64;

interface Circumstances {
  /** Model in memory before the request. If it was loaded with the same context window, the request does not count as a load. */
  loaded: Pick<RunningModel, 'context_length'> | undefined;
  /** True if the server reports how many prompt tokens came from its cache. Such a server omits the number if it is zero. */
  countsCache: boolean;
}

/** Returns the figures that a chat response or a load provides for a model, or null if there are none. */
export function figuresFrom(
  { path, model, body, isLoad, isMeasurement = false, metrics, startedAt, endedAt }: ModelExchange,
  before: ModelFigures,
  { loaded, countsCache }: Circumstances,
): Partial<ModelFigures> | null {
  if (metrics === null || isCloudModel(model)) return null;
  if (isLoad) return loaded !== undefined && loaded.context_length === readWindow(body) ? null : { loadMs: endedAt - startedAt };
  if (path !== '/api/chat') return null;
  const length = (metrics.prompt_eval_count ?? 0) < longPrompt ? 'short' : 'long';
  const speed = measureSpeed(metrics, before[length], countsCache || isMeasurement);
  return speed === null ? null : { [length]: speed };
}

/**
 * Returns the speed of a response; null if it cannot be measured. `knowsCached` is true if the number of tokens from the cache is
 * known. Without this number, the prompt rate is not measured. Servers before version 0.33.3 include cached tokens in the count.
 */
export function measureSpeed(metrics: WireMetrics, before: MeasuredSpeed | null, knowsCached: boolean): MeasuredSpeed | null {
  const { prompt_eval_count: promptTokens = 0, prompt_eval_cached_count: cached = 0 } = metrics;
  const read = knowsCached ? promptTokens - cached : 0;
  const promptRate = read < fewestRead ? null : rate(read, metrics.prompt_eval_duration);
  const answerRate = (metrics.eval_count ?? 0) < fewestAnswered ? null : rate(metrics.eval_count, metrics.eval_duration);
  if (promptRate === null && answerRate === null) return null;
  return {
    promptTokens: promptRate === null ? (before?.promptTokens ?? promptTokens) : promptTokens,
    promptRate: promptRate ?? before?.promptRate ?? null,
    answerRate: answerRate ?? before?.answerRate ?? null,
  };
}

function rate(tokens = 0, nanoseconds = 0): number | null {
  return nanoseconds <= 0 ? null : tokens / (nanoseconds / 1e9);
}

function readWindow(body: object): unknown {
  return (body as { options?: { num_ctx?: unknown } }).options?.num_ctx;
}
