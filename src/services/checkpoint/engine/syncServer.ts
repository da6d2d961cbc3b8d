import * as fs from 'node:fs';
import type { MessagePort } from 'node:worker_threads';

/** Largest number of files at once: more would be no faster, and descriptors are scarce. */
const mostAtOnce = 16;

/** Makes the files durable that the other side of `port` names, until it is told to stop by a null. */
export function serveSyncs(port: MessagePort): void {
  const waiting: string[] = [];
  let [working, isStopping] = [0, false];
  const next = (): void => {
    while (working < mostAtOnce && waiting.length > 0) {
      working += 1;
      sync(waiting.shift() as string, () => {
        working -= 1;
        next();
      });
    }
    if (isStopping && working === 0) port.close();
  };
  port.on('message', (files: readonly string[] | null) => {
    if (files === null) isStopping = true;
    else waiting.push(...files);
    next();
  });
}

/** Syncs a file through a descriptor of its own: each is told once of what could not be written, and the writer's must be. */
function sync(file: string, done: () => void): void {
  fs.open(file, 'r', (failure, opened) => {
    // It was only to be faster.
    if (failure) done();
    else fs.fdatasync(opened, () => fs.close(opened, done));
  });
}
