import { workerData } from 'node:worker_threads';
import { serveBlocks, type BlockThreadData } from './objects/blockThread';

/** Entry point of the compressing thread of the checkpoint worker. Imports little, because it is started often. */
serveBlocks(workerData as BlockThreadData);
