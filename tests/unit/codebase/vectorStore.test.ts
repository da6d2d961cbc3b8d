import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSqlite, type DatabaseSync } from '../../../src/services/database/sqlite/sqlite';
import { LanceClient } from '../../../src/services/codebase/lance/lanceClient';
import { lanceModuleIn } from '../../../src/services/codebase/lance/lanceModule';
import { LanceVectors } from '../../../src/services/codebase/lance/lanceVectors';
import { LanceLink } from '../../../src/services/codebase/lance/lanceLink';
import { MirroredVectors } from '../../../src/services/codebase/lance/mirroredVectors';
import { ScanVectors } from '../../../src/services/codebase/vectors/scanVectors';
import type { VectorStore } from '../../../src/services/codebase/vectors/vectorStore';

/** Returns clustered random vectors, similar to those of texts. Deterministic by seed. */
export function vectorsOf(count: number, dimension: number, seed = 1): Float32Array[] {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const gauss = (): number => next() + next() + next();
  const centres = Array.from({ length: 40 }, () => Float32Array.from({ length: dimension }, gauss));
  return Array.from({ length: count }, (_, index) => {
    const centre = centres[index % centres.length] as Float32Array;
    return centre.map((value) => value + gauss() * 1.5);
  });
}

function exact(all: readonly Float32Array[], query: Float32Array, limit: number): number[] {
  const cosine = (one: Float32Array): number => {
    let product = 0;
    let square = 0;
    for (const [index, value] of one.entries()) {
      product += value * (query[index] ?? 0);
      square += value * value;
    }
    return product / Math.sqrt(square);
  };
  const ranked = all.map((vector, id) => ({ id, similarity: cosine(vector) })).sort((a, b) => b.similarity - a.similarity);
  return ranked.slice(0, limit).map(({ id }) => id);
}

/** Tests the contract of every vector store. `reopen` returns the same store after a restart. */
function contract(
  name: string,
  open: () => { store: VectorStore; reopen: () => VectorStore; close: () => void | Promise<void> },
): void {
  describe(`a store of vectors: ${name}`, () => {
    let opened: ReturnType<typeof open>;
    beforeEach(() => (opened = open()));
    afterEach(() => opened.close());
    const put = (store: VectorStore, vectors: readonly Float32Array[]) =>
      store.put(vectors.map((vector, id) => ({ id, vector })));

    it('finds at least 95 of 100 of the true nearest ten', async () => {
      const vectors = vectorsOf(3_000, 384);
      await put(opened.store, vectors);
      let hits = 0;
      for (const query of vectorsOf(20, 384, 7)) {
        const found = new Set((await opened.store.nearest(query, 10)).map(({ id }) => id));
        hits += exact(vectors, query, 10).filter((id) => found.has(id)).length;
      }
      assert.ok(hits >= 190, `${hits} of 200`);
    });

    it('tells the cosine, nearest first', async () => {
      await put(opened.store, [Float32Array.of(1, 0), Float32Array.of(0, 2), Float32Array.of(3, 3)]);
      const found = await opened.store.nearest(Float32Array.of(5, 0), 3);
      assert.deepEqual(
        found.map(({ id, similarity }) => [id, Math.round(similarity * 100)]),
        [
          [0, 100],
          [2, 71],
          [1, 0],
        ],
      );
    });

    it('replaces, removes and clears', async () => {
      const { store } = opened;
      await put(store, [Float32Array.of(1, 0), Float32Array.of(0, 1)]);
      await store.put([{ id: 0, vector: Float32Array.of(0, 1) }]);
      assert.equal((await store.nearest(Float32Array.of(0, 1), 5)).filter(({ similarity }) => similarity > 0.9).length, 2);
      await store.remove([1, 99]);
      assert.deepEqual([(await store.nearest(Float32Array.of(0, 1), 5)).map(({ id }) => id), await store.count()], [[0], 1]);
      await store.clear();
      assert.deepEqual([await store.nearest(Float32Array.of(0, 1), 5), await store.count()], [[], 0]);
      await store.put([{ id: 3, vector: Float32Array.of(1, 2, 3) }]);
      assert.equal((await store.nearest(Float32Array.of(1, 2, 3), 5))[0]?.id, 3);
    });

    it('refuses what is no number or of another length, and keeps what it has', async () => {
      const { store } = opened;
      await put(store, [Float32Array.of(1, 0)]);
      const refused = (vector: Float32Array, code: string) =>
        assert.rejects(
          store.put([
            { id: 7, vector: Float32Array.of(0, 1) },
            { id: 8, vector },
          ]),
          { code },
        );
      await refused(Float32Array.of(Number.NaN, 1), 'notFinite');
      await refused(Float32Array.of(0, 0), 'notFinite');
      await refused(Float32Array.of(1, 2, 3), 'dimension');
      await assert.rejects(store.nearest(Float32Array.of(1, 2, 3), 1), { code: 'dimension' });
      assert.equal(await store.count(), 1);
    });

    it('has all after it is opened again, and what another connection wrote', async () => {
      const vectors = vectorsOf(50, 64);
      await put(opened.store, vectors);
      const again = opened.reopen();
      const query = vectors[17] as Float32Array;
      assert.equal((await again.nearest(query, 1))[0]?.id, 17);
      await opened.store.put([{ id: 100, vector: query.map((value) => -value) }]);
      assert.equal(
        (
          await again.nearest(
            query.map((value) => -value),
            1,
          )
        )[0]?.id,
        100,
      );
    });
  });
}

