import http from 'node:http';
import type { AddressInfo } from 'node:net';

interface SeenRequest {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
  /** Resolves when the client has disconnected or received a response. True if the response is complete. */
  ended: Promise<boolean>;
}

export type Handler = (response: http.ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface HttpServer {
  url: string;
  port: number;
  requests: SeenRequest[];
  close(): Promise<void>;
}

/** Starts a real HTTP server on a free port. Requests are recorded before the handler runs. */
export async function startHttpServer(handler: Handler, host = '127.0.0.1', port = 0): Promise<HttpServer> {
  const requests: SeenRequest[] = [];
  const server = http.createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    const ended = new Promise<boolean>((resolve) => response.on('close', () => resolve(response.writableFinished)));
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming;
      const seen = { method, path, headers, body: Buffer.concat(chunks).toString(), ended };
      requests.push(seen);
      void handler(response, seen);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns an unused port. */
export async function unusedPort(): Promise<number> {
  const server = await startHttpServer(() => undefined);
  await server.close();
  return server.port;
}

/** Sends a complete response or an error as Ollama does, without a trailing newline. */
export function sendJson(response: http.ServerResponse, status: number, body: unknown): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(text);
}

/** Sends a stream as Ollama does, with one object per line. */
export function sendLines(response: http.ServerResponse, lines: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
