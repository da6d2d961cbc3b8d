import assert from 'node:assert/strict';
import { ManifestStore } from '../../../src/services/checkpoint/engine/manifests/manifestStore';
import type { Changes, Files } from '../../../src/services/checkpoint/engine/manifests/manifestReader';
import type { FileState } from '../../../src/services/checkpoint/engine/scan/scannedFile';
import { inTransaction } from '../../../src/services/database/sqlite/ownConnection';
import type { DatabaseSync, StatementSync } from '../../../src/services/database/sqlite/sqlite';
import { systemClock } from '../../../src/utils/clock';
import { EngineBench } from './support/engineBench';
import { Seeded } from './support/seeded';

const count = 10_000;
const chainLength = 1_024;
const fileCount = 16;
/** Maximum number of deltas per manifest: one for each bit of its position, and the full manifest. */
const mostDeltas = Math.log2(chainLength) + 1;

/** Counts reads on a connection. */
class CountedReads {
  statements = 0;
  rows = 0;
  readonly database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.database = new Proxy(database, {
      get: (real, name) =>
        name === 'prepare'
          ? (sql: string) => this.counted(real.prepare(sql))
          : (Reflect.get(real, name, real) as (...given: unknown[]) => unknown).bind(real),
    });
  }

  private counted(statement: StatementSync): StatementSync {
    return new Proxy(statement, {
      get: (real, name) => {
        const method = (Reflect.get(real, name, real) as (...given: unknown[]) => unknown).bind(real);
        return (...given: unknown[]) => {
          const answer = method(...given);
          this.statements += 1;
          this.rows += Array.isArray(answer) ? answer.length : answer === undefined ? 0 : 1;
          return answer;
        };
      },
    });
  }
}

type Tree = ReadonlyMap<string, string>;

/** Ten thousand checkpoints, each of which changes, adds or deletes one file. */
class LongHistory {
  readonly bench = new EngineBench();
  readonly trees = new Map<string, Tree>();
  readonly manifests = new Map<string, number>();
  private readonly random = new Seeded(7);
  private readonly hashes: string[];

  constructor() {
    const store = this.bench.store.store();
    this.hashes = store.put(Array.from({ length: 8 }, (_, index) => Buffer.from(`content ${index}`)));
    store.release();
    const { database } = this.bench.store;
    const manifests = new ManifestStore(database, systemClock);
    const root = manifests.numberRoot(this.bench.root);
    const inRoot = new Map<string, FileState>();
    const files: Files = new Map([[root, inRoot]]);
    const addCheckpoint = database.prepare(`
      INSERT INTO checkpoints (id, session_id, kind, title, work_session, state, manifest_id, created_at)
      VALUES (?, 'session', 'manual', '', 'session_1', 'taken', ?, ?)`);
    inTransaction(database, () => {
      for (let file = 0; file < fileCount; file += 1) inRoot.set(`file${file}`, this.state());
      let latest: number | null = null;
      for (let index = 0; index < count; index += 1) {
        latest = manifests.insert(latest, [root], files, index === 0 ? files : this.change(root, inRoot));
        const id = `ckpt_${String(index).padStart(13, '0')}_000000000000`;
        addCheckpoint.run(id, latest, index);
        this.manifests.set(id, latest);
        this.trees.set(id, new Map([...inRoot].map(([path, { hash }]) => [path, hash ?? ''])));
      }
    });
  }

  get ids(): string[] {
    return [...this.trees.keys()];
  }

  /** Loads a checkpoint as a restore does and checks its files. */
  check(id: string): void {
    const files = this.bench.engine.checkpoints.files(id).map(({ path, state }): [string, string] => [path, state.hash ?? '']);
    assert.deepEqual(
      new Map(files),
      new Map([...(this.trees.get(id) as Tree)].sort(([one], [other]) => (one < other ? -1 : 1))),
      id,
    );
  }

  remove(id: string): void {
    this.bench.engine.checkpoints.remove(id);
    this.trees.delete(id);
  }

  private state(): FileState {
    return { kind: 1, mode: 0o644, hash: this.random.pick(this.hashes), size: 9, flags: 0 };
  }

  private change(root: number, inRoot: Map<string, FileState>): Changes {
    const path = `file${this.random.below(fileCount)}`;
    const state = inRoot.has(path) && this.random.chance(30) ? null : this.state();
    if (state === null) inRoot.delete(path);
    else inRoot.set(path, state);
    return new Map([[root, new Map([[path, state]])]]);
  }
}

