import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectionRecordSchema, type ConnectionRecord } from '../../protocol/requests/connectionRequests';
import type { Clock } from '../../utils/clock';
import type { Disposable } from '../../utils/disposable';
import { isSystemError } from '../../utils/errors';
import { parsedRecord } from '../../utils/json';
import type { Logger } from '../../utils/logger';
import type { ConnectionLedger } from './connectionLedger';

const dayMs = 86_400_000;
const keptDays = 30;
/** Maximum number of records to read from disk. */
const maxRead = 20_000;
/** Milliseconds to collect records before writing them. */
const writeAfterMs = 500;

export interface ConnectionFilesOptions {
  /** Returns the configured storage folder. */
  folder: () => string;
  isKept: () => boolean;
  clock: Clock;
  logger: Logger;
}

/**
 * Stores the records of ended connections on disk for 30 days, if the
 * user has enabled this. See docs/storage-format.md for the format.
 */
export class ConnectionFiles implements Disposable {
  private waiting: ConnectionRecord[] = [];
  private writing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private wasKept: boolean;

  constructor(
    private readonly ledger: ConnectionLedger,
    private readonly options: ConnectionFilesOptions,
  ) {
    this.wasKept = options.isKept();
    ledger.onEnded = (record) => this.note(record);
    if (this.wasKept) this.next(() => this.removeOld());
  }

  /** Returns the records in memory and the stored records, newest first. */
  async list(): Promise<ConnectionRecord[]> {
    const live = this.ledger.list();
    if (!this.options.isKept()) return live;
    this.flush();
    await this.writing;
    const known = new Set(live.map(({ id }) => id));
    const kept = (await this.read()).filter(({ id }) => !known.has(id));
    return [...live, ...kept].toSorted((a, b) => b.at - a.at);
  }

  get dropped(): number {
    return this.ledger.dropped;
  }

  /** Deletes the files if the user has disabled storing records. */
  settingsChanged(): void {
    const isKept = this.options.isKept();
    if (this.wasKept && !isKept) {
      this.waiting = [];
      this.next(() => rm(this.directory, { recursive: true, force: true }));
    }
    this.wasKept = isKept;
  }

  /** Writes all records that are not on disk yet. */
  async dispose(): Promise<void> {
    this.ledger.onEnded = null;
    if (this.options.isKept()) this.waiting.push(...this.ledger.list().filter(({ state }) => state === 'open'));
    this.flush();
    await this.writing;
  }

  private get directory(): string {
    return join(this.options.folder(), 'connections');
  }

  private note(record: ConnectionRecord): void {
    if (!this.options.isKept()) return;
    this.waiting.push(record);
    this.timer ??= setTimeout(() => this.flush(), writeAfterMs).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    this.next(() => this.write(waiting));
  }

  private async write(records: readonly ConnectionRecord[]): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    await appendFile(join(this.directory, fileName(this.options.clock.now())), lines, { mode: 0o600 });
  }

  private async removeOld(): Promise<void> {
    const oldest = fileName(this.options.clock.now() - keptDays * dayMs);
    const old = (await this.files()).filter((name) => name < oldest);
    await Promise.all(old.map((name) => rm(join(this.directory, name), { force: true })));
  }

  private async read(): Promise<ConnectionRecord[]> {
    const oldest = this.options.clock.now() - keptDays * dayMs;
    const records: ConnectionRecord[] = [];
    for (const name of (await this.files()).reverse()) {
      if (records.length >= maxRead) break;
      const lines = (await readFile(join(this.directory, name), 'utf8').catch(() => '')).split('\n');
      for (const line of lines) {
        // A crash may have truncated the last line.
        const { data } = connectionRecordSchema.safeParse(parsedRecord(line));
        if (data !== undefined && data.at >= oldest) records.push(data);
      }
    }
    return records.slice(0, maxRead);
  }

  /** Returns the names of the record files, oldest first. */
  private async files(): Promise<string[]> {
    try {
      return (await readdir(this.directory)).filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name)).sort();
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return [];
      throw error;
    }
  }

  /** Runs changes to the files one at a time. */
  private next(work: () => Promise<void>): void {
    this.writing = this.writing
      .then(work)
      .catch((error: unknown) => this.options.logger.warn('The records of connections were not written', error));
  }
}

function fileName(time: number): string {
  return `${new Date(time).toISOString().slice(0, 10)}.jsonl`;
}
