import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Entry } from '../../protocol/entries';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { ApiError } from '../apiError';
import type { ApiServices } from '../apiPorts';
import { parsePosition, type EventPosition } from './eventPosition';
import { queuePlace } from './queuePlaces';
import { EventStream, type EventSink } from './eventStream';
import { SlicedWriter } from './slicedWriter';

const mostStreams = 256;
/** Interval of heartbeat lines in milliseconds. They detect lost connections. */
const heartbeatMs = 15_000;

export class EventStreams implements Disposable {
  private readonly current = new Map<ServerResponse, EventStream>();
  private readonly writer = new SlicedWriter();
  private readonly heartbeat: NodeJS.Timeout;

  constructor(
    private readonly services: Pick<ApiServices, 'database' | 'controller'>,
    private readonly dialogs: {
      absolute(shown: string): string;
      findWorkSessions(id: string, entries: readonly Entry[]): Promise<ReadonlyMap<number, string | null>>;
    },
    private readonly logger: Logger,
  ) {
    this.heartbeat = setInterval(() => {
      for (const response of this.current.keys()) if (!response.writableNeedDrain) response.write(':\n\n');
    }, heartbeatMs);
    this.heartbeat.unref();
  }

  /** Responds with an event stream. It starts at the client's position. Without a position, it contains only new events. */
  async open(sessionId: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.current.size >= mostStreams) throw new ApiError('TOO_MANY', 'Too many streams are open');
    const named = request.headers['last-event-id'];
    const position = typeof named === 'string' && named !== '' ? parsePosition(named) : await this.now(sessionId);
    if (position === null) throw new ApiError('INVALID', 'Last-Event-ID is not valid');
    request.socket.setTimeout(0);
    request.socket.setNoDelay(true);
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      Connection: 'keep-alive',
      'X-Content-Type-Options': 'nosniff',
    });
    response.write(':\n\n');
    const out = this.writer.createSink(response);
    const sink: EventSink = {
      write: (event, id) => out.write(`event: ${event.type}\nid: ${id}\ndata: ${JSON.stringify(event)}\n\n`),
      onDrain: (listener) => out.onDrain(listener),
      // The client reconnects at its position.
      fail: () => response.end(),
    };
    const { database, controller } = this.services;
    const source = {
      database,
      line: { onDidChange: controller.onDidChangeRunState, placeOf: (id: string) => queuePlace(this.services, id) },
      absolute: (shown: string) => this.dialogs.absolute(shown),
      findWorkSessions: (id: string, entries: readonly Entry[]) => this.dialogs.findWorkSessions(id, entries),
    };
    const stream = new EventStream(sessionId, position, source, sink, this.logger);
    this.current.set(response, stream);
    response.on('close', () => {
      stream.dispose();
      this.current.delete(response);
    });
    await stream.start();
  }

  dispose(): void {
    clearInterval(this.heartbeat);
    for (const [response, stream] of this.current) {
      stream.dispose();
      response.end();
    }
    this.current.clear();
  }

  private async now(sessionId: string): Promise<EventPosition> {
    const { sessions, queries } = this.services.database;
    const revision = (await sessions.get(sessionId))?.revision ?? 0;
    const open = (await queries.recent(sessionId, 20)).filter(({ isOpen }) => isOpen);
    return { revision, sent: new Map(open.map(({ seq, content }) => [seq, content.length])) };
  }
}
