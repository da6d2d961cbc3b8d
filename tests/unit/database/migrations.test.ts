import assert from 'node:assert/strict';
import { migrateOnce, migrations } from '../../../src/services/database/sqlite/migrations';
import { isMigrated, newestVersion } from '../../../src/services/database/sqlite/schemaVersion';
import { fileOf, withRaw, Workbench } from './support/stores';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('migrations', () => {
  it('are as many as the version says that is written', () => {
    assert.equal(migrations.length, newestVersion);
  });

  it('look again inside the transaction whether another window has been faster', () => {
    const file = fileOf(bench.folder());
    const first = openSqlite(file);
    const second = openSqlite(file);
    assert.deepEqual([isMigrated(first), isMigrated(second)], [false, false]);
    // Both connections see each pending migration, but only one of them applies it.
    for (let step = 0; step < newestVersion; step += 1) migrateOnce(step % 2 === 0 ? first : second);
    assert.deepEqual([isMigrated(first), isMigrated(second)], [true, true]);
    migrateOnce(first);
    assert.equal(second.prepare('PRAGMA user_version').get()?.['user_version'], newestVersion);
    first.close();
    second.close();
  });

  it('leave what an earlier version wrote as it was, and make it findable', async () => {
    const directory = bench.folder();
    const database = openSqlite(fileOf(directory));
    migrateOnce(database);
    assert.equal(database.prepare('PRAGMA user_version').get()?.['user_version'], 1);
    database.exec(`
      INSERT INTO sessions (id, title, mode, revision, created_at, updated_at) VALUES ('s', 'An old one', 'ask', 2, 1, 2);
      INSERT INTO messages (id, session_id, seq, revision, type, role, content, data, timestamp) VALUES
        ('m1', 's', 1, 1, 'user_input', 'user', 'Where is 北京?', '{"mode":"ask","attachments":[]}', 1),
        ('m2', 's', 2, 2, 'assistant_output', 'assistant', 'In the north.', '{"end":"complete"}', 2)`);
    const stored = (columns: string) =>
      withRaw(directory, (raw) => raw.prepare(`SELECT ${columns} FROM messages ORDER BY seq`).all());
    const before = stored('*');
    database.close();
    const service = await bench.service(directory);
    assert.equal((await service.log.read('s', 0)).entries.length, 2);
    assert.equal((await service.sessions.get('s'))?.is_inline, 0);
    for (const query of ['京', 'north', 'old']) {
      const { found } = await service.search({ query, offset: 0, limit: 10 });
      assert.deepEqual(
        found.map(({ sessionId }) => sessionId),
        ['s'],
        query,
      );
    }
    assert.deepEqual(stored(Object.keys(before[0] ?? {}).join()), before);
  });

  it('refuse a version that is newer than this build', () => {
    const database = openSqlite(':memory:');
    database.exec(`PRAGMA user_version = ${newestVersion + 1}`);
    assert.throws(() => isMigrated(database), { code: 'newer' });
    assert.throws(() => migrateOnce(database), { code: 'newer' });
    database.close();
  });
});
