import { statSync } from 'node:fs';
import { StorageError } from './storageError';

/** Records which files a connection has opened, to detect that another program has replaced or removed the database. */
export class OpenFile {
  private readonly identity: string | null;
  private logIdentity: string | null;

  constructor(private readonly file: string) {
    this.identity = identityOf(file);
    this.logIdentity = identityOf(`${file}-wal`);
  }

  /**
   * Throws `StorageError` `replaced` if the database path leads to another file or to
   * none. Data written to an open file without a path is lost when the file is closed.
   */
  assertSame(): void {
    if (identityOf(this.file) !== this.identity)
      throw new StorageError('replaced', `${this.file} was replaced or removed while it was open`);
    this.logIdentity = identityOf(`${this.file}-wal`);
  }

  /** Returns true if the `-wal` file of this connection is next to a database that is not its own. */
  hasStrayLog(): boolean {
    const log = identityOf(`${this.file}-wal`);
    return log !== null && log === this.logIdentity && ![null, this.identity].includes(identityOf(this.file));
  }
}

/** Returns an id that is the same for all names of a file. Returns null if the file does not exist. Throws system errors. */
export function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
