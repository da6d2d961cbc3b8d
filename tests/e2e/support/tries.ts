import { eventually, stateLimitMs } from '../../support/until';

/**
 * Repeats an action that may have no effect until it succeeds, up to `stateLimitMs`. Doubles the timeout with each try, because no fixed
 * timeout is enough on a busy machine.
 */
export function tried<T>(act: (timeout: number) => Promise<T>, firstMs = 8_000): Promise<T> {
  let timeout = firstMs / 2;
  return eventually(() => {
    timeout = Math.min(2 * timeout, stateLimitMs);
    return act(timeout);
  });
}
