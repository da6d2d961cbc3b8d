import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import { EngineBench, treeOf } from './support/engineBench';
import { seededBytes } from './support/seededBytes';
import { sha256Hex } from '../../../src/utils/sha256';

const randomBytes = seededBytes();

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const all = { overwrite: 'all' } as const;
const packs = () =>
  readdirSync(bench.objects)
    .filter((name) => name.endsWith('.pack'))
    .map((name) => path.join(bench.objects, name));

function flip(pack: string, at: number): void {
  const bytes = readFileSync(pack);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(pack, bytes);
}

/** Flips a bit in the block that contains this content. */
function damage(content: string | Uint8Array): void {
  const [row] = bench.rows(
    `SELECT name, block FROM snapshot_objects JOIN snapshot_packs ON snapshot_packs.id = pack_id WHERE hash = ?`,
    sha256Hex(Buffer.from(content)),
  );
  flip(path.join(bench.objects, String(row?.[0])), Number(row?.[1]) + 70);
}

/** Ways to damage packs. */
const damages: Record<string, () => void> = {
  'a flipped bit in each block': () => {
    const blocks = bench.rows('SELECT DISTINCT name, block FROM snapshot_objects JOIN snapshot_packs p ON p.id = pack_id');
    for (const [name, block] of blocks) {
      const pack = path.join(bench.objects, String(name));
      if (existsSync(pack)) flip(pack, Number(block) + 70);
    }
  },
  'packs that are cut': () => packs().forEach((pack) => truncateSync(pack, 20)),
  'packs that are gone': () => packs().forEach((pack) => rmSync(pack)),
};

