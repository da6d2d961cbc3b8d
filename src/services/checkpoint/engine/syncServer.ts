import * as fs from 'node:fs';
import type { MessagePort } from 'node:worker_threads';

/** Largest number of concurrent syncs. More would not be faster, and file descriptors are limited. */
const maxConcurrent = 16;

/** Milliseconds without a message after which the thread ends. The user may look at a plan for as long before restoring. */
const idleMs = 120_000;

/** Never waits for the other end of a pipe, and follows no link. */
const access = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0);

/** Syncs the files and folders that `port` receives, until it receives null or nothing for a while. */
export function serveSyncs(port: MessagePort): void {
  const waiting: string[] = [];
  let [working, isStopping] = [0, false];
  const next = (): void => {
    while (working < maxConcurrent && waiting.length > 0) {
      working += 1;
      sync(waiting.shift() as string, () => {
        working -= 1;
        next();
      });
    }
    if (!isStopping || working > 0) return;
    clearTimeout(idle);
    port.close();
  };
  const idle = setTimeout(() => port.close(), idleMs);
  port.on('message', (files: readonly string[] | null) => {
    idle.refresh();
    if (files === null) isStopping = true;
    else waiting.push(...files);
    next();
  });
}

/** Syncs a file through a separate descriptor. The system reports a write error once per descriptor, and the writer must see it. */
function sync(file: string, done: () => void): void {
  fs.open(file, access, (failure, opened) => {
    // Optional: the writer syncs the file itself.
    if (failure) done();
    else fs.fdatasync(opened, () => fs.close(opened, done));
  });
}
