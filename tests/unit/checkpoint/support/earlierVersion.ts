import path from 'node:path';
import { databaseFileName } from '../../../../src/services/database/sqlite/databaseFile';
import { migrateOnce } from '../../../../src/services/database/sqlite/migrations';
import { newestVersion } from '../../../../src/services/database/sqlite/schemaVersion';
import { openSqlite } from '../../../../src/services/database/sqlite/sqlite';
import type { Seeded } from './seeded';

/** Creates a database in the format of a random earlier version, with a session named `session`. Returns its entries. */
export function writeEarlier(folder: string, random: Seeded): { id: string; content: string }[] {
  const database = openSqlite(path.join(folder, databaseFileName));
  database.exec('PRAGMA journal_mode = WAL');
  const version = 1 + random.below(newestVersion - 1);
  for (let step = 0; step < version; step += 1) migrateOnce(database);
  const entries = Array.from({ length: 1 + random.below(20) }, (_, index) => ({
    id: `m${index + 1}`,
    content: `earlier ${random.below(1e9)}`,
  }));
  database
    .prepare("INSERT INTO sessions (id, title, mode, revision, created_at, updated_at) VALUES ('session', '', 'ask', ?, 1, 1)")
    .run(entries.length);
  const insert = database.prepare(`
    INSERT INTO messages (id, session_id, seq, revision, type, role, content, data, timestamp)
    VALUES (:id, 'session', :seq, :seq, 'user_input', 'user', :content, '{"mode":"ask","attachments":[]}', 1)`);
  for (const [index, { id, content }] of entries.entries()) insert.run({ id, content, seq: index + 1 });
  database.close();
  return entries;
}
