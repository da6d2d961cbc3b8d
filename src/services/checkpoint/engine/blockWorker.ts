import { workerData } from 'node:worker_threads';
import { serveBlocks, type BlockThreadData } from './objects/blockThread';

/** Entry point of the thread that compresses for the checkpoint worker. Little more is loaded with it: it is started often. */
serveBlocks(workerData as BlockThreadData);
