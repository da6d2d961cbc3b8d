import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ClientGone } from './wireError';

const writesPerTurn = 2048;

/**
 * Sends a response body in pieces of `chunkBytes` bytes, wherever they cut lines and UTF-8 sequences.
 * Each piece is its own HTTP chunk, so a client sees the same pieces however the kernel joins the packets.
 */
export class WireWriter {
  private begun = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly chunkBytes: number,
  ) {}

  /** Whether status and headers are on their way already. */
  get started(): boolean {
    return this.begun;
  }

  begin(status: number, headers: Record<string, string>): void {
    this.begun = true;
    this.response.socket?.setNoDelay(true);
    this.response.writeHead(status, headers);
  }

  async write(text: string): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    let writes = 0;
    for (let start = 0; start < bytes.length; start += this.chunkBytes) {
      if (this.response.destroyed) throw new ClientGone();
      const flowing = this.response.write(bytes.subarray(start, start + this.chunkBytes));
      writes += 1;
      if (!flowing) await this.drained();
      else if (writes % writesPerTurn === 0) await nextTurn();
    }
  }

  end(): void {
    this.response.end();
  }

  /** A whole newline-less body, as Go sends it: small ones carry their length. */
  async send(status: number, contentType: string, body: string, headers: Record<string, string> = {}): Promise<void> {
    const length = Buffer.byteLength(body);
    const sized: Record<string, string> = length <= 2048 ? { 'Content-Length': String(length) } : {};
    this.begin(status, { 'Content-Type': contentType, ...headers, ...sized });
    await this.write(body);
    this.end();
  }

  /** Breaks the connection with a TCP reset, in the middle of whatever was being sent. */
  async reset(): Promise<void> {
    // What was written before must reach the client first: a reset discards data that still waits in the socket.
    await nextTurn();
    await nextTurn();
    this.response.socket?.resetAndDestroy();
  }

  private drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const onDrain = (): void => {
        this.response.off('close', onClose);
        resolve();
      };
      const onClose = (): void => {
        this.response.off('drain', onDrain);
        reject(new ClientGone());
      };
      this.response.once('drain', onDrain);
      this.response.once('close', onClose);
    });
  }
}
