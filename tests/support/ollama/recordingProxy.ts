import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Proxy for a real server that records all requests. */
export class RecordingProxy {
  private readonly recorded: { path: string; body: unknown }[] = [];

  private constructor(private readonly server: Server) {}

  static async start(target: string): Promise<RecordingProxy> {
    const server = createServer();
    const proxy = new RecordingProxy(server);
    server.on('request', (incoming, response) => {
      const pieces: Buffer[] = [];
      const path = incoming.url ?? '/';
      const onward = request(target + path, { method: incoming.method ?? 'GET', headers: incoming.headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      response.on('close', () => onward.destroy());
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('end', () => {
        const text = Buffer.concat(pieces).toString();
        if (text !== '') proxy.recorded.push({ path, body: JSON.parse(text) });
      });
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Returns the bodies of all requests to a path so far. */
  bodies(path: string): unknown[] {
    return this.recorded.filter((one) => one.path === path).map(({ body }) => body);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
