import { readFileSync, statSync } from 'node:fs';
import type { Database, SqlJsStatic } from 'sql.js';
import { applicationId } from '../../database/sqlite/databaseFile';
import { createCheckpointFinder, readSessionHead, selectRestorePoints, TranscriptReader } from '../codeSession';
import type { ImportedHead, ImportSink, ImportSource } from '../importedEntry';
import { readCount, textOrNull, readTime } from '../importedValues';
import { skippedData } from '../skippedData';
import type { RestorePoint, RestorePoints } from '../restorePoints';
import { readLegacyMessages } from './legacyMessages';
import { readOwnLog } from './ownLog';
import { rowNumber, readRows, type Row } from './rows';
import { withWal } from './walFile';
import { isRecord, parsedJson } from '../../../utils/json';

/** Maximum size in bytes, because the whole database is loaded into memory. */
export const maxBytes = 1024 * 1024 * 1024;

/** Thrown if a file is not a readable database. */
export class ForeignDatabaseError extends Error {
  constructor(readonly reason: 'tooLarge' | 'damaged' | 'otherDatabase') {
    super(reason);
  }
}

/** Origin of a database. `own`: this product. `earlier`: its sql.js version. `codeSessions`: database of code sessions. */
export type DatabaseForm = 'own' | 'earlier' | 'codeSessions';

/**
 * Reads a database of unknown origin and its `-wal` with SQLite in WebAssembly, never with
 * the native engine. Reads only tables, never views or virtual tables with the same name.
 */
export class ForeignDatabase {
  readonly form: DatabaseForm;
  private hasRestorePoints = false;
  private hasCheckpoints = false;

  /** Reads an open database of `size` bytes at `place`, and closes it at the end. Throws `ForeignDatabaseError`. */
  constructor(
    private readonly place: string,
    private readonly size: number,
    private readonly database: Database,
  ) {
    try {
      this.database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA query_only = ON');
      const form = this.findForm();
      if (form === null) throw new ForeignDatabaseError('otherDatabase');
      this.form = form;
    } catch (error) {
      this.close();
      throw error instanceof ForeignDatabaseError ? error : new ForeignDatabaseError('damaged');
    }
  }

  /** Opens a file. Throws `ForeignDatabaseError` and file system errors. */
  static ofFile(file: string, sqlJs: SqlJsStatic): ForeignDatabase {
    const { size, database } = openForeign(file, sqlJs);
    return new ForeignDatabase(file, size, database);
  }

  /** Lists the sessions by creation time and adds their restore points to `points`. */
  sources(points: RestorePoints): ImportSource[] {
    const rows = [...readRows(this.database, 'SELECT * FROM sessions ORDER BY created_at, rowid')];
    const size = this.size / Math.max(1, rows.length);
    return rows.flatMap((row) => {
      const id = textOrNull(row.id);
      if (id === null) return [];
      if (this.hasRestorePoints) this.listRestorePoints(id, points);
      const place = { place: this.place, file: this.place, id, size };
      const read = (sink: ImportSink): ImportedHead => this.read(row, id, points, sink);
      return [{ format: 'database' as const, ...place, ...selectRestorePoints(row.project_path, points), read }];
    });
  }

  /** Returns the first problem that SQLite finds. Returns null if the database is intact. */
  findDamage(): string | null {
    const [row] = [...readRows(this.database, 'PRAGMA quick_check(1)')];
    const found = String(row?.quick_check);
    return found === 'ok' ? null : found;
  }

  close(): void {
    this.database.close();
  }

  private read(row: Row, id: string, points: RestorePoints, sink: ImportSink): ImportedHead {
    const times = { createdAt: row.created_at, updatedAt: row.updated_at };
    const session = { ...row, ...times, projectPath: row.project_path, isInline: row.is_inline === 1 };
    for (const kind of skippedData(row)) sink.leaveOut(kind);
    for (let count = this.countCheckpoints(id); count > 0; count -= 1) sink.leaveOut('checkpoint');
    let title = '';
    if (this.form === 'codeSessions') {
      const reader = new TranscriptReader(
        sink,
        id,
        createCheckpointFinder({ id, ...selectRestorePoints(row.project_path, points) }, sink, points),
      );
      for (const entry of this.rows('transcript_entries', id, 'seq')) reader.take(transcriptLine(entry), rowNumber(entry));
      reader.finish();
      ({ title } = reader);
    } else if (this.form === 'own') title = readOwnLog(this.rows('messages', id, 'seq'), sink);
    else title = readLegacyMessages(this.rows('messages', id, 'timestamp, rowid'), String(row.mode), sink);
    const head = readSessionHead(session, title, sink);
    return { ...head, mode: row.mode === undefined || row.mode === 'agent' ? 'agent' : 'ask' };
  }

