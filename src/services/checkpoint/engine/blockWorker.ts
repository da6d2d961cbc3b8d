import { workerData } from 'node:worker_threads';
import { serveBlocks, type BlockThreadData } from './objects/blockThread';

/** Entry point of the compression thread of the checkpoint worker. It has few imports, because it is started often. */
serveBlocks(workerData as BlockThreadData);
