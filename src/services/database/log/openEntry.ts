import type { Entry, EntryData } from '../../../protocol/entries';
import type { LogEvent } from '../../../protocol/webviewEvents';
import type { Clock } from '../../../utils/clock';
import type { Logger } from '../../../utils/logger';
import type { Connection } from '../sqlite/connection';
import { storableText } from './entryFields';
import { closeEntry, readContent, appendText, openRow } from './logRows';
import { StorageError } from '../sqlite/storageError';

export type OpenEntryType = 'thinking' | 'assistant_output';

export interface OpenEntry {
  /** Entry with the text announced so far. */
  readonly entry: Entry;
  /** Announces `text` within 30 ms and stores it within a second. Throws `StorageError` `closed` after `close`. */
  write(text: string): void;
  /**
   * Stores the remaining text, `data` and the end of the entry in one transaction, then announces the entry.
   * If storing fails, throws `StorageError`. The text then stays in memory, so that `close` can be retried.
   */
  close(data: EntryData<OpenEntryType>): Promise<Entry>;
}

export interface OpenEntryContext {
  connection: Connection;
  clock: Clock;
  logger: Logger;
  fire(event: LogEvent): void;
  onClosed(): void;
}

const announceEveryMs = 30;
const storeEveryMs = 500;

/** Entry that text is added to. Announces text immediately and stores it soon after. Keeps text in memory until it is stored. */
export class OpenEntryWriter implements OpenEntry {
  private text: string;
  /** First half of an incomplete surrogate pair. */
  private pendingHalf = '';
  private announced: number;
  private stored: number;
  private revision: number;
  private isClosed = false;
  private isFailing = false;
  /** Error because of which this window can no longer store text. */
  private lost: StorageError | null = null;
  private readonly stop = new AbortController();
  private isAnnouncing = false;
  private isStoring = false;

  constructor(
    private readonly opened: Entry,
    private readonly context: OpenEntryContext,
  ) {
    this.text = opened.content;
    this.announced = this.stored = this.text.length;
    this.revision = opened.revision;
  }

  get entry(): Entry {
    return { ...this.opened, revision: this.revision, content: this.text.slice(0, this.announced) };
  }

  write(text: string): void {
    if (this.isClosed) throw new StorageError('closed', 'Written to a closed entry');
    const joined = this.pendingHalf + text;
    const isSplit = /[\ud800-\udbff]$/.test(joined);
    this.pendingHalf = isSplit ? joined.slice(-1) : '';
    const whole = isSplit ? joined.slice(0, -1) : joined;
    if (whole === '') return;
    this.text += storableText(whole);
    if (!this.isAnnouncing) void this.announceUntilQuiet();
    if (!this.isStoring) void this.storeUntilDone();
  }

  /** Stores pending text. If it throws `StorageError`, the text stays in memory. */
  async flush(): Promise<void> {
    if (this.isClosed || this.stored === this.text.length) return;
    const { connection, clock } = this.context;
    await connection.write(
      () => {
        this.assertOurs();
        const pending = this.text.slice(this.stored);
        return pending === ''
          ? null
          : { length: pending.length, revision: appendText(connection, this.opened, pending, clock.now()) };
      },
      (growth) => {
        if (growth === null) return;
        this.announce();
        this.stored += growth.length;
        this.revision = growth.revision;
        const { sessionId, seq } = this.opened;
        this.context.fire({ kind: 'delta', sessionId, seq, offset: this.stored, text: '', revision: growth.revision });
      },
    );
  }

  async close(data: EntryData<OpenEntryType>): Promise<Entry> {
    if (this.isClosed) throw new StorageError('closed', 'The entry is closed already');
    const { connection, clock, logger } = this.context;
    this.text += storableText(this.pendingHalf);
    this.pendingHalf = '';
    try {
      return await connection.write(
        () => {
          this.assertOurs();
          const rest = { text: this.text.slice(this.stored), data: JSON.stringify(data) };
          return closeEntry(connection, this.opened, rest, clock.now());
        },
        (entry) => {
          this.end();
          this.revision = entry.revision;
          this.announced = this.stored = this.text.length;
          this.context.fire({ kind: 'entry', sessionId: entry.sessionId, revision: entry.revision, entry });
        },
      );
    } catch (error) {
      logger.error('An entry could not be closed', error);
      this.noteLost(error);
      throw error;
    }
  }

  /** Stops the timers. Pending text is not stored. */
  end(): void {
    this.isClosed = true;
    this.stop.abort();
    this.context.onClosed();
  }

  /**
   * Verifies that this window may write the row. Runs inside the write transaction. The revision is unexpected if
   * an earlier commit succeeded but was reported as failed. In this case, the content of the row counts as stored.
   */
  private assertOurs(): void {
    const { connection } = this.context;
    const row = openRow(connection, this.opened.id);
    if (row === undefined) throw new StorageError('notFound', `Entry ${this.opened.seq} is gone`);
    if (row.is_open === 0) throw new StorageError('takenOver', `Entry ${this.opened.seq} was closed elsewhere`);
    if (row.revision === this.revision) return;
    const content = readContent(connection, this.opened.id);
    if (!this.text.startsWith(content)) throw new StorageError('takenOver', `Entry ${this.opened.seq} was changed elsewhere`);
    this.stored = content.length;
    this.revision = row.revision;
  }

  private announce(): void {
    if (this.announced === this.text.length) return;
    const offset = this.announced;
    this.announced = this.text.length;
    const { sessionId, seq } = this.opened;
    this.context.fire({ kind: 'delta', sessionId, seq, offset, text: this.text.slice(offset) });
  }

  /** Announces the first text immediately, and new text every 30 ms. */
  private async announceUntilQuiet(): Promise<void> {
    this.isAnnouncing = true;
    while (!this.isClosed && this.announced < this.text.length) {
      this.announce();
      await this.pause(announceEveryMs);
    }
    this.isAnnouncing = false;
  }

  private async storeUntilDone(): Promise<void> {
    this.isStoring = true;
    while (!this.isClosed && this.lost === null && this.stored < this.text.length) {
      await this.pause(storeEveryMs);
      await this.tryFlush();
    }
    this.isStoring = false;
  }

  private async tryFlush(): Promise<void> {
    const { logger } = this.context;
    try {
      await this.flush();
      if (this.isFailing) logger.info('Streamed text is stored again');
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) logger.error('Streamed text could not be stored; it is kept and tried again', error);
      this.isFailing = true;
      this.noteLost(error);
    }
  }

  private noteLost(error: unknown): void {
    if (error instanceof StorageError && ['notFound', 'takenOver', 'corrupt', 'replaced', 'closed'].includes(error.code))
      this.lost = error;
  }

  private async pause(ms: number): Promise<void> {
    await this.context.clock.sleep(ms, this.stop.signal).catch(() => undefined);
  }
}
