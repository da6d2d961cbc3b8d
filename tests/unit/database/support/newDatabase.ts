import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { databaseFileName } from '../../../../src/services/database/sqlite/databaseFile';
import { migrateOnce } from '../../../../src/services/database/sqlite/migrations';
import { isMigrated } from '../../../../src/services/database/sqlite/schemaVersion';
import { openSqlite } from '../../../../src/services/database/sqlite/sqlite';

let made: Buffer | undefined;

/** Puts an empty, migrated database into a folder. It is created once per process, because migrations take longer than most tests. */
export function placeNewDatabase(directory: string): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, databaseFileName), (made ??= newDatabase()));
}

function newDatabase(): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-database-'));
  const file = path.join(folder, databaseFileName);
  try {
    const database = openSqlite(file);
    database.exec('PRAGMA journal_mode = WAL');
    while (!isMigrated(database)) migrateOnce(database);
    database.close();
    return readFileSync(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
