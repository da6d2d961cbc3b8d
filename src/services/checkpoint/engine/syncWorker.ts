import { parentPort } from 'node:worker_threads';
import { serveSyncs } from './syncServer';

/** Entry point of the checkpoint worker's sync thread. Has few imports, because the thread starts often. */
if (parentPort !== null) serveSyncs(parentPort);
