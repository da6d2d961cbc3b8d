import assert from 'node:assert/strict';
import path from 'node:path';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import { StoredBytes } from '../../../src/services/checkpoint/engine/objects/storedBytes';
import type { DatabaseSync } from '../../../src/services/database/sqlite/sqlite';
import { EngineBench } from './support/engineBench';

describe('the share of the database that checkpoints take', () => {
  let bench: EngineBench;
  /** Error that queries on `dbstat` report. */
  let failure: string | null;
  let stored: StoredBytes;

  beforeEach(() => {
    bench = new EngineBench();
    for (let file = 0; file < 1_000; file += 1) bench.write(`folder/file-${file}.txt`, `${file % 7}`);
    bench.checkpoint('One');
    failure = null;
    const { database } = bench.store;
    const failing: Pick<DatabaseSync, 'prepare'> = {
      prepare: (sql) => {
        if (failure !== null && sql.includes('dbstat')) throw new Error(failure);
        return database.prepare(sql);
      },
    };
    const place = { directory: path.join(bench.storage, 'none', 'objects'), fileSystem: nodeFileSystem };
    stored = new StoredBytes(failing as DatabaseSync, place);
  });
  afterEach(() => bench.clean());

  it('is not known while it cannot be counted, and counted once it can', () => {
    failure = 'database is locked';
    assert.throws(() => stored.measure(), { message: failure });
    failure = null;
    assert.ok(stored.measure().bytes > 1_000 * 10);
  });

  it('is left out where SQLite cannot count it', () => {
    failure = 'no such table: dbstat';
    assert.equal(stored.measure().bytes, 0);
    failure = null;
    assert.ok(stored.measure().bytes > 1_000 * 10);
  });

  it('is remembered while little has changed, but for who has to know', () => {
    const { bytes } = stored.measure();
    const pages = () => Number(bench.rows('PRAGMA page_count')[0]?.[0]);
    const before = pages();
    for (let file = 0; pages() === before; file += 1) {
      bench.rows(
        `INSERT INTO manifest_entries (manifest_id, root_id, path, kind, mode, object_id, flags)
         SELECT manifest_id, root_id, ?, kind, mode, object_id, flags FROM manifest_entries LIMIT 1`,
        `folder/other-${file}.txt`,
      );
    }
    assert.equal(stored.measure().bytes, bytes);
    assert.ok(stored.measure(true).bytes > bytes);
  });
});
