import type { Clock } from './clock';

/** What a promise comes to within so many milliseconds; undefined where it has not by then, or when the signal fires. */
export async function within<T>(promise: Promise<T>, ms: number, clock: Clock, signal?: AbortSignal): Promise<T | undefined> {
  const over = new AbortController();
  const end = clock.sleep(ms, signal ? AbortSignal.any([over.signal, signal]) : over.signal).catch(() => undefined);
  try {
    return await Promise.race([promise, end as Promise<undefined>]);
  } finally {
    over.abort();
  }
}
