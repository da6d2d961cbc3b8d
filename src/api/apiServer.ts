import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Readable, type Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { network } from '../services/network/network';
import type { Disposable } from '../utils/disposable';
import { ApiError, toApiError } from './apiError';
import type { ApiHost, ApiScope, ApiServices } from './apiPorts';
import { clientFileName, newToken, tokenFileName, writeAccessFile } from './apiToken';
import { ClientPresence } from './clientPresence';
import { readCaller, ClientRights, type Caller } from './clientRights';
import { EventStreams } from './events/eventStreams';
import { Gate } from './gate';
import { readJson } from './http/body';
import { Dialogs } from './http/dialogs';
import { exportHeaders } from './http/exportHeaders';
import { openApiDocument } from './http/openApi';
import { exportQuery, noQuery } from './http/schemas';
import { findRoute, type RouteCall } from './http/routes';
import { CodeSocket } from './socket/codeSocket';

export interface ApiServerOptions {
  /** Port number. 0 selects a free port. */
  port: number;
  /** Folder for the token file. */
  folder: string;
  version: string;
  /**
   * Scopes that clients have from the start, by client name. The key of each client is in
   * a separate file next to the token file.
   */
  allowed?: ReadonlyMap<string, ApiScope>;
}

const plain = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** Maximum number of connections. The operating system rejects others. */
const mostConnections = 512;

/** Serves the API on the loopback addresses until disposed. */
export class ApiServer implements Disposable {
  /** Private, so that dumps of the object, such as crash reports, do not contain it. */
  readonly #token = newToken();
  private readonly servers: Server[] = [];
  private readonly gate: Gate;
  private readonly rights: ClientRights;
  /** Connected clients that can answer approval requests. */
  readonly presence: ClientPresence;
  private readonly dialogs: Dialogs;
  private readonly streams: EventStreams;
  private readonly socket: CodeSocket;
  private readonly removeFiles: (() => Promise<void>)[] = [];
  private usedPort = 0;

  private constructor(
    services: ApiServices,
    private readonly host: ApiHost,
    private readonly options: ApiServerOptions,
  ) {
    this.gate = new Gate(
      this.#token,
      () => this.usedPort,
      () => host.clock.now(),
    );
    this.rights = new ClientRights(host);
    this.presence = new ClientPresence(this.rights, host.clock, host.logger);
    this.dialogs = new Dialogs(services, host);
    this.streams = new EventStreams(services, this.dialogs, host.logger);
    this.socket = new CodeSocket(services, this.dialogs, this.rights, host.logger);
  }

  /** Resolves when the server accepts requests. Rejects if the port is in use. */
  static async start(services: ApiServices, host: ApiHost, options: ApiServerOptions): Promise<ApiServer> {
    const server = new ApiServer(services, host, options);
    try {
      await server.listen('127.0.0.1', options.port);
      // Not every computer supports IPv6.
      await server.listen('::1', server.usedPort).catch((error: unknown) => host.logger.debug('No API on ::1', error));
      await server.writeFiles();
    } catch (error) {
      await server.dispose();
      throw error;
    }
    host.logger.info(`The local API listens at ${server.url}`);
    return server;
  }

  get token(): string {
    return this.#token;
  }

  get url(): string {
    return `http://127.0.0.1:${this.usedPort}`;
  }

  async dispose(): Promise<void> {
    for (const remove of this.removeFiles)
      await remove().catch((error: unknown) => this.host.logger.warn('The file with the token is still there', error));
    this.rights.clear();
    this.presence.dispose();
    this.streams.dispose();
    this.socket.dispose();
    for (const server of this.servers) server.closeAllConnections();
    await Promise.all(this.servers.map((server) => new Promise((resolve) => void server.close(resolve))));
  }

  /**
   * Writes a key file for each client that is allowed at the start, and then the token file. The
   * token file shows that the server is ready.
   */
  private async writeFiles(): Promise<void> {
    const { folder, allowed = [] } = this.options;
    const { url, token } = this;
    for (const [client, scope] of allowed) {
      const key = newToken();
      this.removeFiles.push(await writeAccessFile(path.join(folder, clientFileName(client)), { url, token, client, key }));
      this.rights.allow({ name: client, key }, scope);
    }
    this.removeFiles.push(await writeAccessFile(path.join(folder, tokenFileName), { url, token }));
  }

