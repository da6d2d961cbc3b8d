import { CancelledError } from '../../../utils/errors';

/** Waits for work without controlling it. Rejects with `CancelledError` when the signal fires, but the work continues. */
export function abortableWait<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(new CancelledError());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