  private listRestorePoints(sessionId: string, points: RestorePoints): void {
    for (const row of this.rows('restore_points', sessionId, 'timestamp, rowid')) {
      const id = textOrNull(row.id);
      const time = readTime(row.timestamp);
      if (id !== null) {
        const entryId = textOrNull(row.transcript_entry_id);
        points.add(sessionId, { id, time, entryId, file: this.place, read: () => this.restorePoint(id, row, time) });
      }
    }
  }

  private restorePoint(id: string, row: Row, time: number | null): RestorePoint {
    const sql = 'SELECT path, object_hash, mode, size FROM restore_point_files WHERE restore_point_id = ? ORDER BY path';
    const files = [...readRows(this.database, sql, [id])].map((file) => ({
      path: String(file.path),
      hash: String(file.object_hash),
      mode: readCount(file.mode) ?? 0o644,
      size: readCount(file.size) ?? 0,
    }));
    return { id, title: textOrNull(row.description) ?? '', time, files };
  }

  /** Counts checkpoints. Their contents are not in the database, so they are not imported. */
  private countCheckpoints(sessionId: string): number {
    if (!this.hasCheckpoints) return 0;
    const [row] = [...readRows(this.database, 'SELECT count(*) AS n FROM checkpoints WHERE session_id = ?', [sessionId])];
    return readCount(row?.n) ?? 0;
  }

  private rows(table: string, sessionId: string, order: string): Generator<Row, void> {
    return readRows(this.database, `SELECT rowid AS row_number, * FROM ${table} WHERE session_id = ? ORDER BY ${order}`, [
      sessionId,
    ]);
  }

  private findForm(): DatabaseForm | null {
    const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'";
    const tables = new Set([...readRows(this.database, sql)].map(({ name }) => name));
    this.hasRestorePoints = tables.has('restore_points') && tables.has('restore_point_files');
    const columns = tables.has('checkpoints') ? [...readRows(this.database, 'PRAGMA table_info(checkpoints)')] : [];
    this.hasCheckpoints = columns.some(({ name }) => name === 'session_id');
    if (!tables.has('sessions')) return null;
    if (tables.has('transcript_entries')) return 'codeSessions';
    if (!tables.has('messages')) return null;
    const [row] = [...readRows(this.database, 'PRAGMA application_id')];
    return row?.application_id === applicationId ? 'own' : 'earlier';
  }
}

/** Opens a file and its `-wal` in memory. Throws `ForeignDatabaseError` and file system errors. */
export function openForeign(file: string, sqlJs: SqlJsStatic): { size: number; database: Database } {
  const wal = `${file}-wal`;
  const walSize = statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
  const { size } = statSync(file);
  if (size > maxBytes || walSize > maxBytes) throw new ForeignDatabaseError('tooLarge');
  const bytes = withWal(readFileSync(file), walSize > 0 ? readFileSync(wal) : null, maxBytes);
  return { size, database: new sqlJs.Database(bytes) };
}

/** Converts a row of `transcript_entries` back to a transcript line. */
function transcriptLine(row: Row): Record<string, unknown> {
  const part = (name: string): Record<string, unknown> | undefined => {
    const value = parsedJson(row[name]);
    return isRecord(value) ? value : undefined;
  };
  return {
    id: row.id,
    sessionId: row.session_id,
    type: row.type,
    content: row.content,
    timestamp: row.timestamp,
    toolCall: part('tool_call_data'),
    fileEdit: part('file_edit_data'),
    compactMarker: part('compact_data'),
    planItemId: row.plan_item_id,
    restorePointId: row.restore_point_id,
    isCompacted: row.is_compacted === 1,
  };
}
