import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { LanceError } from '../../../src/services/codebase/lance/lanceError';
import { LanceLink } from '../../../src/services/codebase/lance/lanceLink';
import { MirroredVectors, type MirrorOptions } from '../../../src/services/codebase/lance/mirroredVectors';
import { openSqlite, type DatabaseSync } from '../../../src/services/database/sqlite/sqlite';
import { LanceDouble } from './support/lanceDouble';

const rows = [Float32Array.of(1, 0), Float32Array.of(0, 1), Float32Array.of(1, 1)].map((vector, id) => ({ id, vector }));

describe('vectors that are kept in LanceDB too', () => {
  let folder = '';
  let database: DatabaseSync;
  let lance: LanceDouble;
  let link: LanceLink;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-lance-'));
    database = openSqlite(':memory:');
    database.exec(`CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, bytes BLOB NOT NULL)`);
    lance = new LanceDouble();
    link = new LanceLink(lance, folder);
  });
  afterEach(async () => {
    await link.close();
    database.close();
    await rm(folder, { recursive: true, force: true });
  });

  function open(options: Partial<MirrorOptions> = {}): MirroredVectors {
    return new MirroredVectors(database, { tables: link.of('code'), isUsed: true, mayWrite: () => true, ...options });
  }
  const stored = () => [...lance.tables.values()].map((table) => [...table.keys()]);
  const nearest = async (store: MirroredVectors) => (await store.nearest(Float32Array.of(1, 0), 3)).map(({ id }) => id);

  it('takes in what there was before, and follows what is removed in the database itself', async () => {
    await open({ isUsed: false }).put(rows);
    const store = open();
    assert.deepEqual([await nearest(store), stored()], [[0, 2, 1], [[0, 1, 2]]]);
    database.exec('DELETE FROM vectors WHERE chunk = 2');
    assert.deepEqual([await nearest(store), stored()], [[0, 1], [[0, 1]]]);
    assert.equal(lance.calls.at(-1), 'nearest');
  });

  it('makes the table anew where a write fails, and has lost nothing', async () => {
    const store = open();
    await store.put(rows.slice(0, 2));
    let left = 1;
    lance.fail = ({ kind }) => (kind === 'put' && left-- > 0 ? new LanceError('failed', 'merge panicked') : null);
    await store.put(rows.slice(2));
    assert.deepEqual([await nearest(store), stored().at(-1), link.trouble], [[0, 2, 1], [0, 1, 2], null]);
    assert.equal(readdirSync(folder).length, 1, 'the table that failed is gone');
  });

  it('answers from the database where the process ends, and says why', async () => {
    const store = open();
    lance.fail = ({ kind }) => (kind === 'probe' ? null : new LanceError('ended', 'SIGILL'));
    await store.put(rows);
    assert.deepEqual([await nearest(store), link.trouble], [[0, 2, 1], 'SIGILL']);
    lance.fail = () => null;
    assert.deepEqual(
      [await nearest(store), await nearest(store), link.trouble, stored()],
      [[0, 2, 1], [0, 2, 1], null, [[0, 1, 2]]],
    );
  });

  it('never asks LanceDB where it was probed in vain', async () => {
    lance.fail = () => new LanceError('missing', 'LanceDB is not installed');
    const store = open();
    await store.put(rows);
    assert.deepEqual([await nearest(store), link.trouble, lance.calls], [[0, 2, 1], 'LanceDB is not installed', ['probe']]);
  });

  it('makes the table anew where it has not what the database has', async () => {
    await open().put(rows);
    [...lance.tables.values()][0]?.delete(1);
    assert.deepEqual(await nearest(open()), [0, 2, 1]);
    assert.deepEqual(stored().at(-1), [0, 1, 2]);
  });

  it('leaves nothing on the disk of what was removed, where that is asked for, and closes the process before', async () => {
    const store = open({ isStrict: true });
    await store.put(rows);
    const [before] = readdirSync(folder);
    database.exec('DELETE FROM vectors WHERE chunk = 1');
    await store.sync();
    assert.equal(readdirSync(folder).includes(before ?? ''), false);
    assert.deepEqual([stored().at(-1), lance.closings], [[0, 2], 1]);
  });

  it('writes in one window alone; others read the same table', async () => {
    const writer = open();
    const reader = open({ mayWrite: () => false });
    await writer.put(rows);
    assert.deepEqual([await nearest(reader), lance.calls.at(-1)], [[0, 2, 1], 'nearest']);
    const before = lance.calls.length;
    database.exec('DELETE FROM vectors WHERE chunk = 0');
    assert.deepEqual(
      [await nearest(reader), lance.calls.length],
      [[2, 1], before],
      'what LanceDB does not know yet is not asked of it',
    );
  });

  it('takes vectors of another length after all are gone', async () => {
    const store = open();
    await store.put(rows);
    await store.clear();
    await store.put([{ id: 0, vector: Float32Array.of(1, 2, 3) }]);
    assert.equal((await store.nearest(Float32Array.of(1, 2, 3), 1))[0]?.id, 0);
    assert.equal(lance.calls.at(-1), 'nearest');
  });

  it('removes the tables where LanceDB is no longer chosen', async () => {
    await open().put(rows);
    const store = open({ isUsed: false });
    assert.deepEqual([await nearest(store), readdirSync(folder)], [[0, 2, 1], []]);
    await store.put(rows);
    assert.deepEqual(database.prepare("SELECT name FROM sqlite_master WHERE name LIKE 'lance%'").all(), []);
  });
});
