import zlib from 'node:zlib';
import { openSqlite } from './sqlite';

/** What this editor's runtime offers beyond the least we need. */
export interface StorageCapabilities {
  sqliteVersion: string;
  /** Full-text search; without it keyword search has to fall back. */
  fts5: boolean;
  /** Compression of snapshot objects. */
  zstd: boolean;
}

/** Tries each of them once, in memory. */
export function probeCapabilities(): StorageCapabilities {
  const database = openSqlite(':memory:');
  try {
    const version = database.prepare('SELECT sqlite_version() AS version').get()?.version;
    return { sqliteVersion: String(version), fts5: hasFts5(database), zstd: 'zstdCompressSync' in zlib };
  } finally {
    database.close();
  }
}

function hasFts5(database: ReturnType<typeof openSqlite>): boolean {
  try {
    database.exec('CREATE VIRTUAL TABLE probe USING fts5(text)');
    return true;
  } catch {
    return false;
  }
}