describe('a restore from damaged packs', () => {
  it('does not remove what a file was renamed to, the last copy of its content', () => {
    const content = randomBytes(300);
    bench.write('f', content);
    const first = bench.checkpoint('First');
    renameSync(bench.at('f'), bench.at('g'));
    damage(content);
    bench.reopen();
    const { operationId } = bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, all);
    assert.deepEqual([readdirSync(bench.root), readFileSync(bench.at('f'))], [['f'], content]);
    bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, all);
    assert.deepEqual([readdirSync(bench.root), readFileSync(bench.at('g'))], [['g'], content]);
    assert.deepEqual(
      bench.engine.care.verify().problems.filter(({ hash }) => hash !== null),
      [],
    );
  });

  it('leaves a file alone whose content then cannot be read, and names it in the plan and in the result', () => {
    bench.write('f', 'as it was');
    bench.write('same', 'other');
    const first = bench.checkpoint('First');
    bench.write('f', 'as it is');
    bench.write('same', 'another');
    bench.engine.care.collectGarbage();
    bench.reopen();
    bench.checkpoint('Second');
    damage('as it was');
    const [step] = bench.engine.restores.plan('session', { kind: 'checkpoint', id: first }, bench.workspace, all);
    assert.deepEqual([step?.path, step?.action, step?.reason], ['f', 'keep', 'damaged']);
    const { steps } = bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, all);
    assert.deepEqual([steps[0]?.path, steps[0]?.outcome, steps[0]?.reason], ['f', 'skipped', 'damaged']);
    assert.equal(readFileSync(bench.at('f'), 'utf8'), 'as it is');
  });

  it('stores what it is about to replace anew where what is stored of it is damaged, so that the undo brings it back', () => {
    bench.write('f', 'one');
    const first = bench.checkpoint('First');
    bench.write('f', randomBytes(200_000));
    const large = readFileSync(bench.at('f'));
    bench.checkpoint('Second');
    damage(large);
    bench.reopen();
    const { operationId } = bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, all);
    assert.equal(readFileSync(bench.at('f'), 'utf8'), 'one');
    bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, all);
    assert.deepEqual(readFileSync(bench.at('f')), large);
  });

  for (const [name, spoil] of Object.entries(damages)) {
    it(`loses no good byte, and tells each loss: ${name}, before it or before any of its reads`, () => {
      for (let at = 0; ; at += 1) {
        if (!restoredWhile(spoil, at)) break;
        bench.clean();
        bench = new EngineBench();
      }
    });
  }

  /**
   * Restores a checkpoint with packs that are damaged before pack read number `at` (0: before the restore starts). Returns false if there
   * are fewer reads.
   */
  function restoredWhile(spoil: () => void, at: number): boolean {
    for (const name of ['same', 'changed', 'folder/gone', 'renamed', 'swap1', 'swap2']) bench.write(name, `${name} one`);
    bench.write('large', randomBytes(200_000));
    const first = bench.checkpoint('First');
    const then = treeOf(bench.root);
    bench.write('changed', 'changed two');
    rmSync(bench.at('folder'), { recursive: true });
    bench.write('folder', 'a file now');
    renameSync(bench.at('renamed'), bench.at('named'));
    bench.write('swap1', 'swap2 one');
    bench.write('swap2', 'swap1 one');
    bench.write('large', randomBytes(200_000));
    bench.write('new', 'new');
    bench.checkpoint('Second');
    let reads = 0;
    let good: Record<string, string> | undefined;
    const packDescriptors = new Set<number>();
    bench.reopen({
      open: (file, flags, mode) => {
        const descriptor = nodeFileSystem.open(file, flags, mode);
        if (path.dirname(file) === bench.objects && flags === 'r') packDescriptors.add(descriptor);
        else packDescriptors.delete(descriptor);
        return descriptor;
      },
      read: (file, ...rest) => {
        if (packDescriptors.has(file)) reads += 1;
        if (packDescriptors.has(file) && reads === at) {
          good = treeOf(bench.root);
          spoil();
        }
        return nodeFileSystem.read(file, ...rest);
      },
    });
    if (at === 0) {
      good = treeOf(bench.root);
      spoil();
    }
    const result = bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, all);
    if (good === undefined) return false;
    const now = treeOf(bench.root);
    // Content that was on disk when the damage happened is still on disk or in the store.
    const onDisk = new Set(Object.values(now).map((text) => text.slice(text.indexOf(' ') + 1)));
    const contents = Object.entries(good)
      .filter(([file]) => !path.basename(file).startsWith('.ollama-copilot-'))
      .map(([file, text]) => [file, text.slice(text.indexOf(' ') + 1)]);
    const readable = (text: string) => {
      try {
        return Buffer.from(bench.engine.objects.get(sha256Hex(Buffer.from(text, 'latin1')))).toString('latin1') === text;
      } catch {
        return false;
      }
    };
    for (const [file, text = ''] of contents)
      assert.ok(onDisk.has(text) || readable(text), `${file} is lost, damaged before read ${at}`);
    // Every file that does not have its earlier state is reported.
    const told = new Map(result.steps.map((step) => [step.path, step.outcome]));
    for (const name of new Set([...Object.keys(then), ...Object.keys(now)]))
      assert.ok(now[name] === then[name] || told.get(name) !== 'done', `${name} is not told, damaged before read ${at}`);
    return true;
  }
});

