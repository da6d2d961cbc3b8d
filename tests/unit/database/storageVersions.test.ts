import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { migrateOnce, migrations } from '../../../src/services/database/sqlite/migrations';
import { newestVersion } from '../../../src/services/database/sqlite/schemaVersion';
import { openSqlite, type DatabaseSync } from '../../../src/services/database/sqlite/sqlite';
import { fileOf, userInput, withRaw, Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

/** First characters of the SHA-256 of each published migration. A new migration adds a value. Existing values never change. */
const published: string[] = [
  ...['2be4c1f9a38c', '1bad9bd4d20e', 'e3d4d2e7f472', '8aabb150d88a', '76528df615b1', '4ef733bac8b5'],
  ...['f21ac15bd869', '8bc27154345a', '169a8f08a094', '67dc3c62d122', '4e2aa56a6d8e', '1833e47f919a'],
  ...['0a28e73304df', '8c2ced265136', 'a754ad4c5067', 'b51e1446c7f4', '0482ee16508d', '8edf2265da7c'],
  ...['e69a919d9fda', '028ee5c3033d', 'baed50543058', '6d1143082d3b', 'da6ec8f6d4ad'],
  ...['60a624f296a6', '94bef6e2749a', '80d52b39f364', '176930d4f73f'],
];

/** Rows to insert, by the table that they need. */
const rows: Record<string, string> = {
  sessions: `INSERT INTO sessions (id, title, mode, revision, created_at, updated_at) VALUES ('s', 'An old one', 'agent', 2, 1, 2)`,
  messages: `INSERT INTO messages (id, session_id, seq, revision, type, role, content, data, timestamp) VALUES
    ('m1', 's', 1, 1, 'user_input', 'user', 'Where is 北京?', '{"mode":"agent","attachments":[]}', 1),
    ('m2', 's', 2, 2, 'assistant_output', 'assistant', 'In the north.', '{"end":"complete"}', 2)`,
  models: `INSERT INTO models (name, digest, size, fetched_at) VALUES ('tiny:1b', 'd', 1, 1)`,
  queued_messages: `INSERT INTO queued_messages (id, session_id, position, text, created_at) VALUES ('q', 's', 1, 'Next', 1)`,
  snapshot_packs: `INSERT INTO snapshot_packs (id, name, length, created_at) VALUES (1, 'pack', 10, 1)`,
  snapshot_objects: `INSERT INTO snapshot_objects (id, hash, size, pack_id, stored_at) VALUES (1, '${'a'.repeat(64)}', 5, 1, 1)`,
  snapshot_roots: `INSERT INTO snapshot_roots (id, path) VALUES (1, '/work')`,
  file_snapshots: `INSERT INTO file_snapshots (session_id, turn_seq, path, shown, object_id, created_at)
    VALUES ('s', 1, '/work/a.ts', 'a.ts', 1, 1)`,
  made_folders: `INSERT INTO made_folders (path, mark) VALUES ('/work/new', 'x')`,
  hunk_answers: `INSERT INTO hunk_answers (session_id, snapshot_id, action, to_object_id, created_at) VALUES ('s', 1, 'keep', 1, 1)`,
  tool_events: `INSERT INTO tool_events (session_id, tool_name, success, created_at) VALUES ('s', 'read_file', 1, 1)`,
  images: `INSERT INTO images (id, hash, type, bytes, created_at) VALUES (1, 'h', 'image/png', x'00', 1)`,
  session_images: `INSERT INTO session_images (session_id, image_id) VALUES ('s', 1)`,
};

describe('a database of an earlier version', () => {
  for (let version = 1; version <= newestVersion; version += 1) {
    it(`opens with all its rows: version ${version}`, async () => {
      const directory = bench.folder();
      const made = openSqlite(fileOf(directory));
      for (let step = 0; step < version; step += 1) migrateOnce(made);
      const tables = Object.keys(rows).filter((table) => columnsOf(made, table).length > 0);
      for (const table of tables) made.exec(rows[table] ?? '');
      const columns = new Map(tables.map((table) => [table, columnsOf(made, table)]));
      const before = contents(made, columns);
      made.close();

      const service = await bench.service(directory);
      assert.equal(service.readOnlyBecause, null);
      assert.deepEqual(
        (await service.log.read('s', 0)).entries.map(({ content }) => content),
        ['Where is 北京?', 'In the north.'],
      );
      withRaw(directory, (raw) => {
        assert.deepEqual(contents(raw, columns), before);
        const pragmas = ['user_version', 'integrity_check', 'foreign_key_check'];
        const values = pragmas.map((pragma) =>
          raw
            .prepare(`PRAGMA ${pragma}`)
            .all()
            .flatMap((row) => Object.values(row)),
        );
        assert.deepEqual(values, [[newestVersion], ['ok'], []]);
      });
      assert.equal((await service.log.append('s', userInput('And now?'))).seq, 3);
      assert.equal((await service.search({ query: 'north', offset: 0, limit: 5 })).found.length, 1);
    });
  }

  it('is tested with rows of every table that the newest version has for them', () => {
    const newest = openSqlite(':memory:');
    for (let step = 0; step < newestVersion; step += 1) migrateOnce(newest);
    assert.deepEqual(
      Object.keys(rows).filter((table) => columnsOf(newest, table).length === 0),
      [],
    );
    newest.close();
  });

  it('was made by migrations that have not changed since', () => {
    const hashes = migrations.map((sql) => createHash('sha256').update(sql).digest('hex').slice(0, 12));
    assert.deepEqual(hashes, published);
  });
});

function columnsOf(database: DatabaseSync, table: string): string[] {
  return database
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map((row) => String(row['name']));
}

/** Returns the rows of all tables, with the columns that the version had. */
function contents(database: DatabaseSync, columns: Map<string, string[]>): unknown {
  return [...columns].map(([table, names]) => [
    table,
    database
      .prepare(`SELECT ${names.join(', ')} FROM ${table}`)
      .all()
      .map((row) => ({ ...row })),
  ]);
}
