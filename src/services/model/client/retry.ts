import type { Clock } from '../../../utils/clock';
import { throwIfAborted } from '../../../utils/errors';
import { ConnectionError, ModelLoadError, OllamaError, ServerBusyError } from './ollamaErrors';

/** A failed request that is sent again after a wait. */
export interface RetryNotice {
  /** Number of the retry that comes next, from 1. */
  attempt: number;
  /** Largest number of retries. */
  of: number;
  delayMs: number;
  error: OllamaError;
}

export interface RetryOptions {
  clock: Clock;
  signal?: AbortSignal | undefined;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

/** Milliseconds before the first, second and third retry. */
const delays = [1000, 2000, 4000];

/**
 * Runs `attempt` until it succeeds, at most three times again after it failed for a cause that may pass: no connection, or
 * a 5xx. `attempt` must end with the first piece of an answer, for what was begun is never repeated.
 * @throws the last failure; CancelledError when the signal fires, while waiting too
 */
export async function withRetry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    throwIfAborted(options.signal);
    try {
      return await attempt();
    } catch (error) {
      const delayMs = delays[retries];
      throwIfAborted(options.signal);
      if (delayMs === undefined || !mayPass(error)) throw error;
      options.onRetry?.({ attempt: retries + 1, of: delays.length, delayMs, error });
      await options.clock.sleep(delayMs, options.signal);
    }
  }
}

/** Tells whether a retry may succeed. A 5xx that we understood to be about the model or the prompt fails the same way each time. */
function mayPass(error: unknown): error is OllamaError {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof OllamaError) || (error.statusCode ?? 0) < 500) return false;
  return error.code === 'ollama' || error instanceof ServerBusyError || (error instanceof ModelLoadError && error.mayPass);
}
