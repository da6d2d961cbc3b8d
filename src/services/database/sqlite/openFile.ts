import { statSync } from 'node:fs';
import { StorageError } from './storageError';

/** Records which files a connection has opened, to detect if another program has replaced or removed the database. */
export class OpenFile {
  private readonly identity: string | null;
  private logIdentity: string | null;

  constructor(private readonly file: string) {
    this.identity = readFileId(file);
    this.logIdentity = readFileId(`${file}-wal`);
  }

  /**
   * Throws `StorageError` `replaced` if there is another file or no file at the database
   * path. Data written to an open file that has no path is lost when the file is closed.
   */
  assertSame(): void {
    if (readFileId(this.file) !== this.identity)
      throw new StorageError('replaced', `${this.file} was replaced or removed while it was open`);
    this.logIdentity = readFileId(`${this.file}-wal`);
  }

  /** Returns true if the `-wal` file of this connection is now next to another database. */
  hasStrayLog(): boolean {
    const log = readFileId(`${this.file}-wal`);
    return log !== null && log === this.logIdentity && ![null, this.identity].includes(readFileId(this.file));
  }
}

/** Returns an ID that is the same for all paths of a file. Returns null if the file does not exist. Throws system errors. */
export function readFileId(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
