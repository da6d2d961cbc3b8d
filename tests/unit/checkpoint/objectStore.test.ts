import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hostname } from 'node:os';
import { FaultyFileSystem } from './support/faultyFileSystem';
import { SnapshotBench } from './support/snapshotBench';
import { seededBytes } from './support/seededBytes';
import { sha256Hex } from '../../../src/utils/sha256';

const randomBytes = seededBytes();

let bench: SnapshotBench;
beforeEach(() => (bench = new SnapshotBench()));
afterEach(() => bench.clean());

const packs = () => readdirSync(bench.objects).map((name) => path.join(bench.objects, name));
const thePack = () => {
  const [pack, ...others] = packs();
  assert.ok(pack !== undefined && others.length === 0);
  return pack;
};
const bytes = (text: string) => Buffer.from(text);

describe('ObjectStore', () => {
  it('gives back what it was given, under its SHA-256, and stores it once', () => {
    const store = bench.store();
    const contents = [bytes('one'), bytes(''), bytes('one'), randomBytes(3_000_000), Buffer.alloc(2_500_000, 7)];
    const hashes = store.put(contents);
    assert.deepEqual(hashes, contents.map(sha256Hex));
    assert.deepEqual(
      hashes.map((hash) => sha256Hex(store.get(hash))),
      hashes,
    );
    const length = statSync(thePack()).size;
    store.put(contents);
    assert.equal(statSync(thePack()).size, length);
    assert.equal(bench.rows('SELECT count(*) FROM snapshot_objects')[0]?.[0], 4);
    assert.equal(sha256Hex(bench.store().get(hashes[3] as string)), hashes[3]);
  });

  it('knows what it has', () => {
    const store = bench.store();
    const [hash = ''] = store.put([bytes('here')]);
    assert.deepEqual([store.has(hash), store.has(sha256Hex(bytes('not here')))], [true, false]);
    assert.throws(() => store.get(sha256Hex(bytes('not here'))), { code: 'missing' });
  });

  it('is given again what was collected by another window while it was looked at', () => {
    const store = bench.store();
    const [hash = ''] = store.put([bytes('nobody’s')]);
    let given = 0;
    store.inBatch((batch) => {
      given += 1;
      batch.add(hash, bytes('nobody’s'));
      if (given > 1) return;
      bench.rows('DELETE FROM snapshot_objects');
      batch.markDamaged(store.unreadable([hash]));
    });
    assert.equal(given, 2);
    assert.equal(String(store.get(hash)), 'nobody’s');
  });

  it('fills blocks of 128 KiB with many small contents', () => {
    const store = bench.store();
    const contents = Array.from({ length: 300 }, (_, index) => Buffer.alloc(10_000, `content ${index} `));
    const hashes = store.put(contents);
    assert.equal(bench.rows('SELECT count(DISTINCT block) FROM snapshot_objects')[0]?.[0], 22);
    hashes.forEach((hash, index) => assert.ok(store.get(hash).equals(contents[index] as Buffer)));
  });

  it('tells damage from content', () => {
    const store = bench.store();
    const [hash = ''] = store.put([randomBytes(5_000)]);
    const good = readFileSync(thePack());
    for (const at of [17, 30, 60, good.length - 3]) {
      const bad = Buffer.from(good);
      bad[at] = (bad[at] as number) ^ 0x55;
      writeFileSync(thePack(), bad);
      assert.throws(() => bench.store().get(hash), { code: 'damaged' }, `byte ${at}`);
    }
    writeFileSync(thePack(), good.subarray(0, good.length - 100));
    assert.throws(() => bench.store().get(hash), { code: 'damaged' });
    rmSync(thePack());
    assert.throws(() => bench.store().get(hash), { code: 'missing' });
  });

  it('ignores the torn tail of a writer that died, and goes on before it', () => {
    const dead = `${hostname().replaceAll('#', '-')}/none#4194303#gone`;
    const [first = ''] = bench.store({ owner: dead }).put([bytes('acknowledged')]);
    appendFileSync(thePack(), randomBytes(1_000));
    // Without an owner. Only processes on this machine can be known to have exited.
    bench.database.exec('UPDATE snapshot_packs SET owner = NULL');
    const store = bench.store();
    const [second = ''] = store.put([bytes('after it')]);
    assert.deepEqual([String(store.get(first)), String(store.get(second))], ['acknowledged', 'after it']);
    assert.equal(bench.rows('SELECT length FROM snapshot_packs')[0]?.[0], statSync(thePack()).size);
  });

  it('never shares a pack between two writers', () => {
    const one = bench.store();
    const two = bench.store();
    const hashes = [one.put([bytes('a')]), two.put([bytes('b')]), one.put([bytes('c')]), two.put([bytes('d')])].flat();
    assert.equal(packs().length, 2);
    assert.deepEqual(
      hashes.map((hash) => String(bench.store().get(hash))),
      ['a', 'b', 'c', 'd'],
    );
    one.dispose();
    bench.store().put([bytes('e')]);
    assert.equal(packs().length, 2);
  });

  it('leaves a pack alone that is shorter than it should be', () => {
    const store = bench.store();
    store.put([bytes('lost')]);
    store.dispose();
    writeFileSync(thePack(), readFileSync(thePack()).subarray(0, 20));
    bench.store().put([bytes('new')]);
    assert.equal(packs().length, 2);
    assert.ok(packs().some((pack) => statSync(pack).size === 20));
  });

  it('rows that refer to an object keep it, and are counted whoever deletes them', () => {
    const store = bench.store();
    const sessionId = bench.session();
    store.put([bytes('kept')]);
    bench.database.exec(`
      INSERT INTO checkpoints (id, session_id, kind, title, state, created_at) VALUES ('c', '${sessionId}', 'manual', '', 'failed', 0);
      INSERT INTO staged_files (checkpoint_id, root_id, path, kind, mode, object_id) VALUES ('c', 1, '.env', 1, 420, 1);
      INSERT INTO manifests (id, position, roots, file_count, total_size, created_at) VALUES (1, 0, '[1]', 1, 4, 0);
      INSERT INTO manifest_entries (manifest_id, root_id, path, kind, mode, object_id) VALUES (1, 1, 'a', 1, 420, 1), (1, 1, 'b', 1, 420, 1)`);
    const count = () => bench.rows('SELECT ref_count FROM snapshot_objects')[0]?.[0];
    assert.equal(count(), 3);
    bench.checkReferences();
    assert.throws(() => bench.database.exec('DELETE FROM snapshot_objects'), /referenced/);
    assert.throws(
      () =>
        bench.database.exec(
          "INSERT INTO manifest_entries (manifest_id, root_id, path, kind, mode, object_id) VALUES (1, 1, 'c', 1, 420, 9)",
        ),
      /no such/,
    );
    bench.database.exec('DELETE FROM manifests');
    assert.equal(count(), 1);
    bench.database.prepare('DELETE FROM sessions WHERE id = ?').run(sessionId);
    assert.equal(count(), 0);
  });

  for (const fault of ['ENOSPC', 'EIO'] as const) {
    it(`acknowledges nothing that ${fault} took, whichever operation it hits, and goes on after it`, () => {
      const faulty = new FaultyFileSystem();
      const store = bench.store({ fileSystem: faulty.fileSystem });
      const acknowledged: string[] = [];
      let failures = 0;
      for (let at = 1; at <= 12; at += 1) {
        faulty.arm(at, fault);
        for (let step = 0; step < 3; step += 1) {
          const content = bytes(`content ${fault} ${at} ${step}`);
          try {
            acknowledged.push(...store.put([content, randomBytes(2_000_000)]));
          } catch (error) {
            failures += 1;
            assert.equal((error as { code?: string }).code, fault);
            assert.equal(store.has(sha256Hex(content)), false);
          }
        }
      }
      assert.ok(failures >= 4, `${failures} failures`);
      const fresh = bench.store();
      for (const hash of acknowledged) assert.equal(sha256Hex(fresh.get(hash)), hash);
    });
  }

  it('finishes what the disk takes only in parts', () => {
    const faulty = new FaultyFileSystem();
    const store = bench.store({ fileSystem: faulty.fileSystem });
    for (let at = 1; at <= 4; at += 1) {
      faulty.arm(at, 'short');
      const [hash = ''] = store.put([randomBytes(100_000)]);
      assert.equal(sha256Hex(store.get(hash)), hash);
    }
  });
});
