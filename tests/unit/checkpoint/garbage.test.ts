import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import { CancelledError } from '../../../src/utils/errors';
import { EngineBench } from './support/engineBench';
import { seededBytes } from './support/seededBytes';
import { sha256Hex } from '../../../src/utils/sha256';

const randomBytes = seededBytes();

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const packFiles = () => readdirSync(bench.objects).map((name) => path.join(bench.objects, name));
const age = () => void bench.rows('UPDATE snapshot_objects SET stored_at = 0');

describe('garbage', () => {
  it('is what nothing refers to, and leaves with what it took on the disk', () => {
    bench.write('large', randomBytes(3_000_000));
    bench.write('small', 'kept');
    const first = bench.checkpoint('First');
    bench.write('large', randomBytes(1_000));
    const second = bench.checkpoint('Second');
    bench.write('large', 'changed');
    const third = bench.checkpoint('Third');
    const kept = bench.everything(third);
    assert.deepEqual(bench.engine.care.collectGarbage(), { manifests: 0, objects: 0, bytes: 0 });
    // The initial checkpoint is the session's approved state, so it keeps the first manifest.
    bench.rows('DELETE FROM approved_states');
    const [initial] = bench.engine.checkpoints.list('session');
    for (const id of [initial?.id ?? '', first, second]) bench.engine.checkpoints.remove(id);
    assert.equal(bench.engine.care.collectGarbage().objects, 0);
    age();
    const collected = bench.engine.care.collectGarbage();
    assert.equal(collected.objects, 2);
    assert.ok(collected.bytes > 3_000_000);
    assert.ok(packFiles().reduce((sum, file) => sum + statSync(file).size, 0) < 10_000);
    assert.deepEqual(bench.everything(third), kept);
    assert.deepEqual([bench.textAt(third, 'small'), bench.textAt(third, 'large')], ['kept', 'changed']);
    assert.deepEqual(bench.engine.care.verify().problems, []);
    bench.checkReferences();
  });

  it('is not what two windows that store the same content at once leave twice in one pack', () => {
    const one = bench.store.store();
    const two = bench.store.store();
    const content = randomBytes(100);
    two.inBatch((batch) => {
      batch.add(sha256Hex(content), content);
      one.put([content]);
      one.release();
    });
    two.release();
    assert.equal(packFiles().length, 1);
    assert.deepEqual(bench.engine.care.verify().problems, []);
    assert.deepEqual(two.get(sha256Hex(content)), content);
  });

  it('is not what another window stores while everything is verified', () => {
    bench.write('a', randomBytes(10_000));
    bench.checkpoint('First');
    let isStored = false;
    bench.reopen({
      read: (...given) => {
        if (!isStored) {
          isStored = true;
          const other = bench.store.store();
          other.put([randomBytes(1_000)]);
          other.release();
        }
        return nodeFileSystem.read(...given);
      },
    });
    assert.deepEqual(bench.engine.care.verify(), { packs: 1, objects: 1, problems: [], files: [] });
    assert.deepEqual([isStored, packFiles().length, bench.engine.care.verify().objects], [true, 1, 2]);
  });

  it('is no damage where it is collected while everything is verified', () => {
    bench.write('large', randomBytes(200_000));
    const first = bench.checkpoint('First');
    bench.write('large', 'small');
    bench.checkpoint('Second');
    bench.rows('DELETE FROM approved_states');
    for (const id of [bench.engine.checkpoints.list('session')[0]?.id ?? '', first]) bench.engine.checkpoints.remove(id);
    age();
    let isCollected = false;
    bench.reopen({
      open: (file, flags, mode) => {
        if (!isCollected && file.startsWith(bench.objects)) {
          isCollected = true;
          const other = bench.opened();
          assert.ok(other.care.collectGarbage().bytes > 200_000);
          other.dispose();
        }
        return nodeFileSystem.open(file, flags, mode);
      },
    });
    assert.deepEqual([bench.engine.care.verify().problems, isCollected], [[], true]);
  });

  it('of a checkpoint that is under way stays, and a file that comes back is stored again', () => {
    bench.write('a', 'one');
    bench.checkpoint('First');
    bench.write('a', 'two');
    const second = bench.checkpoint('Second');
    bench.write('a', 'three');
    bench.checkpoint('Third');
    bench.engine.checkpoints.remove(second);
    age();
    assert.equal(bench.engine.care.collectGarbage().objects, 1);
    bench.write('a', 'two');
    assert.equal(bench.textAt(bench.checkpoint('Fourth'), 'a'), 'two');
  });

  it('that a checkpoint found stored, and is collected before it refers to it, is stored again', () => {
    bench.write('a', 'one');
    const first = bench.checkpoint('First');
    bench.write('a', 'two');
    bench.checkpoint('Second');
    bench.rows('DELETE FROM approved_states');
    for (const id of [bench.engine.checkpoints.list('session')[0]?.id ?? '', first]) bench.engine.checkpoints.remove(id);
    age();
    let collected = 0;
    bench.reopen({
      sync: (file) => {
        nodeFileSystem.sync(file);
        const other = bench.opened();
        collected += other.care.collectGarbage().objects;
        other.dispose();
      },
    });
    bench.write('a', 'one');
    bench.write('b', 'new');
    const third = bench.checkpoint('Third');
    assert.equal(collected, 1);
    assert.deepEqual([bench.textAt(third, 'a'), bench.textAt(third, 'b')], ['one', 'new']);
    assert.deepEqual(bench.engine.care.verify().problems, []);
  });

  it('is not what another window is writing, nor a pack that no row is about', () => {
    bench.write('a', randomBytes(100_000));
    bench.checkpoint('First');
    writeFileSync(path.join(bench.objects, 'pack-of-another-database.pack'), 'precious');
    bench.rows("UPDATE snapshot_packs SET owner = 'elsewhere#1#window'");
    bench.engine.care.collectGarbage();
    assert.equal(packFiles().length, 2);
  });

  it('is left for the next time when it is told to stop, with nothing lost', () => {
    bench.write('small', 'small');
    const initial = bench.checkpoint('Initial');
    for (let index = 0; index < 600; index += 1) bench.write(`f${index}`, `content ${index}`);
    bench.write('large', randomBytes(200_000));
    const gone = bench.checkpoint('Gone');
    rmSync(bench.at('large'));
    const kept = bench.checkpoint('Kept');
    bench.engine.checkpoints.remove(gone);
    bench.engine.checkpoints.remove(initial);
    age();
    const before = bench.everything(kept);
    let asked = 0;
    Object.defineProperty(bench, 'isCancelled', { get: () => (asked += 1) > 2, configurable: true });
    assert.equal(bench.engine.care.collectGarbage().bytes, 0);
    Object.defineProperty(bench, 'isCancelled', { value: false });
    assert.equal(bench.rows('SELECT count(*) FROM snapshot_packs WHERE is_dropped = 1')[0]?.[0], 1);
    assert.deepEqual([bench.everything(kept), bench.engine.care.verify().problems], [before, []]);
    assert.ok(bench.engine.care.collectGarbage().bytes > 200_000);
    assert.deepEqual([bench.everything(kept), bench.engine.care.verify().problems], [before, []]);
    assert.equal(packFiles().length, 1);
  });

  for (const worth of ['lazy', 'full'] as const)
    it(`collected (${worth}) at any point of being cut off is collected by the next, with nothing lost`, () => {
      const ids: string[] = [];
      for (let step = 0; step < 6; step += 1) {
        bench.write('large', randomBytes(400_000));
        bench.write('small', `step ${step}`);
        ids.push(bench.checkpoint(`Step ${step}`));
      }
      bench.rows('DELETE FROM approved_states');
      for (const { id } of bench.engine.checkpoints.list('session')) if (id !== ids[4]) bench.engine.checkpoints.remove(id);
      age();
      for (let at = 1; at <= 12; at += 1) {
        bench.faulty.arm(at, 'EIO');
        try {
          bench.engine.care.collectGarbage(worth);
        } catch (error) {
          assert.equal((error as { code?: string }).code, 'EIO');
        }
        bench.faulty.arm(0, 'EIO');
        bench.reopen();
        assert.equal(bench.textAt(ids[4] ?? '', 'small'), 'step 4');
        assert.deepEqual(bench.engine.care.verify().problems, []);
        bench.checkReferences();
      }
      bench.engine.care.collectGarbage();
      assert.deepEqual(bench.engine.care.usage().checkpoints, 1);
    });

  it('is told from damage by reading everything, which tells how far it is and can be given up', () => {
    for (let file = 0; file < 8; file += 1) bench.write(`file${file}`, randomBytes(200_000));
    bench.checkpoint('First');
    assert.deepEqual(bench.engine.care.verify().problems, []);
    const { shares } = bench;
    assert.ok(shares.length > 1, `${shares.length} times`);
    assert.deepEqual(
      shares.toSorted((one, other) => one - other),
      shares,
    );
    assert.equal(shares.at(-1), 1);
    bench.isCancelled = true;
    assert.throws(() => bench.engine.care.verify(), CancelledError);
  });

  it('is told from damage: what is wrong is named, with the file it is in', () => {
    bench.write('a', randomBytes(50_000));
    bench.checkpoint('First');
    const [pack = ''] = packFiles();
    const bytes = readFileSync(pack);
    bytes[30_000] = (bytes[30_000] ?? 0) ^ 1;
    writeFileSync(pack, bytes);
    bench.reopen();
    const { objects, problems } = bench.engine.care.verify();
    assert.equal(objects, 1);
    assert.deepEqual(
      problems.map(({ pack: name, hash }) => [name, hash === null]),
      [
        [path.basename(pack), true],
        [path.basename(pack), false],
      ],
    );
  });
});
