import type { ClientRequest, IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import { readHost, readPort } from '../../types/httpAddress';
import { LocalOnlyError } from './localOnly';

export interface OutgoingRequest extends RequestOptions {
  protocol: 'http:' | 'https:';
  host: string;
  port: number;
  /** Host name to record and to check, if `host` is its address. */
  requestedHost?: string;
}

type Send = (options: OutgoingRequest, request: Request) => ClientRequest;

const withoutBody = new Set([204, 205, 304]);

/**
 * Returns a `fetch` that uses a Node.js request, so that its socket can be observed. It rejects like `fetch`: with the reason of
 * the signal, with an error from `send`, or with a `TypeError` whose cause is the system error. It does not follow redirects.
 */
export function fetchWith(send: Send): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, { ...init, signal: null });
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    signal?.throwIfAborted();
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    const url = new URL(request.url);
    const headers: Record<string, string> = { accept: '*/*', ...Object.fromEntries(request.headers) };
    headers['accept-encoding'] = 'identity';
    if (body !== null) headers['content-length'] = String(body.length);
    signal?.throwIfAborted();
    const outgoing = send(
      {
        protocol: url.protocol === 'https:' ? 'https:' : 'http:',
        host: readHost(url),
        port: readPort(url),
        path: url.pathname + url.search,
        method: request.method,
        headers: { host: url.host, ...headers },
      },
      request,
    );
    return new Promise((resolve, reject) => {
      const abort = (): void => void outgoing.destroy(signal?.reason as Error);
      signal?.addEventListener('abort', abort, { once: true });
      outgoing.on('close', () => signal?.removeEventListener('abort', abort));
      outgoing.on('error', (error) => {
        if (signal?.aborted) reject(signal.reason as Error);
        else reject(error instanceof LocalOnlyError ? error : failed('fetch failed', error));
      });
      outgoing.on('response', (incoming) => {
        const status = incoming.statusCode ?? 0;
        if (status >= 300 && status < 400 && status !== 304) {
          incoming.destroy();
          reject(failed('fetch failed', new Error('unexpected redirect')));
          return;
        }
        const content = withoutBody.has(status) || request.method === 'HEAD' ? null : toBody(incoming, signal);
        if (content === null) incoming.resume();
        resolve(new Response(content, { status, statusText: incoming.statusMessage ?? '', headers: toHeaders(incoming) }));
      });
      outgoing.end(body ?? undefined);
    });
  };
}

function failed(message: string, cause: unknown): TypeError {
  return new TypeError(message, { cause });
}

function toHeaders({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct)) for (const value of values) headers.append(name, value);
  return headers;
}

function toBody(incoming: IncomingMessage, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Buffer) => {
        if (isOver) return;
        controller.enqueue(new Uint8Array(chunk));
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.on('end', () => {
        if (!isOver) controller.close();
        isOver = true;
      });
      const fail = (error: unknown): void => {
        if (!isOver) controller.error(signal?.aborted ? signal.reason : failed('terminated', error));
        isOver = true;
      };
      incoming.on('error', fail);
      incoming.on('close', () => fail(new Error('The connection was closed')));
    },
    pull() {
      incoming.resume();
    },
    cancel() {
      isOver = true;
      incoming.destroy();
    },
  });
}
