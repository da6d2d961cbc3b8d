import type http from 'node:http';
import { CancelledError } from '../../../utils/errors';
import { errorFromConnection } from './errorMapping';
import { maxAnswerBytes, StreamError, tooLong } from './ollamaErrors';

/** Holds the answer to one request, its headers read and its body not yet. */
export class HttpReply {
  readonly status: number;

  constructor(
    private readonly incoming: http.IncomingMessage,
    private readonly address: string,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.status = incoming.statusCode ?? 0;
    // Whoever reads the body hears of its errors there; without a reader they must not end the process.
    incoming.on('error', () => undefined);
  }

  header(name: string): string | undefined {
    const value = this.incoming.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /**
   * Yields the bytes as they arrive; read it once. Leaving the loop early does not close the socket: see `close`.
   * @throws CancelledError when the signal fired; a connection that breaks is a ConnectionError before the first byte,
   *   afterwards a StreamError `disconnected`
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
   * Resolves with the whole body; errors as in `body`.
   * @throws StreamError `malformed` for a body of more than `maxAnswerBytes`; the socket is closed then
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

  /** Lets the server finish what nobody reads any more. */
  release(): void {
    this.incoming.resume();
  }

  /** Destroys the socket: the server stops working on the request. */
  close(): void {
    this.incoming.destroy();
  }
}
