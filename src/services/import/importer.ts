import path from 'node:path';
import { systemClock } from '../../utils/clock';
import { CancelledError, isCancelled, messageOf } from '../../utils/errors';
import type { Database, SqlJsStatic } from 'sql.js';
import { LanceError } from '../codebase/lance/port';
import { inTransaction } from '../database/sqlite/ownConnection';
import { openSqlite, type DatabaseSync } from '../database/sqlite/sqlite';
import { StorageError, toStorageError } from '../database/sqlite/storageError';
import { CheckpointImport } from './checkpointImport';
import { ForeignDatabase, ForeignDatabaseError } from './database/foreignDatabase';
import { readLanceSessions } from './database/lanceSessions';
import { loadSqlJs } from './database/sqlJs';
import { findSources, isSessionDatabase, type FoundDatabase, type FoundSource } from './findSources';
import type { ImportedEntry, ImportedHead, ImportSink, ImportSource } from './importedEntry';
import { safeId } from './importedValues';
import { ImportMeter, type ImportProgress } from './importMeter';
import { ReportBuilder, type ImportReport, type IssueReason } from './importReport';
import { RestorePoints } from './restorePoints';
import { SessionStage } from './sessionStage';

export interface ImportOptions {
  file: string;
  paths: readonly string[];
  /** Path of the WebAssembly file of sql.js. It is loaded when the first database is read. */
  wasmPath: string;
  /** Path of the compiled `lanceProcess`. Undefined if no LanceDB folder is read. */
  lancePath?: string | undefined;
  now: () => number;
  isCancelled: () => boolean;
  onProgress: (progress: ImportProgress) => void;
}

/** Maximum milliseconds that a write waits for another window. */
const timeoutMs = 10_000;

/**
 * Imports all sessions found. Each session is imported completely or not at all. Sessions imported before a cancellation or an
 * error are kept. Apart from loading sql.js, the import is synchronous, so run it in a worker. The report contains all problems.
 */
