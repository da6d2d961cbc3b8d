import path from 'node:path';
import type { Clock } from '../../utils/clock';
import { databaseFileName } from '../database/databaseFile';
import { openSqlite, type DatabaseSync } from '../database/sqlite';
import { toStorageError } from '../database/storageError';
import type { FileSystem } from './fileSystem';
import { ObjectStore } from './objectStore';

export interface EngineOptions {
  /** The storage root; its database is migrated already. */
  directory: string;
  /** This writer among all that ever share the storage. */
  owner: string;
  fileSystem: FileSystem;
  clock: Clock;
}

/** This thread may wait for a lock. */
const timeoutMs = 10_000;

/** All of the snapshot store behind one synchronous face, on a connection of its own. Throws `SnapshotError` and `StorageError`. */
export class CheckpointEngine {
  private readonly database: DatabaseSync;
  private readonly objects: ObjectStore;

  constructor(options: EngineOptions) {
    const { directory, owner, fileSystem, clock } = options;
    this.database = open(path.join(directory, databaseFileName));
    const place = { directory: path.join(directory, 'objects'), owner, fileSystem, clock };
    this.objects = new ObjectStore(this.database, place);
  }

  put(contents: Uint8Array[]): string[] {
    return this.objects.put(contents);
  }

  get(hash: string): Uint8Array {
    // A copy: what is sent to another thread takes the whole buffer behind it along.
    return Uint8Array.from(this.objects.get(hash));
  }

  dispose(): void {
    try {
      this.objects.dispose();
    } finally {
      this.database.close();
    }
  }
}

function open(file: string): DatabaseSync {
  try {
    const database = openSqlite(file, { timeout: timeoutMs, enableForeignKeyConstraints: true });
    database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 16000');
    return database;
  } catch (error) {
    throw toStorageError(error);
  }
}
