import type { Entry } from '../../protocol/entries';
import type { LogEvent } from '../../protocol/webviewEvents';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import type { ApiServices } from '../apiPorts';
import { eventOf, isStreamed, type ApiEvent } from './apiEvents';
import { positionText, type EventPosition } from './eventPosition';

/** Event of one dialog. */
export type DialogEvent = Partial<ApiEvent> & { type: string; dialog_id: string };

/** Takes the events of a stream, each with the id to go on from; false asks to wait for `onDrain`. */
export interface EventSink {
  write(event: DialogEvent, id: string): boolean;
  onDrain(listener: () => void): void;
  /** Told once, when the dialog could not be read: nothing more comes. */
  fail(): void;
}

/** Log and queue that a stream reads. */
export interface EventSource {
  database: Pick<ApiServices['database'], 'log' | 'queued'>;
  /** Returns the work sessions of the messages among these entries, by their `seq`. */
  workSessionsOf(sessionId: string, entries: readonly Entry[]): Promise<ReadonlyMap<number, string | null>>;
}

/** So many events wait while the log is read; more are read from it again. */
const mostWaiting = 2_000;

/**
 * Tells one client of a dialog, from its position on: each change once, in order, without a gap. What a client is too slow for is not kept
 * here: the log has it, and is read again from its position when there is room.
 */
export class EventStream implements Disposable {
  private waiting: LogEvent[] = [];
  private isReading = false;
  private isFull = false;
  private isBehind = true;
  private isEnded = false;
  /** Types of the entries that are being written, by `seq`. */
  private readonly types = new Map<number, string>();
  private readonly subscriptions: Disposable[];

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
    sink.onDrain(() => {
      this.isFull = false;
      void this.catchUp();
    });
  }

  /** Sends what has changed since the position, and what changes from now on. */
  start(): Promise<void> {
    return this.catchUp();
  }

  dispose(): void {
    this.isEnded = true;
    for (const subscription of this.subscriptions) void subscription.dispose();
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
        const sessions = await this.source.workSessionsOf(this.sessionId, entries);
        for (const entry of [...entries].sort((one, other) => one.revision - other.revision)) {
          // The rest is read again when there is room.
          if (this.isFull) this.fallBehind();
          // What is still growing does not move the position: what it grows by later is read from where it is now.
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
  }

  private tell(event: LogEvent): void {
    if (event.kind === 'entry') {
      if (event.revision <= this.position.revision) return;
      // The work session of its checkpoint has to be looked up.
      if (event.entry.type === 'user_input') {
        this.fallBehind();
        void this.catchUp();
      } else this.tellEntry(event.entry, null);
      return;
    }
    const before = this.position.sent.get(event.seq);
    // Of an entry that this client does not stand in: told when it is closed.
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
    const event = eventOf(entry, workSession);
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