describe(`a chain of ${count} checkpoints`, () => {
  let history: LongHistory;
  before(() => (history = new LongHistory()));
  after(() => history.bench.clean());

  const depth = (id: string): unknown =>
    history.bench.rows(
      `WITH RECURSIVE chain (id, base_id) AS (
         SELECT id, base_id FROM manifests WHERE id = (SELECT manifest_id FROM checkpoints WHERE checkpoints.id = ?)
         UNION ALL SELECT m.id, m.base_id FROM manifests m JOIN chain ON m.id = chain.base_id)
       SELECT count(*) FROM chain`,
      id,
    )[0]?.[0];

  it('opens any of them from as few deltas as it has bits, however long it is', () => {
    const reads = new CountedReads(history.bench.store.database);
    const manifests = new ManifestStore(reads.database, systemClock);
    const some = [...history.manifests].filter((_, index) => index % 5 === 0 || index % chainLength > chainLength - 3);
    for (const [id, manifest] of some) {
      reads.statements = 0;
      reads.rows = 0;
      manifests.load(manifest);
      // One query reads the chain. One query per delta reads its entries, with at most one entry per file.
      assert.ok(reads.statements <= 1 + mostDeltas, `${id}: ${reads.statements} reads`);
      assert.ok(reads.rows <= mostDeltas + mostDeltas * fileCount, `${id}: ${reads.rows} rows`);
    }
    for (const id of history.ids.filter((_, index) => index % 97 === 0)) history.check(id);
  });

  it('compares neighbours by what they do not have in common', () => {
    const reads = new CountedReads(history.bench.store.database);
    const manifests = new ManifestStore(reads.database, systemClock);
    const all = [...history.manifests.values()];
    for (let index = 1; index < count; index += 31) {
      reads.statements = 0;
      reads.rows = 0;
      const changed = [...manifests.changes(all[index - 1] ?? 0, all[index] ?? 0).values()].flatMap((inRoot) => [...inRoot]);
      assert.ok(changed.length <= 1);
      assert.ok(reads.rows <= 4 * mostDeltas * fileCount, `${index}: ${reads.rows} rows`);
    }
  });

  it(`begins anew with a whole manifest after each ${chainLength}`, () => {
    const whole = history.bench.rows('SELECT id, position FROM manifests WHERE base_id IS NULL ORDER BY id');
    const ids = [...history.manifests.values()];
    assert.deepEqual(
      whole,
      Array.from({ length: Math.ceil(count / chainLength) }, (_, chain) => [ids[chain * chainLength], 0]),
    );
    const positions = history.bench.rows('SELECT position FROM manifests ORDER BY id').map(([position]) => position);
    assert.deepEqual(
      positions,
      positions.map((_, index) => index % chainLength),
    );
    assert.deepEqual([depth(history.ids[1_023] ?? ''), depth(history.ids[1_024] ?? '')], [mostDeltas, 1]);
  });

  it('stays what it was while those go that others are based on, at the beginning of a chain too', () => {
    const { ids } = history;
    // Many checkpoints around the ends of two chains, and manifests that most others are based on.
    const around = [chainLength, 2 * chainLength].flatMap((bound) => ids.slice(bound - 40, bound + 40));
    const bases = ids.filter((_, index) => index > 3 * chainLength && index < 4 * chainLength && index % 128 === 0);
    const gone = new Set([...around.filter((_, index) => index % 3 !== 1), ...bases, ids[3 * chainLength] ?? '']);
    for (const id of gone) {
      history.remove(id);
      history.bench.checkReferences();
    }
    for (const id of [...around, ...ids.slice(3 * chainLength, 3 * chainLength + 300)]) if (!gone.has(id)) history.check(id);
    for (const id of history.ids.filter((_, index) => index % 53 === 0)) {
      history.check(id);
      assert.ok(Number(depth(id)) <= mostDeltas, id);
    }
  });

  it('is shortened from its beginning across the bound, and the rest is as near to a whole one as before', () => {
    const old = history.ids.filter((id) => Number(id.split('_')[1]) < 5_000);
    for (const id of old) history.trees.delete(id);
    assert.equal(history.bench.engine.checkpoints.removeOlder('session', 5_000), old.length);
    history.bench.checkReferences();
    for (const id of history.ids.filter((_, index) => index % 41 === 0)) {
      history.check(id);
      assert.ok(Number(depth(id)) <= mostDeltas, id);
    }
    assert.deepEqual(
      history.bench.rows(
        'SELECT count(*) FROM manifests m LEFT JOIN manifests b ON b.id = m.base_id WHERE b.id IS NULL AND m.base_id > 0',
      ),
      [[0]],
    );
  });
});
