import zlib from 'node:zlib';
import { openSqlite } from './sqlite';

/** Optional features of the runtime's SQLite and Node.js. */
export interface StorageCapabilities {
  sqliteVersion: string;
  /** Full-text search. Without it, searches scan all entries. */
  fts5: boolean;
  /** Compression of snapshot objects. */
  zstd: boolean;
}

export function probeCapabilities(): StorageCapabilities {
  const database = openSqlite(':memory:');
  try {
    const version = database.prepare('SELECT sqlite_version() AS version').get()?.version;
    return { sqliteVersion: String(version), fts5: hasFts5(), zstd: 'zstdCompressSync' in zlib };
  } finally {
    database.close();
  }
}

let fts5: boolean | undefined;

/** Returns true if SQLite supports the search index: FTS5 with deletion from contentless tables (3.43). */
export function hasFts5(): boolean {
  fts5 ??= probeFts5();
  return fts5;
}

function probeFts5(): boolean {
  const database = openSqlite(':memory:');
  try {
    database.exec("CREATE VIRTUAL TABLE probe USING fts5 (text, content = '', contentless_delete = 1)");
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}
