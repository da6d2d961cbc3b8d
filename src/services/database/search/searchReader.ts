import { openSqlite, type DatabaseSync } from '../sqlite/sqlite';
import { toStorageError } from '../sqlite/storageError';
import { prepared } from './prepared';
import { isUpToDate } from './searchIndex';

/**
 * Holds the connection that searches read by, opened by the first and kept for the next: opening takes longer than finding a rare word.
 * It
 * cannot write, so that closing it last moves nothing into a database that was found damaged.
 */
export class SearchReader {
  private database: DatabaseSync | null = null;
  /** Value of `data_version` when the index was last complete. */
  private currentAt: unknown = null;

  constructor(
    private readonly file: string,
    private readonly timeoutMs: number,
  ) {}

  /** Throws `StorageError`. */
  read<T>(work: (database: DatabaseSync) => T): T {
    try {
      this.database ??= openSqlite(this.file, { timeout: this.timeoutMs, readOnly: true });
      return work(this.database);
    } catch (error) {
      this.close();
      throw toStorageError(error);
    }
  }

  /** Tells whether the index holds everything that is in the log. Throws `StorageError`. */
  isIndexCurrent(): boolean {
    return this.read((database) => {
      // It changes with each commit of any other connection, and this one makes none.
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
