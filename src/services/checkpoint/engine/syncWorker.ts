import { parentPort } from 'node:worker_threads';
import { serveSyncs } from './syncServer';

/** Entry point of the syncing thread of the checkpoint worker. Imports little, because it is started often. */
if (parentPort !== null) serveSyncs(parentPort);
