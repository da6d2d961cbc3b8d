import assert from 'node:assert/strict';
import net from 'node:net';
import { AuthError, ConnectionError, OllamaError, StreamError } from '../../../src/services/model/client/ollamaErrors';
import { CancelledError } from '../../../src/utils/errors';
import { makeClient, rejection } from './support/client';
import { Gate } from './support/gate';
import { sendJson, startHttpServer, unusedPort, type Handler, type HttpServer } from './support/httpServer';

const version: Handler = (response) => sendJson(response, 200, { version: '0.33.0' });

describe('The HTTP transport', () => {
  const servers: HttpServer[] = [];
  const start = async (...parameters: Parameters<typeof startHttpServer>) => {
    const server = await startHttpServer(...parameters);
    servers.push(server);
    return server;
  };
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  it('strips trailing slashes from the address', async () => {
    const server = await start(version);
    assert.equal(await makeClient(`${server.url}///`).client.version(), '0.33.0');
    assert.equal(server.requests[0]?.path, '/api/version');
  });

  it('reads no more of an answer than memory should hold', async () => {
    let hasClosed = (): void => undefined;
    const closed = new Promise<void>((resolve) => (hasClosed = resolve));
    const piece = Buffer.alloc(1024 * 1024, 0x61);
    const server = await start((response) => {
      let sent = 0;
      const more = (): void => {
        while (sent < 900 && response.writable) {
          sent += 1;
          if (!response.write(piece)) return void response.once('drain', more);
        }
      };
      response.on('close', hasClosed);
      more();
    });
    const error = await rejection(makeClient(server.url).client.version());
    assert.ok(error instanceof StreamError && /more than 64 MB/.test(error.userMessage), String(error));
    await closed;
  });

  it('has the system find out when the other side is gone while a model says nothing for long', async () => {
    const server = await start(version);
    const socket = net.Socket.prototype;
    const original = Object.getOwnPropertyDescriptor(socket, 'setKeepAlive') ?? {};
    const asked: unknown[] = [];
    socket.setKeepAlive = function (...parameters) {
      asked.push(parameters);
      return this;
    };
    try {
      await makeClient(server.url).client.version();
    } finally {
      Object.defineProperty(socket, 'setKeepAlive', original);
    }
    assert.deepEqual(asked, [[true, 30_000]]);
  });

  it('keeps the path of the address', async () => {
    const server = await start(version);
    await makeClient(`${server.url}/behind/a-proxy/`).client.version();
    assert.equal(server.requests[0]?.path, '/behind/a-proxy/api/version');
  });

  it('sends neither an Origin nor a token that nobody entered', async () => {
    const server = await start(version);
    await makeClient(server.url).client.version();
    const headers = server.requests[0]?.headers;
    assert.equal(headers?.origin, undefined);
    assert.equal(headers?.authorization, undefined);
    assert.equal(headers?.host, `127.0.0.1:${server.port}`);
  });

  it('sends the token of exactly the configured origin, path and slashes left out', async () => {
    const server = await start(version);
    const asked: string[] = [];
    const { client } = makeClient(`${server.url}/ollama/`, async (origin) => {
      asked.push(origin);
      return 'secret';
    });
    await client.version();
    assert.deepEqual(asked, [server.url]);
    assert.equal(server.requests[0]?.headers.authorization, 'Bearer secret');
  });

  it('asks for the token of the new origin when the address changes', async () => {
    const first = await start(version);
    const second = await start(version);
    let address = first.url;
    const { client } = makeClient(
      () => address,
      async (origin) => (origin === first.url ? 'first' : undefined),
    );
    await client.version();
    address = second.url;
    await client.version();
    assert.equal(first.requests[0]?.headers.authorization, 'Bearer first');
    assert.equal(second.requests[0]?.headers.authorization, undefined);
  });

  it('goes on without a token when the token storage fails', async () => {
    const server = await start(version);
    const { client } = makeClient(server.url, () => Promise.reject(new Error('keyring locked')));
    assert.equal(await client.version(), '0.33.0');
  });

  it('refuses a token that no header can carry, without quoting it', async () => {
    const server = await start(version);
    const error = await rejection(makeClient(server.url, async () => 'sec\nret').client.version());
    assert.ok(error instanceof AuthError);
    assert.ok(!`${error.message}${error.userMessage}`.includes('ret'));
    assert.equal(server.requests.length, 0);
  });

  it('calls an address that is no URL by its name, without a retry', async () => {
    const { client, clock } = makeClient('http://');
    const error = await rejection(client.version());
    assert.ok(error instanceof OllamaError);
    assert.match(error.userMessage, /address .* not valid.*settings/);
    assert.deepEqual(clock.sleeps, []);
  });

  describe('localhost', () => {
    for (const host of ['127.0.0.1', '::1']) {
      it(`finds a server that listens on ${host} only`, async function () {
        const server = await start(version, host);
        const { client, clock } = makeClient(`http://localhost:${server.port}`);
        assert.equal(await client.version(), '0.33.0');
        assert.equal(server.requests[0]?.headers.host, `localhost:${server.port}`);
        assert.deepEqual(clock.sleeps, []);
      });
    }

    it('remembers which address worked', async () => {
      const onSix = await start(version, '::1');
      const { client } = makeClient(`http://localhost:${onSix.port}`);
      await client.version();
      const onFour = await start(version, '127.0.0.1', onSix.port);
      await client.version();
      assert.equal(onSix.requests.length, 2);
      assert.equal(onFour.requests.length, 0);
    });

    it('finds a server that moved to the other address', async () => {
      const first = await start(version, '::1');
      const { client } = makeClient(`http://localhost:${first.port}`);
      await client.version();
      await first.close();
      const second = await start(version, '127.0.0.1', first.port);
      await client.version();
      assert.equal(second.requests.length, 1);
    });

    it('dials a bind-only address as localhost', async () => {
      const server = await start(version);
      await makeClient(`http://0.0.0.0:${server.port}`).client.version();
      assert.equal(server.requests[0]?.headers.host, `localhost:${server.port}`);
    });

    it('names the configured address when nothing listens on either', async () => {
      const port = await unusedPort();
      const error = await rejection(makeClient(`http://localhost:${port}/`).client.version());
      assert.ok(error instanceof ConnectionError);
      assert.equal(
        error.userMessage,
        `Ollama does not respond at http://localhost:${port}. Start Ollama, or change the server address.`,
      );
    });
  });

  describe('redirects', () => {
    const redirectTo =
      (location: string, status = 302): Handler =>
      (response) =>
        void response.writeHead(status, { location }).end();

    it('follows a GET within the same origin, with the token', async () => {
      const server = await start((response, request) =>
        request.path === '/moved' ? version(response, request) : redirectTo('/moved')(response, request),
      );
      assert.equal(await makeClient(server.url, async () => 'secret').client.version(), '0.33.0');
      assert.deepEqual(
        server.requests.map((request) => [request.path, request.headers.authorization]),
        [
          ['/api/version', 'Bearer secret'],
          ['/moved', 'Bearer secret'],
        ],
      );
    });

    it('refuses to leave the origin, and the other server hears nothing', async () => {
      const other = await start(version);
      const server = await start(redirectTo(`${other.url}/api/version`));
      const { client, clock } = makeClient(server.url, async () => 'secret');
      const error = await rejection(client.version());
      assert.ok(error instanceof OllamaError);
      assert.equal(error.statusCode, 302);
      assert.ok(error.userMessage.includes(other.url) && error.userMessage.includes('settings'));
      assert.deepEqual([server.requests.length, other.requests.length, clock.sleeps.length], [1, 0, 0]);
    });

    for (const status of [301, 302, 303, 307, 308]) {
      it(`refuses to repeat a POST elsewhere after a ${status}, also within the origin`, async () => {
        const server = await start(redirectTo('/api/show/', status));
        const error = await rejection(makeClient(server.url).client.showModel('m'));
        assert.ok(error instanceof OllamaError);
        assert.equal(error.statusCode, status);
        assert.equal(server.requests.length, 1);
      });
    }

    it('gives up on a circle', async () => {
      const server = await start(redirectTo('/api/version'));
      const error = await rejection(makeClient(server.url).client.version());
      assert.ok(error instanceof OllamaError);
      assert.equal(server.requests.length, 6);
    });
  });

  describe('servers that are not Ollama', () => {
    const expectNotOllama = (error: unknown, url: string) => {
      assert.ok(error instanceof OllamaError);
      assert.equal(error.code, 'address');
      assert.equal(error.userMessage, `The server at ${url} is not an Ollama server. Check the server address.`);
    };
    const html: Handler = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hi</html>');

    it('are told by HTML with status 200, for whole answers and for streams', async () => {
      const server = await start(html);
      const { client } = makeClient(server.url);
      expectNotOllama(await rejection(client.version()), server.url);
      expectNotOllama(await rejection(client.pull('m')), server.url);
      expectNotOllama(await rejection(client.deleteModel('m')), server.url);
    });

    it('are told by JSON of another kind', async () => {
      for (const body of ['{"hello":1}', '[]', '{"version":', '7']) {
        const server = await start((response) => sendJson(response, 200, body));
        expectNotOllama(await rejection(makeClient(server.url).client.version()), server.url);
      }
    });

    it('are told by an unknown path', async () => {
      const server = await start(
        (response) => void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found'),
      );
      expectNotOllama(await rejection(makeClient(server.url).client.listModels()), server.url);
    });

    it('are told when they do not speak HTTP', async () => {
      const server = net.createServer((socket) => void socket.on('data', () => socket.end('220 mail.example ESMTP\r\n')));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const url = `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
      try {
        expectNotOllama(await rejection(makeClient(url).client.version()), url);
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    });

    it('are told when they do not speak https', async () => {
      const server = await start(version);
      const error = await rejection(makeClient(server.url.replace('http:', 'https:')).client.version());
      assert.ok(error instanceof ConnectionError);
      assert.match(error.userMessage, /does not support HTTPS\. Use http:\/\//);
    });
  });

  it('cancels while the connection is not answered, and the server sees it close', async () => {
    const arrived = new Gate();
    const server = await start(() => arrived.open());
    const abort = new AbortController();
    const work = rejection(makeClient(server.url).client.version({ signal: abort.signal }));
    await arrived.opened;
    abort.abort();
    assert.ok((await work) instanceof CancelledError);
    assert.equal(await server.requests[0]?.ended, false);
  });

  it('sends nothing when the signal had fired before', async () => {
    const server = await start(version);
    const error = await rejection(makeClient(server.url).client.version({ signal: AbortSignal.abort() }));
    assert.ok(error instanceof CancelledError);
    assert.equal(server.requests.length, 0);
  });
});
