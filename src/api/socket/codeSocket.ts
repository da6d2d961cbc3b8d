import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { WebSocketServer } from '../../services/network/webSocketServer';
import { z } from 'zod';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { toApiError } from '../apiError';
import type { ApiServices } from '../apiPorts';
import type { Caller, ClientRights } from '../clientRights';
import type { Dialogs } from '../http/dialogs';
import { checkRequest, codeRequests } from './codeRequests';
import { parsedJson } from '../../utils/json';

const maxMessageBytes = 4 * 1024 * 1024;
const mostSockets = 64;
/** Maximum number of concurrent requests per socket. Further requests are not read until one is done. */
const mostAtOnce = 16;
const idleMs = 30_000;

const messageSchema = z.object({
  id: z.union([z.string().max(200), z.number()]),
  type: z.string().max(200),
  params: z.unknown().optional(),
});

/**
 * Handles requests over WebSockets. A request `{id, type, params}` gets the response `{id,
 * result}` or `{id, error: {code, message}}`.
 */
export class CodeSocket implements Disposable {
  private readonly server = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false });
  private readonly handlers: ReturnType<typeof codeRequests>;
  private readonly alive = new WeakSet<WebSocket>();
  private readonly beat: NodeJS.Timeout;

  constructor(
    services: ApiServices,
    dialogs: Dialogs,
    private readonly rights: Pick<ClientRights, 'need'>,
    private readonly logger: Logger,
  ) {
    this.handlers = codeRequests(services, dialogs);
    this.beat = setInterval(() => this.dropIdle(), idleMs);
    this.beat.unref();
  }

  /** Accepts an authenticated connection. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void {
    if (this.server.clients.size >= mostSockets) {
      socket.end('HTTP/1.1 429 TOO_MANY\r\nConnection: close\r\n\r\n');
      return;
    }
    this.server.handleUpgrade(request, socket, head, (connection) => this.serve(connection, caller));
  }

  dispose(): void {
    clearInterval(this.beat);
    for (const connection of this.server.clients) connection.terminate();
    this.server.close();
  }

  private serve(connection: WebSocket, caller: Caller): void {
    let atWork = 0;
    this.alive.add(connection);
    connection.on('pong', () => this.alive.add(connection));
    connection.on('error', (error) => this.logger.debug('A WebSocket failed', error));
    connection.on('message', (data: Buffer, isBinary) => {
      this.alive.add(connection);
      atWork += 1;
      if (atWork >= mostAtOnce) connection.pause();
      void this.answer(isBinary ? '' : data.toString('utf8'), caller)
        .then((answer) => connection.readyState === connection.OPEN && connection.send(JSON.stringify(answer)))
        .finally(() => {
          atWork -= 1;
          if (connection.isPaused) connection.resume();
        });
    });
  }

  private async answer(text: string, caller: Caller): Promise<unknown> {
    let id: unknown = null;
    try {
      const message = messageSchema.parse(parsedJson(text));
      ({ id } = message);
      const { name, scope, params } = checkRequest(message.type, message.params);
      await this.rights.need(caller, scope);
      return { id, result: (await this.handlers[name](params as never, caller.name)) ?? null };
    } catch (error) {
      const failure = toApiError(error);
      if (failure.status >= 500) this.logger.error('A request over a WebSocket failed', failure.cause ?? failure);
      return { id, error: failure.toJSON() };
    }
  }

  /** Closes connections that did not respond to the last ping. */
  private dropIdle(): void {
    for (const connection of this.server.clients) {
      if (!this.alive.delete(connection)) connection.terminate();
      else connection.ping();
    }
  }
}
