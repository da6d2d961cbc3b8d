import type { Entry } from '../../protocol/entries';
import type { LogEvent } from '../../protocol/webviewEvents';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { SessionController } from '../../agent/loop/sessionController';
import type { ApiServices } from '../apiPorts';
import { toApiEvent, isStreamed, type ApiEvent } from './apiEvents';
import { positionText, type EventPosition } from './eventPosition';
import type { QueuePlace } from './queuePlaces';

export type DialogEvent = Partial<ApiEvent> & { type: string; dialog_id: string };

/** Receives the events of a stream, each with the ID to continue from. `write` returns false to pause until `onDrain`. */
export interface EventSink {
  write(event: DialogEvent, id: string): boolean;
  onDrain(listener: () => void): void;
  /** Called once if the dialog cannot be read. No events follow. */
  fail(): void;
}

export interface EventSource {
  database: Pick<ApiServices['database'], 'log' | 'queued'>;
  /** Source of the run's queue position. If it is missing, the stream does not contain the position. */
  line?: { onDidChange: SessionController['onDidChangeRunState']; placeOf(sessionId: string): Promise<QueuePlace> };
  /** Returns the absolute path of a file that the conversation mentions. */
  absolute(shown: string): string;
  /** Returns the work sessions of the messages among the entries, by `seq`. */
  findWorkSessions(sessionId: string, entries: readonly Entry[]): Promise<ReadonlyMap<number, string | null>>;
}

/** Maximum number of events that wait while the log is read. If there are more, they are read from the log again. */
const mostWaiting = 2_000;

/**
 * Sends the changes of a dialog to one client, starting at a position. Sends each change once, in order and without gaps.
 * For a slow client, events are not buffered but read from the log again.
 */
export class EventStream implements Disposable {
  private waiting: LogEvent[] = [];
  private isReading = false;
  private isFull = false;
  private isBehind = true;
  private isEnded = false;
  /** Last queue position that was sent. It is 1-based, and 0 for a run that does not wait. */
  private place = 0;
  /** Types of open entries, by `seq`. */
  private readonly types = new Map<number, string>();
  private readonly subscriptions: Disposable[];
  private resting: (() => void)[] = [];

  constructor(
    private readonly sessionId: string,
    private readonly position: EventPosition,
    private readonly source: EventSource,
    private readonly sink: EventSink,
    private readonly logger: Logger,
  ) {
    const { log, queued } = source.database;
    this.subscriptions = [
      log.onDidChange((event) => event.sessionId === sessionId && this.take(event)),
      queued.onDidChange((change) => {
        if (change.sessionId !== sessionId) return;
        const messages = change.messages.map(({ id, text }) => ({ id, content: text }));
        this.write({ type: 'queue', messages });
      }),
    ];
    const moved = source.line?.onDidChange(({ sessionId: moving, activity }) => {
      const place = activity?.kind === 'queued' ? activity.position : 0;
      if (moving === sessionId && place !== this.place) void this.tellPlace();
    });
    if (moved !== undefined) this.subscriptions.push(moved);
    sink.onDrain(() => {
      this.isFull = false;
      void this.catchUp();
    });
  }

  /** Sends all changes after the position, and then new ones. */
  async start(): Promise<void> {
    await this.catchUp();
    await this.tellPlace();
  }

  /** Resolves when all changes so far are sent or the stream has ended. */
  async caughtUp(): Promise<void> {
    while (!this.isEnded && (this.isReading || this.isFull || this.isBehind))
      await new Promise<void>((resolve) => this.resting.push(resolve));
  }

  dispose(): void {
    this.isEnded = true;
    this.rest();
    for (const subscription of this.subscriptions) void subscription.dispose();
  }

  private rest(): void {
    for (const resolve of this.resting.splice(0)) resolve();
  }

