import type { Clock } from '../../../utils/clock';
import { throwIfAborted } from '../../../utils/errors';
import { ConnectionError, ModelLoadError, OllamaError, ServerBusyError } from './ollamaErrors';

export interface RetryEvent {
  /** Number of the next retry, starting at 1. */
  attempt: number;
  /** Maximum number of retries. */
  of: number;
  delayMs: number;
  error: OllamaError;
}

export interface RetryOptions {
  clock: Clock;
  signal?: AbortSignal | undefined;
  onRetry?: ((notice: RetryEvent) => void) | undefined;
}

/** Delays before the first, second and third retry, in milliseconds. */
const delays = [1000, 2000, 4000];

/**
 * Runs `attempt`. Retries up to three times after a temporary failure: no connection, or a 5xx. `attempt` must settle when the
 * first part of the response arrives, because a started response is never repeated. Throws the last error. Throws
 * `CancelledError` when the signal fires, also during a delay.
 */
export async function withRetry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    throwIfAborted(options.signal);
    try {
      return await attempt();
    } catch (error) {
      const delayMs = delays[retries];
      throwIfAborted(options.signal);
      if (delayMs === undefined || !isTransient(error)) throw error;
      options.onRetry?.({ attempt: retries + 1, of: delays.length, delayMs, error });
      await options.clock.sleep(delayMs, options.signal);
    }
  }
}

/** Returns whether a retry may succeed. A 5xx that is known to be caused by the model or the prompt would occur again. */
function isTransient(error: unknown): error is OllamaError {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof OllamaError) || (error.statusCode ?? 0) < 500) return false;
  return error.code === 'ollama' || error instanceof ServerBusyError || (error instanceof ModelLoadError && error.isTransient);
}
