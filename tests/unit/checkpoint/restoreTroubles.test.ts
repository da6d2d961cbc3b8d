import assert from 'node:assert/strict';
import { lstatSync, readFileSync, readdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import type { RestoreOptions } from '../../../src/services/checkpoint/engine/restore/restorePlan';
import type { RestoreStep } from '../../../src/services/checkpoint/engine/restore/restoreStep';
import { EngineBench, treeOf } from './support/engineBench';

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

const all: RestoreOptions = { overwrite: 'all' };
const brief = (steps: readonly RestoreStep[]) =>
  steps.map(({ action, path: file, reason }) => `${action} ${file}${reason === null ? '' : `: ${reason}`}`);
const restore = (id: string, options: RestoreOptions = all) =>
  bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, options);

describe('a restore that is kept from something', () => {
  it('never overwrites or deletes what it could not bring back', () => {
    bench.workspace.maxFileBytes = 1_000;
    bench.write('grows', 'small');
    bench.write('was large', Buffer.alloc(2_000));
    const id = bench.checkpoint('First');
    bench.write('grows', Buffer.alloc(2_000, 1));
    bench.write('was large', 'small');
    bench.write('new and large', Buffer.alloc(2_000, 2));
    assert.deepEqual(brief(restore(id).steps), [
      'keep grows: notSaved',
      'keep new and large: notSaved',
      'keep was large: notStored',
    ]);
    assert.equal(lstatSync(bench.at('grows')).size, 2_000);
  });

  describe('of what may not be read', () => {
    const no = (syscall: string) => Object.assign(new Error('no'), { code: 'EACCES', syscall });
    /** Restarts the engine so that these files and folders are unreadable. */
    const refusing = (...names: string[]) => {
      const refused = new Set(names.map((name) => bench.at(name)));
      bench.reopen({
        open: (file, flags, mode) => {
          if (refused.has(file)) throw no('open');
          return nodeFileSystem.open(file, flags, mode);
        },
        list: (folder) => {
          if (refused.has(folder)) throw no('scandir');
          return nodeFileSystem.list(folder);
        },
      });
    };
    const rest = () => readFileSync(bench.at('rest'), 'utf8');
    const others = () => Object.entries(treeOf(bench.root)).filter(([name]) => name !== 'rest');

    it('overwrites and deletes nothing, where it may not be read now, and does the rest', () => {
      for (const name of ['rest', 'file', 'folder/changed', 'folder/gone']) bench.write(name, 'one');
      const id = bench.checkpoint('First');
      for (const name of ['rest', 'file', 'folder/changed', 'new file', 'folder/new', 'new folder/new']) bench.write(name, 'two');
      rmSync(bench.at('folder/gone'));
      const before = others();
      refusing('file', 'folder', 'new file', 'new folder');
      assert.deepEqual(brief(restore(id).steps), [
        'keep file: notSaved',
        'keep folder: notSaved',
        'keep folder/changed: notSaved',
        'keep folder/gone: notSaved',
        'keep new file: notSaved',
        'keep new folder: notSaved',
        'write rest',
      ]);
      assert.deepEqual([others(), rest()], [before, 'one']);
    });

    it('overwrites and deletes nothing, where it could not be read then, and does the rest', () => {
      for (const name of ['rest', 'file', 'folder/changed']) bench.write(name, 'one');
      refusing('file', 'folder');
      const id = bench.checkpoint('First');
      for (const name of ['rest', 'file', 'folder/changed', 'folder/deep/new']) bench.write(name, 'two');
      const before = others();
      bench.reopen();
      assert.deepEqual(brief(restore(id).steps), [
        'keep file: notStored',
        'keep folder: notStored',
        'keep folder/changed: notSaved',
        'keep folder/deep/new: notSaved',
        'write rest',
      ]);
      assert.deepEqual([others(), rest()], [before, 'one']);
    });

    it('puts no folder in place of a file that may not be read, and no file in place of such a folder', () => {
      bench.write('a/b', 'one');
      bench.write('c', 'one');
      const id = bench.checkpoint('First');
      for (const name of ['a', 'c']) rmSync(bench.at(name), { recursive: true });
      bench.write('a', 'two');
      bench.write('c/d', 'two');
      const before = treeOf(bench.root);
      refusing('a', 'c');
      assert.deepEqual(brief(restore(id).steps), ['keep a: notSaved', 'keep a/b: notSaved', 'keep c: notSaved']);
      assert.deepEqual(treeOf(bench.root), before);
    });
  });

  it('does not write through a link that leads elsewhere, and does the rest', () => {
    bench.write('folder/file', 'one');
    bench.write('rest', 'one');
    const id = bench.checkpoint('First');
    const elsewhere = bench.folder();
    rmSync(bench.at('folder'), { recursive: true });
    symlinkSync(elsewhere, bench.at('folder'));
    bench.write('rest', 'two');
    const { steps } = restore(id, { ...all, files: [bench.at('folder/file'), bench.at('rest')] });
    assert.deepEqual(
      steps.map(({ outcome }) => outcome),
      ['failed', 'done'],
    );
    assert.deepEqual(readdirSync(elsewhere), []);
    assert.equal(readFileSync(bench.at('rest'), 'utf8'), 'one');
  });

  it('reports what cannot be written, leaves it whole and does the rest', () => {
    for (const name of ['a', 'b', 'c']) bench.write(name, 'one');
    const id = bench.checkpoint('First');
    for (const name of ['a', 'b', 'c']) bench.write(name, 'two');
    bench.reopen({
      rename: (from, to) => {
        if (to === bench.at('b')) throw Object.assign(new Error('busy'), { code: 'EBUSY', syscall: 'rename' });
        nodeFileSystem.rename(from, to);
      },
    });
    const { steps } = restore(id);
    assert.deepEqual(
      steps.map(({ outcome }) => outcome),
      ['done', 'failed', 'done'],
    );
    assert.deepEqual(readdirSync(bench.root).sort(), ['a', 'b', 'c']);
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => readFileSync(bench.at(name), 'utf8')),
      ['one', 'two', 'one'],
    );
  });

  it('comes to its end where the system syncs no folder, and not where a disk fails at that', () => {
    const id = (bench.write('a', 'one'), bench.checkpoint('First'));
    const failing = (code: string) => {
      bench.write('a', 'two');
      bench.reopen({
        syncFolder: (folder) => {
          if (folder === bench.root) throw Object.assign(new Error(code), { code, syscall: 'fsync' });
          nodeFileSystem.syncFolder(folder);
        },
      });
      return restore(id).steps.map(({ outcome }) => outcome);
    };
    for (const code of ['EACCES', 'EINVAL', 'ENOTSUP', 'EPERM']) assert.deepEqual(failing(code), ['done'], code);
    assert.throws(() => failing('EIO'), { code: 'EIO' });
    bench.reopen();
    assert.equal(bench.engine.restores.recover(bench.workspace).length, 1);
    assert.deepEqual(bench.rows("SELECT id FROM operations WHERE state = 'running'"), []);
  });

  it('that was interrupted is finished, but for a file that is too large to be read by now', () => {
    for (const name of ['large', 'other']) bench.write(name, 'one');
    const id = bench.checkpoint('First');
    for (const name of ['large', 'other']) bench.write(name, 'two');
    restore(id);
    bench.rows("UPDATE operations SET state = 'running', finished_at = NULL");
    truncateSync(bench.at('large'), 2 ** 31);
    bench.write('other', 'two');
    const [recovered] = bench.engine.restores.recover(bench.workspace);
    assert.deepEqual(
      recovered?.steps.map(({ path: file, outcome }) => `${file} ${outcome}`),
      ['large failed', 'other done'],
    );
    assert.equal(lstatSync(bench.at('large')).size, 2 ** 31);
  });

  it('that was interrupted at any operation is finished at the next start', () => {
    const states = new Set<string>();
    for (let at = 1; at <= 40; at += 1) {
      bench.clean();
      bench = new EngineBench();
      for (const name of ['a', 'b/c', 'd']) bench.write(name, 'one');
      const id = bench.checkpoint('First');
      const before = treeOf(bench.root);
      bench.write('a', 'two');
      rmSync(bench.at('b'), { recursive: true });
      bench.write('new', 'new');
      let count = 0;
      class Killed extends Error {}
      const deadly = (name: 'write' | 'sync' | 'rename' | 'remove' | 'makeFolder' | 'setMode' | 'syncFolder') => {
        const counted = (...given: unknown[]) => {
          count += 1;
          if (count >= at) throw new Killed();
          // eslint-disable-next-line @typescript-eslint/unbound-method -- called with it at once
          return Reflect.apply(nodeFileSystem[name], nodeFileSystem, given) as unknown;
        };
        return { [name]: counted };
      };
      bench.reopen(
        Object.assign(
          {},
          ...(['write', 'sync', 'rename', 'remove', 'makeFolder', 'setMode', 'syncFolder'] as const).map(deadly),
        ) as object,
      );
      let isKilled = false;
      try {
        restore(id);
      } catch (error) {
        assert.ok(error instanceof Killed);
        isKilled = true;
      }
      bench.reopen();
      bench.rows("UPDATE operations SET owner = 'gone' WHERE state = 'running'");
      bench.rows(`UPDATE operations SET owner = '${bench.owner}' WHERE state = 'running'`);
      const recovered = bench.engine.restores.recover(bench.workspace);
      states.add(`${isKilled} ${recovered.length}`);
      if (!isKilled || recovered.length === 1) assert.deepEqual(treeOf(bench.root), before, `killed at ${at}`);
      assert.deepEqual(bench.rows("SELECT id FROM operations WHERE state = 'running'"), []);
      bench.checkReferences();
      if (!isKilled) break;
    }
    assert.deepEqual([...states].sort(), ['false 0', 'true 0', 'true 1']);
  });
});