contract('the built-in one', () => {
  const database = openSqlite(':memory:');
  database.exec('CREATE TABLE vectors (chunk INTEGER PRIMARY KEY, bytes BLOB NOT NULL)');
  // `data_version` does not show writes on the same connection, so `reopen` starts with empty memory.
  const store = new ScanVectors(database);
  return { store, reopen: () => new Reloading(database), close: () => database.close() };
});

const processFile = path.join(__dirname, '../../../src/services/codebase/lance/lanceProcess.js');

/** Opens LanceDB as two windows do: two processes on one folder. */
function lance(): { store: VectorStore; reopen: () => VectorStore; close: () => Promise<void> } {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-lance-'));
  const clients: LanceClient[] = [];
  const open = (): VectorStore => {
    const client = new LanceClient(processFile);
    clients.push(client);
    return new LanceVectors(client, { folder, table: 'vectors' });
  };
  const close = async (): Promise<void> => {
    for (const client of clients) await client.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { store: open(), reopen: open, close };
}

/** Opens a database that one window writes and another reads, each with its own LanceDB process. */
function mirrored(): { store: VectorStore; reopen: () => VectorStore; close: () => Promise<void> } {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-lance-'));
  const opened: { links: LanceLink[]; stores: MirroredVectors[]; databases: DatabaseSync[] } = {
    links: [],
    stores: [],
    databases: [],
  };
  const open = (isWriter: boolean): VectorStore => {
    const database = openSqlite(path.join(folder, 'index.sqlite'));
    database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS vectors (chunk INTEGER PRIMARY KEY, bytes BLOB NOT NULL)`);
    const link = new LanceLink(new LanceClient(processFile), folder);
    const store = new MirroredVectors(database, { tables: link.of('code'), isUsed: true, mayWrite: () => isWriter });
    opened.links.push(link);
    opened.stores.push(store);
    opened.databases.push(database);
    return store;
  };
  const close = async (): Promise<void> => {
    for (const store of opened.stores) await store.close();
    for (const link of opened.links) {
      assert.equal(link.trouble, null);
      await link.close();
    }
    for (const database of opened.databases) database.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { store: open(true), reopen: () => open(false), close };
}

if (lanceModuleIn(__dirname) !== null) {
  contract('LanceDB', lance);
  contract('LanceDB beside the built-in one', mirrored);
} else
  describe('a store of vectors: LanceDB, which is not installed', () => {
    it('says so', async () => {
      const opened = lance();
      await assert.rejects(opened.store.count(), { code: 'missing' });
      await opened.close();
    });
  });

/** Store that starts with empty memory on each call. */
class Reloading implements VectorStore {
  constructor(private readonly database: ReturnType<typeof openSqlite>) {}
  private get fresh(): ScanVectors {
    return new ScanVectors(this.database);
  }
  put = (...args: Parameters<VectorStore['put']>) => this.fresh.put(...args);
  remove = (...args: Parameters<VectorStore['remove']>) => this.fresh.remove(...args);
  nearest = (...args: Parameters<VectorStore['nearest']>) => this.fresh.nearest(...args);
  count = () => this.fresh.count();
  clear = () => this.fresh.clear();
}
