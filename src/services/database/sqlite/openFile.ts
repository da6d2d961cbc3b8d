import { statSync } from 'node:fs';
import { StorageError } from './storageError';

/** Remembers which files a connection has opened, to notice when another program replaces or removes the database. */
export class OpenFile {
  private readonly identity: string | null;
  private logIdentity: string | null;

  constructor(private readonly file: string) {
    this.identity = identityOf(file);
    this.logIdentity = identityOf(`${file}-wal`);
  }

  /**
   * Throws `StorageError` `replaced` if the path of the database leads to another file or to none. What is written to an open file without
   * a name is gone when it is closed.
   */
  assertSame(): void {
    if (identityOf(this.file) !== this.identity)
      throw new StorageError('replaced', `${this.file} was replaced or removed while it was open`);
    this.logIdentity = identityOf(`${this.file}-wal`);
  }

  /** Returns true if the log file of this connection is beside a database that is not its own. */
  hasStrayLog(): boolean {
    const log = identityOf(`${this.file}-wal`);
    return log !== null && log === this.logIdentity && ![null, this.identity].includes(identityOf(this.file));
  }
}

/** Returns an id that all names of a file share; null if it does not exist. Throws system errors. */
export function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev} ${found.ino}`;
}
