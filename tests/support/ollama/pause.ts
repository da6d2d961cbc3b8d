import { setTimeout as sleep } from 'node:timers/promises';
import { ClientGone } from './wireError';

/** Waits for a number of milliseconds or until a promise settles. Throws `ClientGone` as soon as the client disconnects. */
export async function pause(until: number | Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) throw new ClientGone();
  if (typeof until === 'number') {
    if (until <= 0) return;
    await sleep(until, undefined, { signal }).catch(() => {
      throw new ClientGone();
    });
    return;
  }
  let leave = (): void => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(new ClientGone());
  });
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([until, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
