import { Worker } from 'node:worker_threads';

/** Number of files whose syncing takes as long as starting a thread. */
const startThreshold = 16;

/**
 * Syncs files and folders in another thread, because concurrent syncs take little longer than one. Optional: the writer of each file syncs
 * it as well, and then has little left to do. The thread stays for the next restore, and ends when it was not used for a while.
 */
export class SyncThread {
  private worker: Worker | null = null;

  /** `path`: a program that calls `serveSyncs`. Without it, no thread starts. */
  constructor(private readonly path: string | undefined) {}

  /** Starts the thread ahead of that many files, so that it is ready when they are written. */
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
