import { openSqlite, type DatabaseSync } from '../sqlite/sqlite';
import { toStorageError } from '../sqlite/storageError';
import { prepared } from './prepared';
import { isUpToDate } from './searchIndex';

/**
 * Connection for searches. Stays open, because opening it takes longer than finding a rare word. It is
 * read-only, so that it never writes to a damaged database, even if it is the last connection to close.
 */
export class SearchReader {
  private database: DatabaseSync | null = null;
  /** Value of `data_version` when the index was last complete. */
  private currentAt: unknown = null;

  constructor(
    private readonly file: string,
    private readonly timeoutMs: number,
  ) {}

  read<T>(work: (database: DatabaseSync) => T): T {
    try {
      this.database ??= openSqlite(this.file, { timeout: this.timeoutMs, readOnly: true });
      return work(this.database);
    } catch (error) {
      this.close();
      throw toStorageError(error);
    }
  }

  /** Returns true if the index is complete. Throws `StorageError`. */
  isIndexCurrent(): boolean {
    return this.read((database) => {
      // `data_version` changes when another connection commits. This connection never commits.
      const version = prepared(database, 'PRAGMA data_version').get()?.['data_version'];
      if (version === this.currentAt) return true;
      if (!isUpToDate(database)) return false;
      this.currentAt = version;
      return true;
    });
  }

  close(): void {
    this.database?.close();
    this.database = null;
    this.currentAt = null;
  }
}