  /** Sends the queue position if it has changed, and the queued messages. */
  private async tellPlace(): Promise<void> {
    const { line, database } = this.source;
    try {
      const place = await line?.placeOf(this.sessionId);
      if (place === undefined || place.position === this.place || this.isEnded) return;
      this.place = place.position;
      const messages = (await database.queued.list(this.sessionId)).map(({ id, text }) => ({ id, content: text }));
      if (!this.isEnded) this.write({ type: 'queue', messages, ...place });
    } catch (error) {
      this.logger.warn('The place of a dialog in line could not be read for a client', error);
    }
  }

  private take(event: LogEvent): void {
    if (this.isEnded) return;
    if (this.isReading) {
      if (this.waiting.push(event) > mostWaiting) this.fallBehind();
    } else if (this.isFull || this.isBehind) this.fallBehind();
    else this.tell(event);
  }

  private fallBehind(): void {
    this.isBehind = true;
    this.waiting = [];
  }

  private async catchUp(): Promise<void> {
    if (this.isReading) return;
    while (this.isBehind && !this.isFull && !this.isEnded) {
      this.isReading = true;
      this.isBehind = false;
      try {
        const { entries, revision } = await this.source.database.log.read(this.sessionId, this.position.revision);
        const sessions = await this.source.findWorkSessions(this.sessionId, entries);
        for (const entry of [...entries].sort((one, other) => one.revision - other.revision)) {
          // The rest is read again after the drain.
          if (this.isFull) this.fallBehind();
          // An open entry does not advance the revision, so that the rest of its text is read later.
          else this.tellEntry(entry, sessions.get(entry.seq) ?? null);
        }
        if (!this.isBehind && !entries.some(({ isOpen }) => isOpen))
          this.position.revision = Math.max(this.position.revision, revision);
        for (const event of this.waiting.splice(0)) this.tell(event);
      } catch (error) {
        this.logger.warn('A dialog could not be read for a client', error);
        this.dispose();
        this.sink.fail();
      } finally {
        this.isReading = false;
      }
    }
    this.rest();
  }

  private tell(event: LogEvent): void {
    if (event.kind === 'entry') {
      if (event.revision <= this.position.revision) return;
      // Read the work session of the entry first.
      if (event.entry.type === 'user_input') {
        this.fallBehind();
        void this.catchUp();
      } else this.tellEntry(event.entry, null);
      return;
    }
    const before = this.position.sent.get(event.seq);
    // The client has no position in this entry, so the entry is sent when it is closed.
    if (before === undefined || event.text === '') return;
    if (event.offset > before) this.fallBehind();
    else if (event.offset + event.text.length > before) this.grow(event.seq, event.text.slice(before - event.offset));
    if (this.isBehind) void this.catchUp();
  }

  private tellEntry(entry: Entry, workSession: string | null): void {
    const { position } = this;
    const before = position.sent.get(entry.seq) ?? 0;
    if (entry.isOpen) {
      this.types.set(entry.seq, entry.type === 'thinking' ? 'reasoning' : 'chat');
      if (!position.sent.has(entry.seq)) position.sent.set(entry.seq, 0);
      if (entry.content.length > before && isStreamed(entry)) this.grow(entry.seq, entry.content.slice(before));
      return;
    }
    position.sent.delete(entry.seq);
    this.types.delete(entry.seq);
    position.revision = Math.max(position.revision, entry.revision);
    const event = toApiEvent(entry, workSession, (shown) => this.source.absolute(shown));
    if (event === null) return;
    this.write(before > 0 && isStreamed(entry) ? { ...event, content: entry.content.slice(before), offset: before } : event);
  }

  private grow(seq: number, text: string): void {
    const before = this.position.sent.get(seq) ?? 0;
    this.position.sent.set(seq, before + text.length);
    this.write({ type: this.types.get(seq) ?? 'chat', content: text, offset: before, is_partial: true, idx: seq - 1 });
  }

  private write(event: Partial<ApiEvent> & { type: string }): void {
    if (!this.sink.write({ ...event, dialog_id: this.sessionId }, positionText(this.position))) this.isFull = true;
  }
}
