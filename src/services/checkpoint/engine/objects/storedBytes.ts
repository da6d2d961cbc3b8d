import path from 'node:path';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { isSystemError } from '../../../../utils/errors';

/** Tables that only checkpoints use, excluding the log. */
const tables = [
  'snapshot_packs',
  'snapshot_objects',
  'snapshot_roots',
  'manifests',
  'manifest_entries',
  'checkpoints',
  'staged_files',
  'work_sessions',
  'approved_states',
  'operations',
  'file_snapshots',
  'hunk_answers',
  'made_folders',
];
/** Relative change in the page count after which the tables are measured again. */
const measureThreshold = 0.02;

/** Measures the disk usage of checkpoints: packs, scan caches, and table pages of the database. */
export class StoredBytes {
  private inDatabase = { pages: -1, bytes: 0 };

  constructor(
    private readonly database: DatabaseSync,
    private readonly place: { /** The `objects` folder of the storage. */ directory: string; fileSystem: FileSystem },
  ) {}

  /**
   * Measures the total bytes, including the bytes of `packs` and `seen`. With
   * `isExact`, measures the tables again instead of using the cached value.
   */
  measure(isExact = false): { bytes: number; packs: number; seen: number } {
    const { directory } = this.place;
    const packs = this.inFolder(directory);
    const seen = this.inFolder(path.join(path.dirname(directory), 'seen'));
    return { bytes: packs + seen + this.ofTables(isExact), packs, seen };
  }

  private inFolder(folder: string): number {
    const { fileSystem } = this.place;
    try {
      return fileSystem
        .list(folder)
        .reduce((sum, { name }) => sum + Number(fileSystem.lstat(path.join(folder, name))?.size ?? 0), 0);
    } catch (error) {
      // Nothing has been stored yet.
      if (isSystemError(error, 'ENOENT')) return 0;
      throw error;
    }
  }

  /** Returns the bytes of the tables. Counting pages is as slow as reading them, so the result is cached. */
  private ofTables(isExact: boolean): number {
    const pages = this.pragma('page_count') - this.pragma('freelist_count');
    const { pages: before } = this.inDatabase;
    if (isExact || before < 0 || Math.abs(pages - before) > before * measureThreshold) {
      const bytes = this.countPages();
      if (bytes === null) return 0;
      this.inDatabase = { pages, bytes };
    }
    return this.inDatabase.bytes;
  }

  /** Returns null if SQLite was built without `dbstat`. */
  private countPages(): number | null {
    const trees = this.database
      .prepare('SELECT name FROM sqlite_schema WHERE rootpage > 0 AND tbl_name IN (SELECT value FROM json_each(?))')
      .all(JSON.stringify(tables));
    // An empty tree has one page.
    const first = this.pragma('page_size');
    try {
      const size = this.database.prepare("SELECT pgsize FROM dbstat WHERE schema = 'main' AND aggregate = 1 AND name = ?");
      return trees.reduce((sum, { name }) => sum + Number(size.get(String(name))?.pgsize ?? first) - first, 0);
    } catch (error) {
      if (error instanceof Error && error.message === 'no such table: dbstat') return null;
      throw error;
    }
  }

  private pragma(name: 'page_count' | 'page_size' | 'freelist_count'): number {
    return Number(this.database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
  }
}
