import assert from 'node:assert/strict';
import { isMigrated, migrateOnce, newestVersion } from '../../../src/services/database/migrations';
import { fileOf, Workbench } from './support/stores';
import { openSqlite } from '../../../src/services/database/sqlite';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('migrations', () => {
  it('look again inside the transaction whether another window has been faster', () => {
    const file = fileOf(bench.folder());
    const [first, second] = [openSqlite(file), openSqlite(file)];
    assert.deepEqual([isMigrated(first), isMigrated(second)], [false, false]);
    migrateOnce(first);
    migrateOnce(second);
    assert.deepEqual([isMigrated(first), isMigrated(second)], [true, true]);
    first.close();
    second.close();
  });

  it('refuse a version that is newer than this build', () => {
    const database = openSqlite(':memory:');
    database.exec(`PRAGMA user_version = ${newestVersion + 1}`);
    assert.throws(() => isMigrated(database), { code: 'newer' });
    assert.throws(() => migrateOnce(database), { code: 'newer' });
    database.close();
  });
});
