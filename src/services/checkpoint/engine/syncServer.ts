import * as fs from 'node:fs';
import type { MessagePort } from 'node:worker_threads';

/** Maximum number of concurrent syncs. More would not be faster, and the number of file descriptors is limited. */
const maxConcurrent = 16;

/** Milliseconds without a message after which the thread exits. Gives the user time to review a plan before the restore. */
const idleMs = 120_000;

/** Flags to open a file without waiting for the other end of a pipe and without following a link. */
const access = fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOFOLLOW ?? 0);

/** Syncs the files and folders that `port` receives. Stops when it receives null, or nothing for some time. */
export function serveSyncs(port: MessagePort): void {
  const waiting: string[] = [];
  let working = 0;
  let isStopping = false;
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

/** Syncs a file through a separate descriptor. A write error is reported once per descriptor, so the writer gets it too. */
function sync(file: string, done: () => void): void {
  fs.open(file, access, (failure, opened) => {
    // Ignore the error, because the writer syncs the file itself.
    if (failure) done();
    else fs.fdatasync(opened, () => fs.close(opened, done));
  });
}
