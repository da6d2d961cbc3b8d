import type { Writable } from 'node:stream';

/** Maximum time for writing to sockets before the event loop continues, in milliseconds. */
const sliceMs = 4;
/** Maximum number of pending characters per client. More text is read from the log after the drain. */
const mostPending = 64 * 1024;

/** Receives text for one client. `write` returns false to pause until `onDrain`. */
interface TextSink {
  write(text: string): boolean;
  onDrain(listener: () => void): void;
}

interface Outlet {
  socket: Writable;
  pending: string;
  isFull: boolean;
  drained: () => void;
}

/**
 * Writes to many clients in time slices, so that a long answer for hundreds of clients does not block the
 * host. Joins lines from the same turn of the event loop.
 */
export class SlicedWriter {
  private readonly waiting = new Set<Outlet>();
  private isScheduled = false;

  createSink(socket: Writable): TextSink {
    const outlet: Outlet = { socket, pending: '', isFull: false, drained: () => undefined };
    socket.on('drain', () => this.drain(outlet));
    socket.on('close', () => this.waiting.delete(outlet));
    return {
      write: (text) => {
        outlet.pending += text;
        this.waiting.add(outlet);
        this.schedule();
        outlet.isFull = outlet.pending.length >= mostPending || socket.writableNeedDrain;
        return !outlet.isFull;
      },
      onDrain: (listener) => void (outlet.drained = listener),
    };
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.flush());
  }

  private flush(): void {
    this.isScheduled = false;
    const end = performance.now() + sliceMs;
    for (const outlet of this.waiting) {
      this.waiting.delete(outlet);
      this.send(outlet);
      if (performance.now() > end) break;
    }
    if (this.waiting.size > 0) this.schedule();
  }

  private send(outlet: Outlet): void {
    const text = outlet.pending;
    outlet.pending = '';
    if (!outlet.socket.writable || !outlet.socket.write(text)) return;
    this.drain(outlet);
  }

  private drain(outlet: Outlet): void {
    if (!outlet.isFull || outlet.pending !== '') return;
    outlet.isFull = false;
    outlet.drained();
  }
}
