import type { Entry, EntryInput } from '../../../protocol/entries';
import type { LogEvent } from '../../../protocol/webviewEvents';
import type { MessageRecord } from '../../../types/session';
import type { Clock } from '../../../utils/clock';
import { Emitter } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import type { Connection } from '../sqlite/connection';
import { entryOfNew } from './entryRows';
import { closeAbandonedEntries, insertEntry } from './logRows';
import type { LogPage, LogRange, LogSnapshot } from './logReader';
import { OpenEntryWriter, type OpenEntry, type OpenEntryType } from './openEntry';

/** Reads a session's log consistently. */
export interface SnapshotSource {
  read(sessionId: string, range: LogRange): Promise<LogPage>;
}

/**
 * Append-only log of all sessions. When `append` or `close` resolves, the data is on disk. Entries
 * get their `seq` in call order. `onDidChange` fires after each change is stored, in revision order.
 */
export class SessionLog {
  private readonly changes: Emitter<LogEvent>;
  private readonly writers = new Map<string, OpenEntryWriter>();

  constructor(
    private readonly connection: Connection,
    private readonly snapshots: SnapshotSource,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.changes = new Emitter((error) => logger.error('A listener of the log failed', error));
  }

  /** Fires for changes by this object and for `noteAdded`. Does not fire for changes by other windows. Read the log to get these. */
  get onDidChange() {
    return this.changes.event;
  }

  /** Appends an entry. If it throws `StorageError`, nothing is stored. */
  append(sessionId: string, input: EntryInput): Promise<Entry> {
    return this.insert(sessionId, input, false);
  }

  /** Appends entries in one transaction. If it throws `StorageError`, nothing is stored. */
  appendAll(sessionId: string, inputs: readonly EntryInput[]): Promise<Entry[]> {
    const appended = this.connection.write(
      () => this.appendWithin(sessionId, inputs),
      ({ announce }) => announce(),
    );
    return appended.then(({ entries }) => entries);
  }

  /** Appends inside the caller's write transaction. Call `announce` after the commit. */
  appendWithin(sessionId: string, inputs: readonly EntryInput[]): { entries: Entry[]; announce: () => void } {
    const entries = inputs.map((input) => insertEntry(this.connection, sessionId, input, false, this.clock.now()));
    return { entries, announce: () => this.announce(entries) };
  }

  /** Appends an entry whose text grows until it is closed. Throws `StorageError`. */
  async open(sessionId: string, input: Extract<EntryInput, { type: OpenEntryType }>): Promise<OpenEntry> {
    let writer: OpenEntryWriter | undefined;
    await this.insert(sessionId, input, true, (entry) => {
      writer = new OpenEntryWriter(entry, {
        connection: this.connection,
        clock: this.clock,
        logger: this.logger,
        fire: (event) => this.changes.fire(event),
        onClosed: () => void this.writers.delete(entry.id),
      });
      this.writers.set(entry.id, writer);
    });
    return writer as OpenEntryWriter;
  }

  /**
   * Reads the entries whose revision is greater than `sinceRevision`, in `seq` order, and the
   * session's revision, in one consistent snapshot. First stores text that this window is
   * streaming. If storing fails, the result still includes the text. Throws `StorageError`.
   */
  async read(sessionId: string, sinceRevision: number): Promise<LogSnapshot> {
    const { entries, revision } = await this.readRange(sessionId, { sinceRevision });
    return { entries, revision };
  }

  /**
   * Reads the last complete turns, or those before the entry `before` if it is not null. Returns about `limit` entries, or more
   * if one turn is longer. A turn starts at a user input in the conversation, or at the first entry. Throws `StorageError`.
   */
  readPage(sessionId: string, before: number | null, limit: number): Promise<LogPage> {
    return this.readRange(sessionId, { before, limit });
  }

  private async readRange(sessionId: string, range: LogRange): Promise<LogPage> {
    const streaming = [...this.writers.values()].filter(({ entry }) => entry.sessionId === sessionId);
    const flushes = await Promise.allSettled(streaming.map((writer) => writer.flush()));
    for (const flush of flushes)
      if (flush.status === 'rejected') this.logger.error('Read beside text that is not stored', flush.reason);
    const page = await this.snapshots.read(sessionId, range);
    return { ...page, entries: page.entries.map((entry) => this.withAnnounced(entry)) };
  }

  /** Closes entries that a window left open when it ended. Call it inside a write transaction, and its result after the commit. */
  closeAbandoned(sessionId: string): () => void {
    const isOurs = (id: string) => this.writers.has(id);
    const entries = closeAbandonedEntries(this.connection, sessionId, isOurs, this.clock.now());
    return () => this.announce(entries);
  }

  /** Stores pending text and stops. Throws the first `StorageError`. */
  async dispose(): Promise<void> {
    const writers = [...this.writers.values()];
    const flushes = await Promise.allSettled(writers.map((writer) => writer.flush()));
    for (const writer of writers) writer.end();
    this.changes.dispose();
    for (const flush of flushes) if (flush.status === 'rejected') throw flush.reason;
  }

  private insert(sessionId: string, input: EntryInput, isOpen: boolean, onInserted?: (entry: Entry) => void): Promise<Entry> {
    return this.connection.write(
      () => insertEntry(this.connection, sessionId, input, isOpen, this.clock.now()),
      (entry) => {
        onInserted?.(entry);
        this.announce([entry]);
      },
    );
  }

  /** Announces entries that a worker has added. */
  noteAdded(records: readonly MessageRecord[]): void {
    this.announce(records.map(entryOfNew));
  }

  private announce(entries: readonly Entry[]): void {
    for (const entry of entries)
      this.changes.fire({ kind: 'entry', sessionId: entry.sessionId, revision: entry.revision, entry });
  }

  /** Adds text that was announced but is not stored yet. */
  private withAnnounced(entry: Entry): Entry {
    const announced = entry.isOpen ? this.writers.get(entry.id)?.entry.content : undefined;
    return announced !== undefined && announced.length > entry.content.length ? { ...entry, content: announced } : entry;
  }
}