describe('a checkpoint after packs were damaged', () => {
  it('stores anew what lies on the disk where a pack is gone or cut, and says how much', () => {
    for (const spoil of [damages['packs that are cut'], damages['packs that are gone']]) {
      bench.write('a', 'stays the same');
      bench.write('b', randomBytes(400_000));
      const first = bench.checkpoint('First');
      bench.settle();
      bench.checkpoint('Settled');
      spoil?.();
      bench.checkpoint('Second');
      assert.deepEqual(bench.engine.care.damage(), { healed: 2, left: 0 });
      assert.equal(bench.textAt(first, 'a'), 'stays the same');
      assert.deepEqual(
        bench.engine.care.verify().problems.filter(({ hash }) => hash !== null),
        [],
      );
      bench.reopen();
      assert.equal(bench.textAt(first, 'a'), 'stays the same');
      bench.clean();
      bench = new EngineBench();
    }
  });

  it('stores anew what a read has found damaged, also in the next window, and says what is not to be had any more', () => {
    bench.write('a', 'stays the same');
    bench.write('b', 'is changed');
    const first = bench.checkpoint('First');
    bench.write('b', 'changed');
    damage('stays the same');
    bench.reopen();
    assert.throws(() => bench.textAt(first, 'a'), { code: 'damaged' });
    bench.reopen();
    bench.checkpoint('Second');
    assert.equal(bench.textAt(first, 'a'), 'stays the same');
    assert.throws(() => bench.textAt(first, 'b'), { code: 'damaged' });
    assert.deepEqual(bench.engine.care.damage(), { healed: 1, left: 1 });
  });

  it('is not written into a pack that is gone, nor behind the end of one that was cut, though it is open', () => {
    for (const spoil of [damages['packs that are cut'], damages['packs that are gone']]) {
      bench.write('a', 'one');
      bench.checkpoint('First');
      spoil?.();
      bench.write('b', 'two');
      const second = bench.checkpoint('Second');
      bench.reopen();
      assert.deepEqual([bench.textAt(second, 'a'), bench.textAt(second, 'b')], ['one', 'two']);
      bench.clean();
      bench = new EngineBench();
    }
  });

  it('stores anew what a file that it reads has of it: renamed, or written once more', () => {
    bench.write('old', 'was renamed');
    bench.write('back', 'comes back');
    bench.checkpoint('First');
    bench.write('back', 'another');
    bench.checkpoint('Second');
    damage('was renamed');
    bench.reopen();
    renameSync(bench.at('old'), bench.at('new'));
    bench.write('back', 'comes back');
    const third = bench.checkpoint('Third');
    rmSync(bench.at('new'));
    rmSync(bench.at('back'));
    bench.engine.restores.restore('session', { kind: 'checkpoint', id: third }, bench.workspace, all);
    assert.deepEqual(treeOf(bench.root), { back: '644 comes back', new: '644 was renamed' });
    assert.deepEqual(
      bench.engine.care.verify().problems.filter(({ hash }) => hash !== null),
      [],
    );
  });

  it('is told to a tool that stores what it is about to change: it is stored anew', () => {
    const [hash = ''] = bench.engine.objects.put([Buffer.from('precious')]);
    damage('precious');
    bench.engine.objects.put([Buffer.from('precious')]);
    bench.reopen();
    assert.equal(Buffer.from(bench.engine.objects.get(hash)).toString(), 'precious');
  });
});

describe('verifying damaged packs', () => {
  /** Returns the concatenated contents of `count` stored files, in pack order. */
  function stored(count: number): string {
    for (let file = 0; file < count; file += 1) bench.write(`file${file}`, randomBytes(2_500).toString('hex'));
    const id = bench.checkpoint('First');
    bench.reopen();
    return id;
  }
  const damagedNow = () => bench.engine.care.verify().problems.filter(({ hash }) => hash !== null).length;

  it('tells of one flipped bit the contents that cannot be read, not all behind it', () => {
    stored(200);
    const [pack = ''] = packs();
    const [[block, count] = []] = bench.rows('SELECT block, count(*) FROM snapshot_objects GROUP BY block ORDER BY block');
    for (const at of [0, 9, 13, 17, 21, 30, 3_000]) {
      const good = readFileSync(pack);
      flip(pack, Number(block) + at);
      assert.equal(damagedNow(), Number(count), `byte ${at}`);
      writeFileSync(pack, good);
      assert.equal(damagedNow(), 0);
    }
    assert.ok(Number(count) < 40);
  });

  it('tells of a damaged header of a pack, in which nothing is lost', () => {
    stored(3);
    const [pack = ''] = packs();
    flip(pack, 2);
    const { problems, files } = bench.engine.care.verify();
    assert.deepEqual([problems.map(({ hash }) => hash), files], [[null], []]);
    assert.deepEqual(bench.engine.care.heal(bench.workspace), { healed: 0, left: 0 });
    assert.deepEqual(bench.engine.care.verify().problems, []);
  });

  it('heals from what lies on the disk', () => {
    const id = stored(200);
    const before = bench.everything(id);
    bench.write('file0', 'changed');
    damages['a flipped bit in each block']?.();
    bench.reopen();
    assert.equal(damagedNow(), 200);
    assert.deepEqual(bench.engine.care.heal(bench.workspace), { healed: 199, left: 1 });
    assert.equal(damagedNow(), 1);
    assert.deepEqual(bench.everything(id), before);
    bench.reopen();
    assert.equal(bench.textAt(id, 'file1'), readFileSync(bench.at('file1'), 'utf8'));
  });
});
