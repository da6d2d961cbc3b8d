import type http from 'node:http';
import { CancelledError } from '../../../utils/errors';
import { errorFromConnection } from './errorMapping';
import { maxAnswerBytes, StreamError, tooLong } from './ollamaErrors';

/** Response with known headers and an unread body. */
export class HttpReply {
  readonly status: number;

  constructor(
    private readonly incoming: http.IncomingMessage,
    private readonly address: string,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.status = incoming.statusCode ?? 0;
    // The reader of the body handles errors. Without a reader, an unhandled error would crash the process.
    incoming.on('error', () => undefined);
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /**
   * Yields the bytes of the body as they arrive. Can be read only once. Leaving the loop early does not close the socket; call
   * `close`. Throws `CancelledError` when the signal fires. If the connection breaks, throws `ConnectionError` before the first
   * byte, and `StreamError` `disconnected` later.
   */
  async *body(): AsyncGenerator<Uint8Array, void, undefined> {
    let hasBegun = false;
    try {
      for await (const chunk of this.incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        hasBegun = true;
        yield chunk;
      }
    } catch (error) {
      if (this.signal?.aborted) throw new CancelledError();
      if (!hasBegun) throw errorFromConnection(error, this.address);
      throw new StreamError('The connection ended in the middle of the answer', 'disconnected', { cause: error });
    }
  }

  /**
   * Resolves with the whole body. Throws like `body`. If the body exceeds
   * `maxAnswerBytes`, closes the socket and throws `StreamError` `malformed`.
   */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.body()) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) {
        this.close();
        throw tooLong();
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  }

  /** Discards the rest of the body, so that the server can finish. */
  release(): void {
    this.incoming.resume();
  }

  /** Destroys the socket, so that the server stops working on the request. */
  close(): void {
    this.incoming.destroy();
  }
}
