import { Worker } from 'node:worker_threads';
import type { Clock } from '../../utils/clock';
import { CancelledError } from '../../utils/errors';
import { firstResult } from '../../utils/workerCalls';
import type { SearchAnswer } from './searchWorker';
import { maxSearchMs, SearchError, type TextMatches, type TextQuery, type TextSearcher } from './textQuery';

/** Searches without ripgrep in a worker thread. Terminates the thread if the search takes too long. */
export class WorkerSearch implements TextSearcher {
  constructor(
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
      return await Promise.race([receiveMatches(worker), timeUp]);
    } finally {
      over.abort();
      await worker.terminate();
    }
  }
}

/** Throws `SearchError`. */
async function receiveMatches(worker: Worker): Promise<TextMatches> {
  const answer = await firstResult(worker, (message: SearchAnswer) => message).catch(() => {
    throw new SearchError('unavailable', 'The search ended without an answer.');
  });
  if ('result' in answer) return answer.result;
  throw new SearchError(answer.isPattern ? 'pattern' : 'unavailable', answer.problem);
}
