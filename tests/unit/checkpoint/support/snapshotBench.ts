import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../../src/services/checkpoint/fileSystem';
import { ObjectStore } from '../../../../src/services/checkpoint/objectStore';
import { databaseFileName } from '../../../../src/services/database/databaseFile';
import { isMigrated, migrateOnce } from '../../../../src/services/database/migrations';
import { openSqlite, type DatabaseSync } from '../../../../src/services/database/sqlite';
import { createOwner } from '../../../../src/services/database/windowOwner';
import { systemClock, type Clock } from '../../../../src/utils/clock';

export interface StoreOptions {
  owner?: string;
  fileSystem?: FileSystem;
  clock?: Clock;
}

/** A storage folder with an open database, and stores on it. Gone after `clean`. */
export class SnapshotBench {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-snapshots-'));
  readonly objects = path.join(this.folder, 'objects');
  readonly database = this.connect();
  private readonly stores: ObjectStore[] = [];

  connect(): DatabaseSync {
    const database = openSqlite(path.join(this.folder, databaseFileName), { timeout: 5_000, enableForeignKeyConstraints: true });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    while (!isMigrated(database)) migrateOnce(database);
    return database;
  }

  store({ owner = createOwner(), fileSystem = nodeFileSystem, clock = systemClock }: StoreOptions = {}): ObjectStore {
    const store = new ObjectStore(this.database, { directory: this.objects, owner, fileSystem, clock });
    this.stores.push(store);
    return store;
  }

  /** Adds a session to belong to. */
  session(id = 'session'): string {
    this.database.prepare("INSERT INTO sessions (id, title, mode, created_at, updated_at) VALUES (?, '', 'agent', 0, 0)").run(id);
    return id;
  }

  rows(sql: string, ...values: (string | number)[]): unknown[][] {
    return this.database
      .prepare(sql)
      .all(...values)
      .map((row) => Object.values(row));
  }

  /** `ref_count` is what it says it is. */
  checkReferences(): void {
    const wrong = this.rows(`
      SELECT hash, ref_count, (SELECT count(*) FROM manifest_entries WHERE object_id = id) +
        (SELECT count(*) FROM staged_files WHERE object_id = snapshot_objects.id) +
        (SELECT count(*) FROM file_snapshots WHERE object_id = snapshot_objects.id) +
        (SELECT count(*) FROM file_snapshots WHERE left_object_id = snapshot_objects.id) +
        (SELECT count(*) FROM file_snapshots WHERE undone_object_id = snapshot_objects.id) AS referring
      FROM snapshot_objects WHERE ref_count <> referring`);
    assert.deepEqual(wrong, []);
  }

  clean(): void {
    for (const store of this.stores) store.dispose();
    this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
