import { eventually, stateLimitMs } from '../../support/until';

/**
 * Repeats an action that can be lost, until a try of it works, up to `stateLimitMs`. Each try has twice the time of the one before: no fixed
 * time is enough on a busy machine.
 */
export function tried<T>(act: (timeout: number) => Promise<T>, firstMs = 8_000): Promise<T> {
  let timeout = firstMs / 2;
  return eventually(() => {
    timeout = Math.min(2 * timeout, stateLimitMs);
    return act(timeout);
  });
}
