import path from 'node:path';
import { CheckpointEngine } from '../../../src/services/checkpoint/engine/checkpointEngine';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import { databaseFileName } from '../../../src/services/database/sqlite/databaseFile';
import { migrateOnce } from '../../../src/services/database/sqlite/migrations';
import { isMigrated } from '../../../src/services/database/sqlite/schemaVersion';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { createOwner } from '../../../src/services/database/sessions/windowOwner';
import { systemClock } from '../../../src/utils/clock';

/** Creates a database with the session `session`. */
export function migrate(directory: string): void {
  const database = openSqlite(path.join(directory, databaseFileName));
  database.exec('PRAGMA journal_mode = WAL');
  while (!isMigrated(database)) migrateOnce(database);
  database.exec("INSERT OR IGNORE INTO sessions (id, title, mode, created_at, updated_at) VALUES ('session', '', 'agent', 0, 0)");
  database.close();
}

/** Returns an engine like the worker's, with the session `session`. */
export function engineOn(directory: string): CheckpointEngine {
  migrate(directory);
  const environment = { home: directory, configHome: directory, systemConfig: path.join(directory, 'none') };
  const surroundings = { fileSystem: nodeFileSystem, clock: systemClock, isCancelled: () => false };
  const workers = path.join(__dirname, '../../../src/services/checkpoint/engine');
  const threads = { blockThreadPath: path.join(workers, 'blockWorker.js'), syncThreadPath: path.join(workers, 'syncWorker.js') };
  return new CheckpointEngine({ directory, owner: createOwner(), environment, ...threads, ...surroundings });
}
