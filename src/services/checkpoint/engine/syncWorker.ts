import { parentPort } from 'node:worker_threads';
import { serveSyncs } from './syncServer';

/** Entry point of the thread that makes files durable for the checkpoint worker. Little more is loaded with it: it is started often. */
if (parentPort !== null) serveSyncs(parentPort);
