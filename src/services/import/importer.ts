import { CancelledError, isCancelled, messageOf } from '../../utils/errors';
import type { SqlJsStatic } from 'sql.js';
import { openSqlite, type DatabaseSync } from '../database/sqlite';
import { StorageError, toStorageError } from '../database/storageError';
import { ForeignDatabase, ForeignDatabaseError } from './database/foreignDatabase';
import { loadSqlJs } from './database/sqlJs';
import { findSources, isDatabase, type FoundDatabase, type FoundPlace } from './findSources';
import { safeId, type ImportedEntry, type ImportSink, type ImportSource } from './importedEntry';
import { ReportBuilder, type ImportReport } from './importReport';
import { SessionStage } from './sessionStage';

export interface ImportProgress {
  /** Sessions that are done, and how many there are. */
  done: number;
  total: number;
  /** From 0 to 1, by the bytes that were read. */
  fraction: number;
}

export interface ImportOptions {
  /** The database, migrated. */
  file: string;
  /** Files and folders to look in. */
  paths: readonly string[];
  /** The code of sql.js, loaded where there is a database to read. */
  wasmPath: string;
  now: () => number;
  isCancelled: () => boolean;
  onProgress: (progress: ImportProgress) => void;
}

/** How long a write waits for another window. */
const timeoutMs = 10_000;
const progressSteps = 200;

/**
 * Imports every session that is found, each of them whole or not at all; what was imported stays when it is cancelled or fails. Works
 * synchronously but for loading sql.js, so it belongs in a worker. What goes wrong is in the report.
 */
export async function importSessions(options: ImportOptions): Promise<ImportReport> {
  const report = new ReportBuilder();
  try {
    await new Import(options, report).run();
    return report.finish({ isCancelled: false, failure: null });
  } catch (error) {
    if (isCancelled(error)) return report.finish({ isCancelled: true, failure: null });
    const failure = toStorageError(error);
    const code = failure instanceof StorageError ? failure.code : 'internal';
    return report.finish({ isCancelled: false, failure: { code, message: messageOf(error) } });
  }
}

class Import {
  private sqlJs: Promise<SqlJsStatic> | null = null;

  constructor(
    private readonly options: ImportOptions,
    private readonly report: ReportBuilder,
  ) {}

  async run(): Promise<void> {
    const places = findSources(this.options.paths, this.report, () => this.throwIfCancelled());
    const database = openSqlite(this.options.file, { timeout: timeoutMs, enableForeignKeyConstraints: true });
    try {
      database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
      const stage = new SessionStage(database, this.options.now);
      const meter = new Meter(places, this.options.onProgress);
      for (const place of places) {
        if (isDatabase(place)) await this.importDatabase(place, { database, stage, meter });
        else this.importSource(place, { database, stage, meter });
        meter.finish(place);
      }
    } finally {
      database.close();
    }
  }

  private importSource(source: ImportSource, { database, stage, meter }: Destination): void {
    this.throwIfCancelled();
    importOne(source, stage, this.report, (bytes) => {
      this.throwIfCancelled();
      meter.add(bytes);
    });
    database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  }

  private async importDatabase(found: FoundDatabase, destination: Destination): Promise<void> {
    this.sqlJs ??= loadSqlJs(this.options.wasmPath);
    const sqlJs = await this.sqlJs;
    let foreign: ForeignDatabase | null = null;
    try {
      foreign = new ForeignDatabase(found.place, sqlJs);
      for (const source of foreign.sources()) {
        this.importSource(source, destination);
        destination.meter.add(source.size);
      }
    } catch (error) {
      if (isCancelled(error) || isOfDatabase(error)) throw error;
      const reason = error instanceof ForeignDatabaseError ? error.reason : 'unreadable';
      this.report.addIssue(found.place, null, reason, reason === 'unreadable' ? messageOf(error) : undefined);
    } finally {
      foreign?.close();
    }
  }

  private throwIfCancelled(): void {
    if (this.options.isCancelled()) throw new CancelledError();
  }
}

interface Destination {
  database: DatabaseSync;
  stage: SessionStage;
  meter: Meter;
}

function importOne(source: ImportSource, stage: SessionStage, report: ReportBuilder, onRead: (bytes: number) => void): void {
  const { format, place, file } = source;
  const id = safeId(source.id);
  const session = { format, place, id };
  let title = '';
  try {
    stage.begin(session);
    const head = source.read(sinkOf(file, stage, report, onRead));
    ({ title } = head);
    if (stage.lastSeq === 0) report.addSession({ ...session, title, outcome: 'empty', added: 0 });
    else report.addSession({ ...session, title, ...stage.commit(head) });
  } catch (error) {
    if (isCancelled(error) || isOfDatabase(error)) throw error;
    report.addIssue(file, null, 'unreadable', messageOf(error));
    report.addSession({ ...session, title, outcome: 'failed', added: 0, failure: messageOf(error) });
  } finally {
    stage.discard();
  }
}

function sinkOf(file: string, stage: SessionStage, report: ReportBuilder, onRead: (bytes: number) => void): ImportSink {
  return {
    add: (entry: ImportedEntry): number => {
      onRead(0);
      const { seq, problem } = addTo(stage, entry);
      if (problem !== null) report.addIssue(file, entry.line, problem);
      return seq;
    },
    get lastSeq() {
      return stage.lastSeq;
    },
    issue: (line, reason, detail) => report.addIssue(file, line, reason, detail),
    leaveOut: (kind) => report.leaveOut(file, kind),
    onRead,
    remember: (key, value) => stage.remember(key, value),
    recall: (key) => stage.recall(key),
  };
}

/** What JSON can be read from can be too deep to be written. */
function addTo(stage: SessionStage, entry: ImportedEntry): ReturnType<SessionStage['add']> {
  try {
    return stage.add(entry);
  } catch (error) {
    if (error instanceof RangeError) return { seq: 0, problem: 'tooDeep' };
    throw error;
  }
}

/** What ends all of it, and not one session. */
function isOfDatabase(error: unknown): boolean {
  return error instanceof StorageError || (error instanceof Error && 'errcode' in error);
}

/** Says how far it is, in so many steps. */
class Meter {
  private readonly total: number;
  private read = 0;
  private readOfSource = 0;
  private done = 0;
  private told = -1;

  constructor(
    private readonly sources: readonly FoundPlace[],
    private readonly tell: (progress: ImportProgress) => void,
  ) {
    this.total = sources.reduce((sum, { size }) => sum + size, 0);
    this.announce();
  }

  add(bytes: number): void {
    if (bytes === 0) return;
    this.read += bytes;
    this.readOfSource += bytes;
    this.announce();
  }

  /** What of it was not read counts too. */
  finish({ size }: FoundPlace): void {
    this.read += size - this.readOfSource;
    this.readOfSource = 0;
    this.done += 1;
    this.announce();
  }

  private announce(): void {
    const fraction = this.total === 0 ? 0 : Math.min(1, this.read / this.total);
    const step = Math.floor(fraction * progressSteps) * this.sources.length + this.done;
    if (step === this.told) return;
    this.told = step;
    this.tell({ done: this.done, total: this.sources.length, fraction });
  }
}
