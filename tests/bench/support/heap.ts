import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Returns the megabytes in use after a garbage collection. */
export function heap(): number {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}
