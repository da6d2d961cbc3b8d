import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ClientGone } from './wireError';

const writesPerTurn = 2048;

/**
 * Sends a response body in pieces of `chunkBytes` bytes, which may split lines and UTF-8 sequences. Each piece is a separate HTTP chunk, so
 * clients receive the same pieces regardless of TCP packets.
 */
export class WireWriter {
  private begun = false;

  constructor(
    private readonly response: ServerResponse,
    private readonly chunkBytes: number,
  ) {}

  /** True if the status and headers have been sent. */
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

  /** Sends a complete body without a newline, as Go does. Small bodies have a `Content-Length`. */
  async send(status: number, contentType: string, body: string, headers: Record<string, string> = {}): Promise<void> {
    const length = Buffer.byteLength(body);
    const sized: Record<string, string> = length <= 2048 ? { 'Content-Length': String(length) } : {};
    this.begin(status, { 'Content-Type': contentType, ...headers, ...sized });
    await this.write(body);
    this.end();
  }

  /** Breaks the connection with a TCP reset, even in the middle of a response. */
  async reset(): Promise<void> {
    // Earlier data must reach the client first, because a reset discards data that is still in the socket.
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