export async function runImport(options: ImportOptions): Promise<ImportReport> {
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
  private checkpoints: CheckpointImport | null = null;
  private readonly points: RestorePoints;

  constructor(
    private readonly options: ImportOptions,
    private readonly report: ReportBuilder,
  ) {
    this.points = new RestorePoints(report);
  }

  async run(): Promise<void> {
    const places = findSources(this.options.paths, this.report, this.points, () => this.throwIfCancelled());
    const database = openSqlite(this.options.file, { timeout: timeoutMs, enableForeignKeyConstraints: true });
    try {
      database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0');
      const stage = new SessionStage(database, this.options.now);
      const meter = new ImportMeter(places, this.options.onProgress);
      // Folders that directly contain a LanceDB folder.
      const lances = new Set(places.flatMap((place) => (isLance(place) ? [path.dirname(place.place)] : [])));
      for (const place of places) {
        if (isSessionDatabase(place)) await this.importDatabase(place, { database, stage, meter, lances });
        else this.importSource(place, { database, stage, meter, lances });
        meter.finish(place);
      }
      for (const file of this.points.unclaimed()) this.report.addIssue(file, null, 'noSuchSession');
    } finally {
      this.checkpoints?.dispose();
      database.close();
    }
  }

  private importSource(source: ImportSource, destination: Destination): void {
    const { database, stage, meter } = destination;
    this.throwIfCancelled();
    const { format, place, file } = source;
    const session = { format, place, id: safeId(source.id) };
    const onRead = (bytes: number): void => {
      this.throwIfCancelled();
      meter.add(bytes);
    };
    let title = '';
    try {
      stage.begin(session);
      const head = source.read(createSink(file, stage, this.report, onRead));
      ({ title } = head);
      stage.seal();
      if (stage.lastSeq === 0) this.report.addSession({ ...session, title, outcome: 'empty', added: 0 });
      else this.report.addSession({ ...session, title, ...this.commit(source, head, destination) });
    } catch (error) {
      if (isCancelled(error) || isFatal(error)) throw error;
      this.report.addIssue(file, null, 'unreadable', messageOf(error));
      this.report.addSession({ ...session, title, outcome: 'failed', added: 0, failure: messageOf(error) });
    } finally {
      stage.discard();
    }
    database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  }

  /** Writes the session and its checkpoints in one transaction. */
  private commit(source: ImportSource, head: ImportedHead, { database, stage }: Destination): ReturnType<SessionStage['commit']> {
    const { restorePoints: given, file } = source;
    if (given === undefined || !given.from.hasAny(source.id)) return inTransaction(database, () => stage.commit(head));
    this.checkpoints ??= new CheckpointImport(database, path.dirname(this.options.file), {
      ...systemClock,
      now: this.options.now,
    });
    return this.checkpoints.store(
      { id: safeId(source.id), root: path.resolve(given.root), points: given.from.of(source.id), source: given.from },
      (reason, detail) => {
        this.throwIfCancelled();
        this.report.addIssue(file, null, reason, detail);
      },
      () => stage.commit(head),
    );
  }

  private async importDatabase(found: FoundDatabase, destination: Destination): Promise<void> {
    this.sqlJs ??= loadSqlJs(this.options.wasmPath);
    const sqlJs = await this.sqlJs;
    let foreign: ForeignDatabase | null = null;
    try {
      foreign = found.isLance
        ? new ForeignDatabase(found.place, found.size, await this.readLance(found.place, sqlJs))
        : ForeignDatabase.ofFile(found.place, sqlJs);
      for (const source of foreign.sources(this.points.withSameObjects())) {
        this.importSource(source, destination);
        destination.meter.add(source.size);
      }
    } catch (error) {
      if (isCancelled(error) || isFatal(error)) throw error;
      const reason = error instanceof ForeignDatabaseError ? error.reason : toReason(error);
      // Older versions stored only the messages in LanceDB. This database
      // contains the titles, which are read together with that folder.
      if (reason === 'otherDatabase' && destination.lances.has(path.dirname(found.place))) return;
      this.report.addIssue(found.place, null, reason, reason === 'unreadable' ? messageOf(error) : undefined);
    } finally {
      foreign?.close();
    }
  }

  private readLance(folder: string, sqlJs: SqlJsStatic): Promise<Database> {
    const { lancePath } = this.options;
    if (lancePath === undefined) throw new LanceError('missing', 'LanceDB is not installed');
    return readLanceSessions(folder, lancePath, sqlJs, () => this.throwIfCancelled());
  }

  private throwIfCancelled(): void {
    if (this.options.isCancelled()) throw new CancelledError();
  }
}

interface Destination {
  database: DatabaseSync;
  stage: SessionStage;
  meter: ImportMeter;
  lances: ReadonlySet<string>;
}

function createSink(file: string, stage: SessionStage, report: ReportBuilder, onRead: (bytes: number) => void): ImportSink {
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
    image: (bytes) => stage.image(bytes),
    remember: (key, value) => stage.remember(key, value),
    recall: (key) => stage.recall(key),
  };
}

/** Adds an entry to the stage. Returns `tooDeep` for JSON that can be parsed but is nested too deeply to be serialized. */
function addTo(stage: SessionStage, entry: ImportedEntry): ReturnType<SessionStage['add']> {
  try {
    return stage.add(entry);
  } catch (error) {
    if (error instanceof RangeError) return { seq: 0, problem: 'tooDeep' };
    throw error;
  }
}

function isLance(place: FoundSource): boolean {
  return isSessionDatabase(place) && place.isLance;
}

function toReason(error: unknown): IssueReason {
  return error instanceof LanceError && error.code === 'missing' ? 'noLance' : 'unreadable';
}

/** Returns true if an error stops the whole import, not only one session. */
function isFatal(error: unknown): boolean {
  return error instanceof StorageError || (error instanceof Error && 'errcode' in error);
}
