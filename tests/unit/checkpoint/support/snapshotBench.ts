import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../../src/utils/files/fileSystem';
import { ObjectStore } from '../../../../src/services/checkpoint/engine/objects/objectStore';
import { databaseFileName } from '../../../../src/services/database/sqlite/databaseFile';
import { migrateOnce } from '../../../../src/services/database/sqlite/migrations';
import { isMigrated } from '../../../../src/services/database/sqlite/schemaVersion';
import { openSqlite, type DatabaseSync } from '../../../../src/services/database/sqlite/sqlite';
import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { systemClock, type Clock } from '../../../../src/utils/clock';
import { caseLimitMs } from '../../../support/until';

export interface StoreOptions {
  owner?: string;
  fileSystem?: FileSystem;
  clock?: Clock;
}

/** Content of an empty database file. Created once, because thousands of tests start with it. */
let migrated: Buffer | undefined;

function makeMigrated(): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-snapshots-'));
  try {
    const file = path.join(folder, databaseFileName);
    const database = openSqlite(file);
    while (!isMigrated(database)) migrateOnce(database);
    database.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Storage folder with an open database and stores. `clean` removes everything. */
export class SnapshotBench {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-snapshots-'));
  readonly objects = path.join(this.folder, 'objects');
  database = this.connect();
  private readonly stores: ObjectStore[] = [];

  connect(): DatabaseSync {
    const file = path.join(this.folder, databaseFileName);
    if (!existsSync(file)) writeFileSync(file, (migrated ??= makeMigrated()));
    const database = openSqlite(file, { timeout: caseLimitMs, enableForeignKeyConstraints: true });
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return database;
  }

  store({ owner = createOwner(), fileSystem = nodeFileSystem, clock = systemClock }: StoreOptions = {}): ObjectStore {
    const store = new ObjectStore(this.database, { directory: this.objects, owner, fileSystem, clock });
    this.stores.push(store);
    return store;
  }

  /** Adds a session. */
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

  /** Checks that `ref_count` matches the references. */
  checkReferences(): void {
    assert.deepEqual(this.rows(wrongReferences), []);
  }

  /** Copies the storage to a new folder. No other connection may be open. */
  copyTo(folder: string): void {
    this.database.close();
    copyFolder(this.folder, folder);
    this.database = this.connect();
  }

  /** Restores the storage from a copy made by `copyTo`. No other connection may be open. */
  resetTo(folder: string): void {
    this.database.close();
    emptyFolder(this.folder);
    copyFolder(folder, this.folder);
    this.database = this.connect();
  }

  clean(): void {
    for (const store of this.stores) store.dispose();
    this.database.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Copies a folder, including times, modes and links. */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

export function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true, force: true });
}

/** Selects objects whose `ref_count` differs from the number of rows that refer to them. */
export const wrongReferences = `
  SELECT hash, ref_count, ifnull(referring, 0) FROM snapshot_objects LEFT JOIN
    (SELECT object_id, count(*) AS referring FROM
      (SELECT object_id FROM manifest_entries UNION ALL SELECT object_id FROM staged_files UNION ALL
       SELECT object_id FROM file_snapshots UNION ALL SELECT left_object_id FROM file_snapshots UNION ALL
       SELECT undone_object_id FROM file_snapshots UNION ALL
       SELECT object_id FROM kept_histories UNION ALL
       SELECT from_object_id FROM hunk_answers UNION ALL SELECT to_object_id FROM hunk_answers) GROUP BY object_id) ON object_id = id
  WHERE ref_count <> ifnull(referring, 0)`;
