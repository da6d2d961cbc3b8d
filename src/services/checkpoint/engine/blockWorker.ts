import { workerData } from 'node:worker_threads';
import { serveBlocks, type BlockThreadData } from './objects/blockThread';

/** Entry point of the checkpoint worker's compression thread. Has few imports, because the thread starts often. */
serveBlocks(workerData as BlockThreadData);
