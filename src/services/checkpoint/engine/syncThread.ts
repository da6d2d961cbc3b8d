import { Worker } from 'node:worker_threads';

/** Number of files that take as long to sync as the thread takes to start. */
const startThreshold = 16;

/**
 * Syncs files and folders in another thread, because concurrent syncs take little longer than a single sync. The thread is
 * optional: the writer of each file also syncs it, which is then fast. The thread keeps running for the next restore and exits
 * after some time without work.
 */
export class SyncThread {
  private worker: Worker | null = null;

  /** `path` is the path of a script that calls `serveSyncs`. Without it, no thread starts. */
  constructor(private readonly path: string | undefined) {}

  /** Starts the thread early if `count` files will be written, so that it is ready in time. */
  expect(count: number): void {
    if (this.path !== undefined && count >= startThreshold) this.worker ??= this.start(this.path);
  }

  begin(files: readonly string[]): void {
    this.expect(files.length);
    this.worker?.postMessage(files);
  }

  /** Ends the thread after all files are synced. */
  stop(): void {
    this.worker?.postMessage(null);
    this.worker = null;
  }

  private start(path: string): Worker {
    const worker = new Worker(path, { name: 'sync', execArgv: [] });
    // If the thread fails, the writers still sync their files.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = null;
    });
    worker.unref();
    return worker;
  }
}
