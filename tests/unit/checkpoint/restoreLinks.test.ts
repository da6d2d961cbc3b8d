import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../../src/utils/files/fileSystem';
import type { RestoreOptions } from '../../../src/services/checkpoint/engine/restore/restorePlan';
import type { RestoreResult } from '../../../src/services/checkpoint/engine/restore/restoreExecution';
import { EngineBench, treeOf } from './support/engineBench';

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const all: RestoreOptions = { overwrite: 'all' };
const outcomes = ({ steps }: RestoreResult): string[] => steps.map(({ outcome, path: file }) => `${outcome} ${file}`);
const restore = (id: string, options = all): RestoreResult =>
  bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, options);
const running = (): unknown[][] => bench.rows("SELECT id FROM operations WHERE state = 'running'");

class Cut extends Error {}

/** Interrupts a restore before the disk operation for which `isAt` returns true. Does not start the next window. */
function cutOff(id: string, operation: keyof FileSystem, isAt: (...given: string[]) => boolean): void {
  const works = nodeFileSystem as unknown as Record<string, (...given: unknown[]) => unknown>;
  bench.reopen({
    [operation]: (...given: unknown[]) => {
      if (isAt(...given.map(String))) throw new Cut();
      return works[operation]?.(...given);
    },
  });
  assert.throws(() => restore(id), Cut);
  bench.reopen();
  assert.equal(running().length, 1);
}

function recovered(): RestoreResult {
  const results = bench.engine.restores.recover(bench.workspace);
  assert.equal(results.length, 1);
  assert.deepEqual(running(), []);
  assert.ok(results[0]);
  return results[0];
}

for (const where of ['inside', 'outside'] as const) {
  describe(`a restore with a link among the folders, its target ${where} the workspace`, () => {
    let target: string;
    beforeEach(() => {
      target = where === 'inside' ? bench.at('e') : path.join(bench.folder(), 'e');
      mkdirSync(target);
      writeFileSync(path.join(target, 'x'), 'kept');
    });

    it('brings back the link that a copy had replaced, and finished later it takes nothing away behind it', () => {
      symlinkSync(target, bench.at('d'));
      const first = bench.checkpoint('A link');
      rmSync(bench.at('d'));
      cpSync(target, bench.at('d'), { recursive: true });
      cutOff(first, 'syncFolder', (folder) => folder === bench.root);
      assert.deepEqual(outcomes(recovered()), ['done d', 'done d/x']);
      assert.equal(readFileSync(path.join(target, 'x'), 'utf8'), 'kept');
      assert.equal(treeOf(bench.root)['d'], `-> ${target}`);
    });

    it('takes nothing away behind a link that somebody put in the place of a folder meanwhile, and says so', () => {
      const first = bench.checkpoint('No folder');
      bench.write('d/x', 'kept');
      cutOff(first, 'remove', (file) => file === bench.at('d/x'));
      renameSync(bench.at('d'), bench.at('moved'));
      symlinkSync(target, bench.at('d'));
      assert.deepEqual(outcomes(recovered()), ['changed d/x']);
      assert.equal(readFileSync(path.join(target, 'x'), 'utf8'), 'kept');
      assert.equal(readFileSync(bench.at('moved/x'), 'utf8'), 'kept');
    });

    it('changes no mode behind such a link', () => {
      bench.write('d/x', 'kept', 0o755);
      const first = bench.checkpoint('A mode');
      bench.write('d/x', 'kept', 0o644);
      cutOff(first, 'setMode', () => true);
      rmSync(bench.at('d'), { recursive: true });
      symlinkSync(target, bench.at('d'));
      const before = treeOf(target);
      assert.deepEqual(outcomes(recovered()), ['failed d/x']);
      assert.deepEqual(treeOf(target), before);
    });

    it('does not tell of a file behind such a link that it was restored', () => {
      bench.write('d/x', 'kept');
      const first = bench.checkpoint('A file');
      rmSync(bench.at('d'), { recursive: true });
      cutOff(first, 'rename', (_from, to) => to === bench.at('d/x'));
      rmSync(bench.at('d'), { recursive: true });
      symlinkSync(target, bench.at('d'));
      const [step, ...more] = recovered().steps;
      assert.deepEqual([step?.outcome, step?.problem, more], ['failed', `${bench.at('d')} is a link`, []]);
      assert.deepEqual(treeOf(target), treeOf(target));
    });

    it('removes no folder behind such a link', () => {
      bench.write('d/deep/x', 'made');
      const first = bench.checkpoint('Deep');
      rmSync(bench.at('d'), { recursive: true });
      const { operationId } = restore(first);
      rmSync(bench.at('d'), { recursive: true });
      symlinkSync(target, bench.at('d'));
      mkdirSync(path.join(target, 'deep'));
      bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, all);
      assert.ok(existsSync(path.join(target, 'deep')));
    });

    it('has no file removed or written where the workspace folder itself became a link', () => {
      writeFileSync(path.join(target, 'y'), 'two');
      bench.write('y', 'one');
      const first = bench.checkpoint('One');
      bench.write('x', 'kept');
      bench.write('y', 'two');
      cutOff(first, 'remove', (file) => file === bench.at('x'));
      if (where === 'inside') return;
      renameSync(bench.root, `${bench.root}-moved`);
      symlinkSync(target, bench.root);
      try {
        assert.deepEqual(outcomes(recovered()), ['failed x', 'failed y']);
        assert.deepEqual(treeOf(target), { x: '644 kept', y: '644 two' });
      } finally {
        rmSync(bench.root);
        renameSync(`${bench.root}-moved`, bench.root);
      }
    });
  });
}

