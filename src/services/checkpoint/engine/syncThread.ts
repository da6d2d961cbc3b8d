import { Worker } from 'node:worker_threads';

/** A thread costs as much to start as making so many files durable one by one. */
const worthStarting = 16;

/**
 * Makes files durable in another thread while this one goes on: many at once take little longer than one. The thread never has to be
 * there;
 * whoever writes a file makes it durable by itself as well, and finds little left to do.
 */
export class SyncThread {
  private worker: Worker | null = null;

  /** `path`: a program that calls `serveSyncs`. Without one nothing is begun early. */
  constructor(private readonly path: string | undefined) {}

  /** Begins with these files. */
  begin(files: readonly string[]): void {
    if (this.path === undefined || (this.worker === null && files.length < worthStarting)) return;
    this.worker ??= this.start(this.path);
    this.worker.postMessage(files);
  }

  /** Ends the thread once it is done with all that was begun. */
  stop(): void {
    this.worker?.postMessage(null);
    this.worker = null;
  }

  private start(path: string): Worker {
    const worker = new Worker(path, { name: 'sync', execArgv: [] });
    // Whatever becomes of it, the files are made durable.
    worker.on('error', () => undefined);
    worker.unref();
    return worker;
  }
}
