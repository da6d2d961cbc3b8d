import path from 'node:path';
import type { DatabaseSync } from '../database/sqlite';
import { isSystemError, type FileSystem } from './fileSystem';

/** The tables that are there for checkpoints alone; the log is not among them. */
const tables = [
  ...['snapshot_packs', 'snapshot_objects', 'snapshot_roots', 'manifests', 'manifest_entries'],
  ...['checkpoints', 'staged_files', 'work_sessions', 'approved_states', 'operations', 'file_snapshots', 'made_folders'],
];
/** The share of the database is measured again when so much of it may have changed. */
const worthMeasuring = 0.02;

/** What checkpoints take on the disk: the files of packs, what scanners remember, and their pages of the database. */
export class StoredBytes {
  private inDatabase = { pages: -1, bytes: 0 };

  constructor(
    private readonly database: DatabaseSync,
    private readonly place: { /** `objects/` of the storage. */ directory: string; fileSystem: FileSystem },
  ) {}

  /** `packs`: of these alone. */
  measure(): { bytes: number; packs: number } {
    const { directory } = this.place;
    const packs = this.inFolder(directory);
    return { bytes: packs + this.inFolder(path.join(path.dirname(directory), 'seen')) + this.ofTables(), packs };
  }

  private inFolder(folder: string): number {
    const { fileSystem } = this.place;
    try {
      return fileSystem
        .list(folder)
        .reduce((sum, { name }) => sum + Number(fileSystem.lstat(path.join(folder, name))?.size ?? 0), 0);
    } catch (error) {
      // Nothing was stored yet.
      if (isSystemError(error, 'ENOENT')) return 0;
      throw error;
    }
  }

  /** To count pages takes as long as to read them, so it is not done for each checkpoint. */
  private ofTables(): number {
    const pages = this.pragma('page_count') - this.pragma('freelist_count');
    const { pages: before } = this.inDatabase;
    if (before < 0 || Math.abs(pages - before) > before * worthMeasuring) this.inDatabase = { pages, bytes: this.countPages() };
    return this.inDatabase.bytes;
  }

  private countPages(): number {
    const trees = this.database
      .prepare('SELECT name FROM sqlite_schema WHERE rootpage > 0 AND tbl_name IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(tables));
    // Each has one also where it is empty.
    const first = this.pragma('page_size');
    try {
      const size = this.database.prepare("SELECT pgsize FROM dbstat WHERE schema = 'main' AND aggregate = 1 AND name = ?");
      return trees.reduce((sum, { name }) => sum + Number(size.get(String(name))?.pgsize ?? first) - first, 0);
    } catch {
      // SQLite may be built without `dbstat`.
      return 0;
    }
  }

  private pragma(name: 'page_count' | 'page_size' | 'freelist_count'): number {
    return Number(this.database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
  }
}