describe('a restore that was cut off', () => {
  it('does not do again what it has done', () => {
    const first = bench.checkpoint('Nothing');
    for (const name of ['a', 'b']) bench.write(name, 'made');
    cutOff(first, 'remove', (file) => file === bench.at('a'));
    assert.equal(existsSync(bench.at('b')), false);
    bench.write('b', 'made');
    assert.deepEqual(outcomes(recovered()), ['done a', 'changed b']);
    assert.deepEqual(treeOf(bench.root), { b: '644 made' });
  });

  it('tells of a file that made room for a folder that it is gone', () => {
    bench.write('d/x', 'in a folder');
    const first = bench.checkpoint('A folder');
    rmSync(bench.at('d'), { recursive: true });
    bench.write('d', 'a file');
    for (const boots of [0, 1]) {
      cutOff(first, 'syncFolder', (folder) => folder === bench.root);
      bench.boots += boots;
      const result = recovered();
      assert.deepEqual(outcomes(result), ['done d', 'done d/x']);
      bench.engine.restores.restore('session', { kind: 'restore', id: result.operationId }, bench.workspace, all);
      assert.deepEqual(treeOf(bench.root), { d: '644 a file' });
    }
  });

  it('goes by what lies there after a loss of power, which may have taken back what was done', () => {
    const first = bench.checkpoint('Nothing');
    for (const name of ['a', 'b']) bench.write(name, 'made');
    cutOff(first, 'remove', (file) => file === bench.at('a'));
    bench.write('b', 'made');
    bench.boots += 1;
    assert.deepEqual(outcomes(recovered()), ['done a', 'done b']);
    assert.deepEqual(treeOf(bench.root), {});
  });
});

describe('a link to itself', () => {
  for (const operation of ['rename', 'syncFolder'] as const) {
    it(`in the place of a folder is told, and the restore is over (before ${operation})`, () => {
      for (const name of ['d/e/x', 'd/y', 'z']) bench.write(name, 'then');
      const first = bench.checkpoint('Then');
      for (const name of ['d/e/x', 'd/y', 'z']) bench.write(name, 'now');
      let isPut = false;
      bench.reopen({
        [operation]: (...given: string[]) => {
          if (!isPut) {
            isPut = true;
            rmSync(bench.at('d'), { recursive: true });
            symlinkSync('d', bench.at('d'));
          }
          (nodeFileSystem as unknown as Record<string, (...all: string[]) => void>)[operation]?.(...given);
        },
      });
      const result = restore(first);
      assert.deepEqual(running(), []);
      assert.equal(outcomes(result).at(-1), 'done z');
      assert.equal(treeOf(bench.root)['d'], '-> d');
      const back = restore(first);
      assert.deepEqual(outcomes(back), ['done d', 'done d/e/x', 'done d/y']);
      bench.engine.restores.restore('session', { kind: 'restore', id: back.operationId }, bench.workspace, all);
      assert.equal(treeOf(bench.root)['d'], '-> d');
    });
  }

  it('is taken, brought back and undone as any other', () => {
    symlinkSync('l', bench.at('l'));
    const first = bench.checkpoint('A loop');
    rmSync(bench.at('l'));
    bench.write('l/x', 'a folder');
    const { operationId } = restore(first);
    assert.deepEqual(treeOf(bench.root), { l: '-> l' });
    bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, all);
    assert.deepEqual(treeOf(bench.root), { 'l/x': '644 a folder' });
  });
});
