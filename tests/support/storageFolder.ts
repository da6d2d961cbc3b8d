import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { databaseFileName, leaseFileName } from '../../src/services/database/sqlite/databaseFile';
import { openSqlite } from '../../src/services/database/sqlite/sqlite';

/** Turns a folder into a storage folder, which scans and searches skip. */
export function makeStorage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, leaseFileName), '');
  const database = openSqlite(path.join(folder, databaseFileName));
  database.exec('CREATE TABLE needle (word TEXT)');
  database.close();
}
