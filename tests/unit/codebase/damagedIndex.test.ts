import assert from 'node:assert/strict';
import { openSync, closeSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { IndexError, openIndex } from '../../../src/services/codebase/engine/indexFile';
import { openSqlite } from '../../../src/services/database/sqlite/sqlite';
import { CodebaseBench } from './codebaseBench';

/** Groups of synonyms. Each group is one dimension. */
const meanings = [/car|automobile/i, /dog|hound|puppy/i, /tree|oak/i];
const vectorOf = (text: string): number[] => [...meanings.map((meaning) => (meaning.test(text) ? 1 : 0)), 0.1];

describe('a damaged vector index', () => {
  let bench: CodebaseBench;
  /** Number of texts that the server has embedded. */
  let embedded: number;
  beforeEach(async () => {
    bench = await CodebaseBench.start({ 'a.txt': 'automobile', 'b.txt': 'hound', 'c.txt': 'oak' });
    bench.model = 'embed';
    bench.embed = async (model, input) => {
      embedded += input.length;
      return { model, embeddings: input.map(vectorOf) };
    };
    await bench.codebase.settled();
    await bench.codebase.embed();
    await bench.codebase.dispose();
    embedded = 0;
  });
  afterEach(() => bench.stop());

  const indexFile = () => path.join(bench.directory, readdirSync(bench.directory).find((name) => name.endsWith('.sqlite')) ?? '');

  /** Reopens the index, as at the next editor start. */
  const start = async (): Promise<void> => {
    await bench.reopen();
    await bench.codebase.settled();
    await bench.codebase.embed();
  };
  const state = async () => {
    const { isDamaged, vectors } = await bench.codebase.status();
    return [isDamaged, vectors];
  };

  /** Overwrites only the first page of a table. Other tables stay readable. */
  const damage = (table: 'vectors' | 'chunks') => {
    const database = openSqlite(indexFile(), {});
    const page = Number(database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table)?.['rootpage']);
    const size = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    const file = openSync(indexFile(), 'r+');
    writeSync(file, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
    closeSync(file);
  };

  it('is embedded again only when a person asks for it, and words are found meanwhile', async () => {
    writeFileSync(indexFile(), 'no database at all');
    await start();
    assert.deepEqual([await state(), embedded], [[true, 0], 0]);
    assert.deepEqual(await bench.paths('hound'), ['b.txt']);
    await start();
    await bench.codebase.updateFiles([await bench.write('d.txt', 'puppy')]);
    await bench.codebase.embed();
    assert.deepEqual([await state(), await bench.paths('puppy')], [[true, 0], ['d.txt']]);
    assert.equal(embedded, 2, 'the two queries');
    await bench.codebase.recreate();
    await bench.codebase.embed();
    assert.deepEqual(
      [await state(), (await bench.paths('puppy')).slice(0, 2).sort()],
      [
        [false, 4],
        ['b.txt', 'd.txt'],
      ],
    );
    await start();
    assert.deepEqual(await state(), [false, 4]);
  });

  it('is noticed where only the vectors are damaged, and a change to a file keeps words found', async () => {
    damage('vectors');
    await start();
    assert.deepEqual([(await state())[0], await bench.paths('oak'), embedded <= 1], [true, ['c.txt'], true]);
    await bench.codebase.updateFiles([await bench.write('c.txt', 'maple')]);
    await bench.codebase.settled();
    embedded = 0;
    await bench.codebase.embed();
    assert.deepEqual([(await state())[0], embedded], [true, 0]);
    assert.deepEqual([await bench.paths('maple'), await bench.paths('automobile')], [['c.txt'], ['a.txt']]);
  });

  it('is not what another program has locked: that stays as it is', () => {
    const file = indexFile();
    const other = openSqlite(file, {});
    other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    try {
      assert.throws(() => openIndex(file, true), { code: 'unavailable' });
    } finally {
      other.close();
    }
    const database = openIndex(file, true);
    assert.equal(database.prepare('SELECT count(*) AS n FROM vectors').get()?.['n'], 3);
    database.close();
  });

  it('is noticed when it is opened where the page of another table is damaged', () => {
    damage('chunks');
    assert.throws(() => openIndex(indexFile(), false), IndexError);
  });

  it('is reported in another window too, and over once the index is deleted', async () => {
    writeFileSync(indexFile(), '');
    await start();
    const other = bench.open();
    try {
      await other.settled();
      await other.embed();
      assert.deepEqual([(await other.status()).isDamaged, embedded], [true, 0]);
    } finally {
      await other.dispose();
    }
    await bench.codebase.remove();
    await start();
    assert.deepEqual(await state(), [false, 3]);
  });
});