  private async listen(address: string, port: number): Promise<void> {
    const limits = {
      headersTimeout: 5_000,
      requestTimeout: 15_000,
      keepAliveTimeout: 60_000,
      connectionsCheckingInterval: 1_000,
    };
    const options = { ...limits, maxHeaderSize: 16_384, highWaterMark: 262_144 };
    const server = network.createServer({ purpose: 'api', detail: '' }, options, (request, response) => {
      this.answer(request, response).catch((error: unknown) => this.fail(request, response, error));
    });
    server.maxConnections = mostConnections;
    server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    server.on('clientError', (_error, socket) => void socket.destroy());
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port, exclusive: true }, () => {
        server.off('error', reject);
        server.on('error', (error) => this.host.logger.warn('The local API has a problem', error));
        resolve();
      });
    });
    this.servers.push(server);
    this.usedPort = (server.address() as AddressInfo).port;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.gate.check(request);
    const caller = readCaller(request.headers);
    this.watch(caller, response);
    const { pathname, searchParams } = readUrl(request, this.#token);
    const method = request.method ?? 'GET';
    if (method === 'GET' && pathname === '/openapi.json') {
      send(response, 200, openApiDocument(this.options.version));
      return;
    }
    const events = /^\/api\/dialogs\/([^/]+)\/events$/.exec(pathname);
    if (method === 'GET' && events !== null) {
      await this.dialogs.need(decodeURIComponent(events[1] ?? ''));
      return this.streams.open(decodeURIComponent(events[1] ?? ''), request, response);
    }
    const exported = /^\/api\/dialogs\/([^/]+)\/export$/.exec(pathname);
    if (method === 'GET' && exported !== null) {
      const id = decodeURIComponent(exported[1] ?? '');
      const { title } = await this.dialogs.need(id);
      const { format } = exportQuery.parse(Object.fromEntries(searchParams));
      const pieces = await this.host.exportSession(id, format);
      response.writeHead(200, { ...exportHeaders(format, title), ...plain });
      await pipeline(Readable.from(pieces), response);
      return;
    }
    const found = findRoute(method, pathname);
    if (!('route' in found)) {
      const code = found.methods.length > 0 ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND';
      throw new ApiError(code, `No route for ${method} ${pathname}`);
    }
    const { route, dialog, item } = found;
    const body = route.body?.parse(await readJson(request));
    const query = (route.query ?? noQuery).parse(Object.fromEntries(searchParams));
    const scope = route.scopeOf?.(body) ?? route.scope;
    await this.rights.need(caller, scope);
    if (caller.isNew && scope !== 'read') response.setHeader('X-Client-Key', caller.key);
    const call = { client: caller.name, dialog, item, body, query } as RouteCall<never, never>;
    send(response, 200, route.result.parse(await route.handle(this.dialogs, call)));
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    try {
      this.gate.check(request);
      if (readUrl(request, this.#token).pathname !== '/ws') throw new ApiError('NOT_FOUND', 'The WebSocket is at /ws');
      const caller = readCaller(request.headers);
      this.watch(caller, socket);
      this.socket.accept(request, socket, head, caller);
    } catch (error) {
      const { status, code } = toApiError(error);
      socket.end(`HTTP/1.1 ${status} ${code}\r\nConnection: close\r\n\r\n`);
    }
  }

  /** Counts a client as present while a connection is open. */
  private watch(caller: Caller, connection: { once(event: 'close', listener: () => void): unknown }): void {
    connection.once('close', this.presence.enter(caller));
  }

  private fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const failure = toApiError(error);
    // Log only the path, because the rest of a request is private.
    const [path = ''] = (request.url ?? '').replaceAll(this.#token, '…').split('?');
    const line = `${request.method ?? ''} ${path} failed: ${failure.code}`;
    if (failure.status >= 500) this.host.logger.error(line, failure.cause ?? failure);
    else this.host.logger.debug(line);
    if (response.headersSent) response.destroy();
    else {
      // Do not read the rest of the body. Otherwise, a client without the token could keep a connection open.
      if (!request.complete || failure.code === 'UNAUTHORIZED' || failure.code === 'FORBIDDEN')
        response.setHeader('Connection', 'close');
      send(response, failure.status, { error: failure.toJSON() });
    }
  }
}

function readUrl(request: IncomingMessage, token: string): URL {
  const raw = request.url ?? '/';
  const url = URL.canParse(raw, 'http://localhost') && raw.startsWith('/') ? new URL(raw, 'http://localhost') : null;
  try {
    if (url !== null) decodeURIComponent(url.pathname);
  } catch (error) {
    throw new ApiError('INVALID', 'The path is not valid', { cause: error });
  }
  if (url === null) throw new ApiError('INVALID', 'The path is not valid');
  if (raw.includes(token) || [...url.searchParams.keys()].some((name) => /token|key|auth/i.test(name))) {
    throw new ApiError('UNAUTHORIZED', 'Send the token in the Authorization header, not in the URL');
  }
  return url;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...plain,
  });
  response.end(text);
}
