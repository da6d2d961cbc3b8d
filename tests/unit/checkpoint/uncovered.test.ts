import assert from 'node:assert/strict';
import { cpSync, lstatSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { EngineBench } from './support/engineBench';
import { makeStorage } from '../../support/storageFolder';

/** Files that checkpoints do not contain, and how they are reported. */
describe('what no checkpoint holds', () => {
  let bench: EngineBench;
  beforeEach(() => (bench = new EngineBench()));
  afterEach(() => bench.clean());

  const around = (work: () => void) => {
    const before = bench.checkpoint('Before', 'command_before');
    work();
    const after = bench.checkpoint('After', 'command_after');
    const { gone, goneCount, histories } = bench.engine.checkpoints.changesAround(before, after, 50).uncovered;
    return { before, after, told: { gone: gone.map((one) => one.path), goneCount, histories: histories.map((one) => one.path) } };
  };
  const uncoveredAt = (id: string) => {
    const { histories, gone } = bench.engine.restores.uncovered('session', { kind: 'checkpoint', id }, 50);
    return {
      histories: histories.map((one) => `${one.path || '.'}${one.isGone ? ' gone' : ''}`),
      gone: gone.map((one) => one.path),
    };
  };

  it('names the Git history that went with a nested clone, around the command and in the plan', () => {
    bench.write('.git/HEAD', 'ref: refs/heads/main\n');
    bench.write('lib/.git/HEAD', 'ref: refs/heads/main\n');
    bench.write('lib/code.c', 'int x;\n');
    bench.write('link/.git', 'gitdir: ../.git/worktrees/link\n');
    const { before, after, told } = around(() => rmSync(bench.at('lib'), { recursive: true }));
    assert.deepEqual(told, { gone: [], goneCount: 0, histories: ['lib'] });
    assert.deepEqual(uncoveredAt(before), { histories: ['.', 'lib gone', 'link'], gone: [] });
    assert.deepEqual(uncoveredAt(after), { histories: ['.', 'link'], gone: [] });
    // The restore brings back only the files, not the history.
    bench.engine.restores.restore('session', { kind: 'checkpoint', id: before }, bench.workspace, { overwrite: 'all' });
    assert.deepEqual(uncoveredAt(before), { histories: ['.', 'lib gone', 'link'], gone: [] });
    bench.write('lib/.git/HEAD', 'ref: refs/heads/main\n');
    assert.deepEqual(uncoveredAt(before), { histories: ['.', 'lib', 'link'], gone: [] });
  });

  it('names the history of the workspace folder itself', () => {
    bench.write('.git/HEAD', 'ref: refs/heads/main\n');
    const { before, told } = around(() => rmSync(bench.at('.git'), { recursive: true }));
    assert.deepEqual(told, { gone: [], goneCount: 0, histories: [''] });
    assert.deepEqual(uncoveredAt(before), { histories: ['. gone'], gone: [] });
  });

  it('names what the rules left out when a command removes it', () => {
    bench.write('.gitignore', 'secret.env\ncache/\n');
    bench.write('secret.env', 'x');
    bench.write('cache/one', 'x');
    bench.write('lib/native.a', new Uint8Array([0, 1, 2]));
    bench.write('kept.o', new Uint8Array([0]));
    const { before, told } = around(() => {
      for (const name of ['secret.env', 'cache', 'lib']) rmSync(bench.at(name), { recursive: true });
    });
    assert.deepEqual(told, { gone: ['cache', 'lib/native.a', 'secret.env'], goneCount: 3, histories: [] });
    assert.deepEqual(uncoveredAt(before), { histories: [], gone: ['cache', 'lib/native.a', 'secret.env'] });
  });

  it('does not name what is there in another way: taken by now, in a folder that is left out by now, or made again', () => {
    bench.write('.gitignore', '*.tmp\n');
    bench.write('a.tmp', 'x');
    bench.write('d/b.tmp', 'x');
    const { before, told } = around(() => bench.write('.gitignore', '/d/\n'));
    assert.deepEqual(told, { gone: [], goneCount: 0, histories: [] });
    assert.deepEqual(uncoveredAt(before), { histories: [], gone: [] });
  });
});

/** Small text files that only the built-in list leaves out, and files that are hidden by a name. */
describe('what checkpoints hold nevertheless', () => {
  let bench: EngineBench;
  beforeEach(() => (bench = new EngineBench()));
  afterEach(() => bench.clean());

  const held = (id: string) => bench.engine.checkpoints.files(id).map(({ path: file }) => file);
  const restore = (id: string) =>
    bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, { overwrite: 'all' });

  const written = [
    '.env/prod',
    '.vscode/launch.json',
    'dist/hand-written.js',
    'dist/deep/er.css',
    'notes/2024.log',
    'build/readme.txt',
  ];

  it('are small text files that no rule of the project ignores', () => {
    for (const name of written) bench.write(name, `${name}\n`);
    bench.write('.gitignore', 'dist/made/\n');
    bench.write('dist/made/out.js', 'x');
    bench.write('dist/node_modules/x.js', 'x');
    bench.write('node_modules/left/index.js', 'x');
    bench.write('dist/logo.png', new Uint8Array([137, 80, 0, 1]));
    bench.write('lib/native.a', '!<arch>\n\0');
    bench.write('big.log', 'x'.repeat(1_000_001));
    const id = bench.checkpoint('One');
    assert.deepEqual(held(id), ['.gitignore', ...written].sort());
    assert.equal(bench.checkpoint('Again') === id, false);
    assert.deepEqual(bench.rows('SELECT count(*) FROM manifests'), [[1]]);
    bench.engine.checkpoints.takeNow('session', 'command_before', 'Before', bench.workspace);
    for (const folder of ['.env', '.vscode', 'dist', 'notes', 'build']) rmSync(bench.at(folder), { recursive: true });
    bench.engine.checkpoints.takeNow('session', 'command_after', 'After', bench.workspace);
    restore(id);
    assert.deepEqual(held(bench.checkpoint('Back')), ['.gitignore', ...written].sort());
  });

  it('are taken up to 20 MB and 2,000 files, the rest by name, and never removed by a restore', () => {
    for (let at = 0; at < 22; at += 1) bench.write(`dist/${String(at).padStart(2, '0')}.txt`, 'x'.repeat(999_000));
    const id = bench.checkpoint('One');
    assert.equal(held(id).length, 20);
    const before = bench.checkpoint('Before', 'command_before');
    rmSync(bench.at('dist/00.txt'));
    bench.checkpoint('After', 'command_after');
    restore(before);
    assert.equal(lstatSync(bench.at('dist/00.txt')).size, 999_000);
    assert.equal(lstatSync(bench.at('dist/21.txt')).size, 999_000);
    assert.deepEqual(bench.engine.checkpoints.changesAround(before, bench.checkpoint('Later'), 9).uncovered, {
      histories: [],
      gone: [],
      goneCount: 0,
    });
  });

  it('follow when a log grows over the limit, becomes binary, or is ignored by the project', () => {
    bench.write('a.log', 'one\n');
    bench.write('b.log', 'one\n');
    bench.write('c/c.log', 'one\n');
    assert.deepEqual(held(bench.checkpoint('One')), ['a.log', 'b.log', 'c/c.log']);
    bench.write('a.log', 'x'.repeat(1_000_001));
    bench.write('b.log', 'o\0');
    bench.write('c/.gitignore', '*.log\n');
    assert.deepEqual(held(bench.checkpoint('Two')), ['c/.gitignore']);
    bench.write('a.log', 'short again\n');
    rmSync(bench.at('c/.gitignore'));
    assert.deepEqual(held(bench.checkpoint('Three')), ['a.log', 'c/c.log']);
    // A scan of single paths gives the same result as a full scan.
    const approved = bench.checkpoint('Four');
    bench.write('a.log', 'changed\n');
    bench.write('d.log', 'new\n');
    const seen = bench.engine.checkpoints.diffNow(approved, bench.workspace, [bench.at('a.log'), bench.at('d.log')]);
    assert.deepEqual(
      seen.map(({ path: file, status }) => `${status} ${file}`),
      ['modified a.log', 'added d.log'],
    );
  });

  it('are the files of a folder that only has files with the names of a storage; a storage is told', () => {
    bench.write('src/sessions.sqlite.in-use', '');
    bench.write('src/code.ts', 'x');
    bench.write('web/sessions.sqlite.in-use', '');
    bench.write('web/sessions.sqlite', '');
    bench.write('web/page.ts', 'x');
    bench.write('lib/sessions.sqlite.in-use', '');
    bench.write('lib/sessions.sqlite', 'SQLite format 3');
    makeStorage(bench.at('mine'));
    bench.write('mine/objects/pack', 'x');
    const id = bench.checkpoint('One');
    assert.deepEqual(held(id), [
      ...['lib/sessions.sqlite', 'lib/sessions.sqlite.in-use', 'src/code.ts', 'src/sessions.sqlite.in-use'],
      ...['web/page.ts', 'web/sessions.sqlite', 'web/sessions.sqlite.in-use'],
    ]);
    assert.deepEqual(bench.problemsOf(id), [{ root: bench.root, path: 'mine', reason: 'storage' }]);
  });

  it('are not removed without a question where a command copied them out of a left-out folder and deleted that', () => {
    bench.write('.gitignore', 'secret/\n*.local\n');
    bench.write('secret/deep/key', 'a key');
    bench.write('my.local', 'a setting');
    const now = Date.now();
    utimesSync(bench.at('my.local'), new Date(now - 3_600_000), new Date(now - 3_600_000));
    // File times can lag behind the clock by up to 10 ms, so the command begins a second before its files.
    bench.clock.now = () => now - 1_000;
    const before = bench.checkpoint('Before', 'command_before');
    cpSync(bench.at('secret'), bench.at('open'), { recursive: true });
    cpSync(bench.at('my.local'), bench.at('settings'), { preserveTimestamps: true });
    bench.write('made', 'by the command');
    for (const name of ['secret', 'my.local']) rmSync(bench.at(name), { recursive: true });
    bench.checkpoint('After', 'command_after');
    const steps = bench.engine.restores.plan('session', { kind: 'checkpoint', id: before }, bench.workspace, {});
    assert.deepEqual(
      steps.map(({ path: file, action, reason }) => [file, action, reason].join(' ').trim()),
      ['made delete', 'open/deep/key conflict leftOut', 'settings conflict leftOut'],
    );
  });

  it('are not removed without a question where a command moved them over a file, or one made after the checkpoint', () => {
    // The times are far apart, because file times can lag behind the clock by up to 10 ms.
    const now = Date.now();
    bench.clock.now = () => now - 30_000;
    bench.write('.gitignore', '*.env\n');
    bench.write('old.env', 'a key');
    bench.write('config', 'a sample');
    const id = bench.checkpoint('Message');
    bench.write('late.env', 'a later key');
    for (const name of ['old.env', 'late.env']) utimesSync(bench.at(name), new Date(now - 20_000), new Date(now - 20_000));
    bench.clock.now = () => now - 10_000;
    bench.checkpoint('Before', 'command_before');
    renameSync(bench.at('old.env'), bench.at('config'));
    renameSync(bench.at('late.env'), bench.at('settings'));
    bench.write('made', 'by the command');
    bench.checkpoint('After', 'command_after');
    const steps = bench.engine.restores.plan('session', { kind: 'checkpoint', id }, bench.workspace, {});
    assert.deepEqual(
      steps.map(({ path: file, action, reason }) => [file, action, reason].join(' ').trim()),
      ['config conflict leftOut', 'made delete', 'settings conflict leftOut'],
    );
  });

  it('has what a memory map wrote without a new time', () => {
    bench.write('data', 'one');
    const recent = new Date(Date.now() - 5_000);
    // Simulates a first write through a memory map a few seconds ago. A second write does not change the time until the page is flushed.
    const real = lstatSync(bench.at('data'));
    const stats = Object.assign(real, { mtimeMs: recent.getTime() + 0.25, ctimeMs: recent.getTime() + 0.25 });
    const nodeStat = {
      lstat: (file: string) => (file === bench.at('data') ? stats : lstatSync(file, { throwIfNoEntry: false })),
      stat: () => stats,
    };
    bench.reopen(nodeStat);
    assert.equal(bench.textAt(bench.checkpoint('One'), 'data'), 'one');
    writeFileSync(bench.at('data'), 'two');
    assert.equal(bench.textAt(bench.checkpoint('Two'), 'data'), 'two');
  });
});
