import { Worker } from 'node:worker_threads';
import type { Clock } from '../../utils/clock';
import { CancelledError } from '../../utils/errors';
import type { SearchAnswer } from './searchWorker';
import { maxSearchMs, SearchError, type TextMatches, type TextQuery, type TextSearcher } from './textQuery';

/** Searches without ripgrep, in a thread of its own that is ended when it takes too long. */
export class WorkerSearch implements TextSearcher {
  constructor(
    /** The compiled `searchWorker`. */
    private readonly workerPath: string,
    private readonly clock: Clock,
  ) {}

  async search(query: TextQuery, signal: AbortSignal): Promise<TextMatches> {
    if (signal.aborted) throw new CancelledError();
    const worker = new Worker(this.workerPath, { workerData: query });
    const over = new AbortController();
    const timeUp = this.clock.sleep(maxSearchMs + 1000, AbortSignal.any([over.signal, signal])).then(
      (): TextMatches => ({ matches: [], cut: 'time' }),
      () => Promise.reject(new CancelledError()),
    );
    timeUp.catch(() => undefined);
    try {
      return await Promise.race([answerOf(worker), timeUp]);
    } finally {
      over.abort();
      await worker.terminate();
    }
  }
}

function answerOf(worker: Worker): Promise<TextMatches> {
  return new Promise((resolve, reject) => {
    worker.once('message', (answer: SearchAnswer) => {
      if ('result' in answer) resolve(answer.result);
      else reject(new SearchError(answer.isPattern ? 'pattern' : 'unavailable', answer.problem));
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new SearchError('unavailable', 'The search ended without an answer.')));
  });
}
