import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import { makeStorage } from '../../support/storageFolder';
import { EngineBench } from './support/engineBench';

describe('what has changed, by hints', () => {
  let bench: EngineBench;
  let first: string;
  /** Paths of listed folders, relative to the workspace folder. */
  const listed: string[] = [];
  const watched = {
    list: (folder: string) => {
      listed.push(path.relative(bench.root, folder));
      return nodeFileSystem.list(folder);
    },
  };

  beforeEach(() => {
    bench = new EngineBench();
    bench.reopen(watched);
    bench.write('.gitignore', 'made/\n*.tmp\n');
    for (const name of ['a.txt', 'src/b.txt', 'src/deep/c.txt', 'lib/d.txt', 'made/e.js']) bench.write(name, name);
    first = bench.checkpoint('First');
    listed.length = 0;
  });
  afterEach(() => bench.clean());

  function changes(...hints: string[]): string[] {
    const found = bench.engine.checkpoints.diffNow(
      first,
      bench.workspace,
      hints.map((hint) => bench.at(hint)),
    );
    return found.map(({ status, path: file }) => `${status} ${file}`);
  }

  it('is found by looking there alone', () => {
    bench.write('src/b.txt', 'two');
    bench.write('src/new.txt', 'new');
    rmSync(bench.at('lib/d.txt'));
    assert.deepEqual(changes('src/b.txt', 'src/new.txt', 'lib/d.txt', 'a.txt', 'src/gone.txt'), [
      'deleted lib/d.txt',
      'modified src/b.txt',
      'added src/new.txt',
    ]);
    assert.deepEqual([...listed].sort(), ['', 'lib', 'src']);
    assert.deepEqual(changes(), ['deleted lib/d.txt', 'modified src/b.txt', 'added src/new.txt']);
  });

  it('is found where the editor writes a name in another form or case than the folder', () => {
    for (const name of ['src/cafe\u0301.txt', 'src/Upper.txt']) bench.write(name, 'one');
    const second = bench.checkpoint('Second');
    for (const [name, hint] of [
      ['src/cafe\u0301.txt', 'src/caf\u00e9.txt'],
      ['src/Upper.txt', 'src/upper.txt'],
    ] as const) {
      bench.write(name, 'two');
      const found = bench.engine.checkpoints.diffNow(second, bench.workspace, [bench.at(hint)]);
      assert.equal(found.at(-1)?.status, 'modified', name);
      assert.equal(
        found.some((one) => one.path === name),
        true,
        name,
      );
    }
  });

  it('is nothing in a storage of ours, which no scan enters', () => {
    makeStorage(bench.at('store'));
    bench.write('store/objects/pack-1.pack', '');
    bench.checkpoint('Second');
    bench.write('store/sessions.sqlite', 'two');
    bench.write('a.txt', 'two');
    listed.length = 0;
    assert.deepEqual(changes('store/sessions.sqlite', 'store/objects/pack-1.pack', 'a.txt'), ['modified a.txt']);
    assert.deepEqual(listed, ['']);
    assert.deepEqual(changes(), ['modified a.txt']);
  });

  it('is not what nobody told of, until the next checkpoint or a minute later', () => {
    const now = Date.now();
    bench.clock.now = () => now;
    bench.write('a.txt', 'two');
    assert.deepEqual(changes('src/b.txt'), []);
    const second = bench.checkpoint('Second');
    assert.equal(bench.textAt(second, 'a.txt'), 'two');
    assert.deepEqual(changes(), ['modified a.txt']);
    bench.write('lib/d.txt', 'two');
    assert.deepEqual(changes(), ['modified a.txt']);
    bench.clock.now = () => now + 61_000;
    assert.deepEqual(changes(), ['modified a.txt', 'modified lib/d.txt']);
  });

  it('needs no walk for what no checkpoint holds', () => {
    bench.write('made/e.js', 'two');
    bench.write('made/deeper/f.js', 'two');
    bench.write('src/x.tmp', 'two');
    bench.write('src/made/g.js', 'two');
    bench.write('.git/index.lock', '');
    assert.deepEqual(
      changes(
        'made/e.js',
        'made/deeper',
        'made/deeper/f.js',
        'made',
        'src/x.tmp',
        'src/made',
        'src/made/g.js',
        '.git/index.lock',
      ),
      [],
    );
    assert.deepEqual([...listed].sort(), ['', 'src']);
  });

  it('is found by a walk where folders come, go or are replaced', () => {
    bench.write('new/inside/f.txt', 'f');
    assert.deepEqual(changes('new'), ['added new/inside/f.txt']);
    bench.write('new/inside/g.txt', 'g');
    mkdirSync(bench.at('new/more'));
    bench.write('new/more/h.txt', 'h');
    assert.deepEqual(changes('new/more/h.txt'), ['added new/inside/f.txt', 'added new/inside/g.txt', 'added new/more/h.txt']);
    rmSync(bench.at('new'), { recursive: true });
    assert.deepEqual(changes('new'), []);
    renameSync(bench.at('src'), bench.at('source'));
    const moved = ['added source/b.txt', 'added source/deep/c.txt', 'deleted src/b.txt', 'deleted src/deep/c.txt'];
    assert.deepEqual(changes('src'), moved);
    rmSync(bench.at('lib'), { recursive: true });
    bench.write('lib', 'a file');
    assert.deepEqual(changes('lib'), ['added lib', 'deleted lib/d.txt', ...moved]);
    rmSync(bench.at('a.txt'));
    symlinkSync('made', bench.at('a.txt'));
    assert.deepEqual(changes('a.txt'), ['modified a.txt', 'added lib', 'deleted lib/d.txt', ...moved]);
  });

  it('is found by a walk where rules have changed, told or not', () => {
    for (const file of ['src/b.txt', 'lib/d.txt', 'a.txt']) bench.write(file, 'two');
    assert.deepEqual(changes('src/b.txt', 'lib/d.txt', 'a.txt'), ['modified a.txt', 'modified lib/d.txt', 'modified src/b.txt']);
    bench.write('.gitignore', 'src/\n');
    assert.ok(!changes('.gitignore').includes('modified src/b.txt'));
    mkdirSync(bench.at('.git/info'), { recursive: true });
    bench.write('.git/HEAD', 'ref: refs/heads/main\n');
    bench.write('.git/info/exclude', 'lib/\n');
    assert.ok(!changes().includes('modified lib/d.txt'));
    bench.write('.git/config', `[core]\n\texcludesFile = ${bench.at('own').replaceAll('\\', '/')}\n`);
    bench.write('own', 'a.txt\n');
    assert.ok(!changes().includes('modified a.txt'));
    rmSync(bench.at('.gitignore'));
    assert.ok(changes('.gitignore').includes('modified src/b.txt'));
  });

  it('is found by a walk after a start, for hints from elsewhere, and where another engine has stored more', () => {
    bench.reopen();
    bench.write('a.txt', 'two');
    assert.deepEqual(changes('lib/d.txt'), ['modified a.txt']);
    bench.write('src/b.txt', 'two');
    assert.deepEqual(changes('../elsewhere/b.txt'), ['modified a.txt', 'modified src/b.txt']);
    bench.write('lib/d.txt', 'two');
    const other = bench.opened();
    other.checkpoints.takeNow('session', 'manual', 'Another', bench.workspace);
    other.dispose();
    bench.write('src/deep/c.txt', 'two');
    assert.equal(changes('a.txt').length, 4);
  });

  it('includes an ignored file that the agent is about to write, though nobody told', () => {
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'src/x.tmp');
    bench.write('src/x.tmp', 'two');
    assert.deepEqual(changes(), ['added src/x.tmp']);
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'made/e.js');
    bench.write('made/e.js', 'two');
    assert.deepEqual(changes(), ['modified made/e.js', 'added src/x.tmp']);
  });

  it('goes by the names that a folder has, where a file answers to others', () => {
    bench.write('src/B.TXT', 'other');
    rmSync(bench.at('src/B.TXT'));
    bench.reopen({ lstat: (file) => nodeFileSystem.lstat(file.replace('B.TXT', 'b.txt')) });
    bench.checkpoint('Again');
    assert.deepEqual(changes('src/B.TXT'), []);
  });
});
