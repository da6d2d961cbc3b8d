import { parentPort } from 'node:worker_threads';
import { serveSyncs } from './syncServer';

/** Entry point of the sync thread of the checkpoint worker. It has few imports, because it is started often. */
if (parentPort !== null) serveSyncs(parentPort);
