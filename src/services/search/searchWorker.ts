import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../utils/errors';
import { searchWithoutRipgrep } from './plainSearch';
import { SearchError, type TextMatches, type TextQuery } from './textQuery';

export type SearchAnswer = { result: TextMatches } | { problem: string; isPattern: boolean };

searchWithoutRipgrep(workerData as TextQuery).then(
  (result) => parentPort?.postMessage({ result } satisfies SearchAnswer),
  (error: unknown) => {
    const isPattern = error instanceof SearchError && error.code === 'pattern';
    const problem = error instanceof SearchError ? error.modelMessage : messageOf(error);
    parentPort?.postMessage({ problem, isPattern } satisfies SearchAnswer);
  },
);
