import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../utils/errors';
import { cacheStatements, openSqlite, type DatabaseSync } from '../../database/sqlite/sqlite';
import { hasFts5 } from '../../database/sqlite/capabilities';
import type { CodebaseErrorCode } from '../codebaseProtocol';
import { sha256Hex } from '../../../utils/sha256';

/** Format of the index. An index with another format is rebuilt, because all its content can be read from the files again. */
const format = '2';

const schema = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime REAL NOT NULL, ctime REAL NOT NULL,
    hash BLOB NOT NULL, is_cut_by_syntax INTEGER NOT NULL);
  CREATE INDEX files_to_cut ON files (id) WHERE is_cut_by_syntax = 0;
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, symbols TEXT NOT NULL, hash BLOB NOT NULL);
  CREATE INDEX chunks_of_file ON chunks (file);
  CREATE VIRTUAL TABLE words USING fts5 (
    path, symbols, body, content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2");
  CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
`;

export class IndexError extends Error {
  constructor(
    readonly code: CodebaseErrorCode,
    cause: unknown,
  ) {
    super(messageOf(cause), { cause });
  }
}

export function indexFilePath(directory: string, folder: string): string {
  return join(directory, `${sha256Hex(folder).slice(0, 32)}.sqlite`);
}

class OtherFormatError extends Error {}

/**
 * Opens the index of a folder for writing or read-only. The writer deletes and rebuilds an index that is damaged or has another
 * format. Does not delete an index that is temporarily unreadable. Throws `IndexError`.
 */
export function openIndex(file: string, isWriter: boolean): DatabaseSync {
  if (!hasFts5()) throw new IndexError('noWords', 'This SQLite has no full-text search');
  try {
    return openOnce(file, isWriter);
  } catch (error) {
    const isOtherFormat = error instanceof OtherFormatError;
    if (!isWriter || !(isOtherFormat || isUnusable(error))) throw toIndexError(error);
    if (isOtherFormat) noteEmbedded(file, false);
  }
  try {
    deleteIndex(file);
    return openOnce(file, isWriter);
  } catch (error) {
    throw toIndexError(error);
  }
}

function openOnce(file: string, isWriter: boolean): DatabaseSync {
  mkdirSync(join(file, '..'), { recursive: true });
  const database = openSqlite(file, { timeout: 2_000, readOnly: !isWriter });
  try {
    if (isWriter) {
      database.exec(
        'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY',
      );
      const isEmpty = database.prepare('SELECT count(*) AS n FROM sqlite_master').get()?.['n'] === 0;
      if (isEmpty) database.exec(`BEGIN; ${schema} INSERT INTO meta VALUES ('format', '${format}'); COMMIT`);
    }
    const found = database.prepare("SELECT value FROM meta WHERE key = 'format'").get()?.['value'];
    if (found !== format) throw new OtherFormatError(`The index has the format ${String(found)}`);
    // Read every table, so that a truncated file is detected at once.
    database.prepare('SELECT (SELECT max(id) FROM files), (SELECT max(id) FROM chunks), (SELECT count(*) FROM words_data)').get();
    return cacheStatements(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

export function deleteIndex(file: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
}

/** Returns whether the index was ever embedded. If this is true and the index has no vectors, it has lost them. */
export function wasEmbedded(file: string): boolean {
  return existsSync(`${file}.embedded`);
}

/** Records in a separate file whether the index was embedded. Damage to the index does not affect this file. */
export function noteEmbedded(file: string, isEmbedded: boolean): void {
  if (isEmbedded === wasEmbedded(file)) return;
  if (isEmbedded) writeFileSync(`${file}.embedded`, '');
  else rmSync(`${file}.embedded`, { force: true });
}

export function sizeOfIndex(file: string): number {
  return ['', '-wal'].reduce((sum, ending) => sum + (statSync(file + ending, { throwIfNoEntry: false })?.size ?? 0), 0);
}

export function toIndexError(error: unknown): IndexError {
  if (error instanceof IndexError) return error;
  if (isFull(error)) return new IndexError('full', error);
  return new IndexError(isDamaged(error) ? 'broken' : 'unavailable', error);
}

function isDamaged(error: unknown): boolean {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' && [11, 26].includes(code & 0xff);
}

/** Returns whether the opened file is damaged or a table is missing. */
function isUnusable(error: unknown): boolean {
  return isDamaged(error) || (error as { errcode?: unknown }).errcode === 1;
}

function isFull(error: unknown): boolean {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  return code === 'ENOSPC' || (typeof errcode === 'number' && (errcode & 0xff) === 13);
}

/**
 * Lock for the single window that writes an index. The operating
 * system releases the lock when the process exits, even after a crash.
 */
export class WriterLock {
  private held: DatabaseSync | null = null;

  constructor(private readonly file: string) {}

  /** Tries to acquire the lock without waiting. */
  take(): boolean {
    if (this.held !== null) return true;
    let database: DatabaseSync | null = null;
    try {
      mkdirSync(join(this.file, '..'), { recursive: true });
      database = openSqlite(`${this.file}.lock`, { timeout: 0 });
      database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
      this.held = database;
      return true;
    } catch {
      database?.close();
      return false;
    }
  }

  release(): void {
    this.held?.close();
    this.held = null;
  }
}
