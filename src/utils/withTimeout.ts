import type { Clock } from './clock';

/** Resolves with the result of a promise. Resolves with undefined after `ms` milliseconds or when the signal aborts. */
export async function withTimeout<T>(
  promise: Promise<T>,
  ms: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const over = new AbortController();
  const end = clock.sleep(ms, signal ? AbortSignal.any([over.signal, signal]) : over.signal).catch(() => undefined);
  try {
    return await Promise.race([promise, end as Promise<undefined>]);
  } finally {
    over.abort();
  }
}
