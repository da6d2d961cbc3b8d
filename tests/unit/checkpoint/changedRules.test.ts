import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import type { RestoreOptions } from '../../../src/services/checkpoint/engine/restore/restorePlan';
import { EngineBench, treeOf } from './support/engineBench';
import { git } from './support/realGit';

describe('restores where rules have changed since', () => {
  let bench: EngineBench;

  beforeEach(() => {
    bench = new EngineBench();
  });

  afterEach(() => bench.clean());

  const later = () => new Promise((resolve) => setTimeout(resolve, 30));

  /** Takes a checkpoint after a pause, so that no file changed just before it. */
  async function takenLater(): Promise<string> {
    await later();
    return bench.checkpoint('Then');
  }

  /** Runs `work` between two command checkpoints and returns their ids. */
  function command(work: () => void): [before: string, after: string] {
    const before = bench.checkpoint('Before', 'command_before');
    work();
    return [before, bench.checkpoint('After', 'command_after')];
  }

  function steps(id: string, options: RestoreOptions = {}): string[] {
    return bench.engine.restores
      .plan('session', { kind: 'checkpoint', id }, bench.workspace, options)
      .map(({ path: file, action, reason }) => [file, action, ...(reason === null ? [] : [reason])].join(' '));
  }

  function restore(id: string, options: RestoreOptions = {}): string {
    return bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, options).operationId;
  }

  function changed(before: string, after: string): string[] {
    return bench.engine.checkpoints.diffAround(before, after).map(({ path: file, status }) => `${status} ${file}`);
  }

  /** Returns all files in the workspace except `.git`. */
  function tree(): Record<string, string> {
    return Object.fromEntries(Object.entries(treeOf(bench.root)).filter(([file]) => !file.startsWith('.git/')));
  }

  function text(file: string): string | null {
    return existsSync(bench.at(file)) ? readFileSync(bench.at(file), 'utf8') : null;
  }

  it('leave what was there but ignored, when a command edits the rules', async () => {
    bench.write('.gitignore', '*.local\nsecret/\n');
    bench.write('.env.local', 'key');
    bench.write('secret/deep/key', 'key');
    const id = await takenLater();
    const [before, after] = command(() => {
      bench.write('.gitignore', '');
      bench.write('made', 'by the command');
    });
    assert.deepEqual(changed(before, after), ['modified .gitignore', 'added made']);
    assert.deepEqual(steps(id), ['.gitignore write', 'made delete']);
    restore(id, { overwrite: 'all' });
    assert.deepEqual([text('.env.local'), text('secret/deep/key'), text('made')], ['key', 'key', null]);
  });

  for (const rules of ['*\n', 'F\n', 'd/\n']) {
    it(`bring nothing back that was not there, after a restore of it was undone, ignored by ${rules.trim()}`, () => {
      const file = rules === 'd/\n' ? 'd/F' : 'F';
      bench.write(file, 'one');
      bench.write('other', 'two');
      const first = bench.checkpoint('First');
      bench.write('.gitignore', rules);
      command(() => rmSync(bench.at(file)));
      const then = bench.checkpoint('Then');
      const restored = restore(first);
      assert.equal(text(file), 'one');
      const later = bench.checkpoint('Later');
      bench.engine.restores.restore('session', { kind: 'restore', id: restored }, bench.workspace, {});
      assert.deepEqual([text(file), steps(then)], [null, []]);
      assert.deepEqual(steps(later), [`${file} create`]);
      assert.equal(bench.textAt(later, file), 'one');
    });
  }

  it('leave what was ignored then and was changed since, and say so', async () => {
    bench.write('.gitignore', '*.local\n');
    bench.write('.env.local', 'key');
    bench.write('.other.local', 'key');
    const id = await takenLater();
    await later();
    command(() => {
      bench.write('.gitignore', '');
      bench.write('.env.local', 'another key');
    });
    assert.deepEqual(steps(id), ['.env.local keep leftOut', '.gitignore write']);
    assert.deepEqual(steps(id, { overwrite: 'all' }), ['.env.local keep leftOut', '.gitignore write']);
    restore(id, { overwrite: 'all' });
    assert.deepEqual([text('.env.local'), text('.other.local')], ['another key', 'key']);
  });

  it('leave what was forced into the index since', async () => {
    git(bench.root, 'init', '-q');
    bench.write('.gitignore', '*.log\n');
    bench.write('t.log', 'log');
    bench.write('logs.d/a/b.log', 'log');
    const id = await takenLater();
    const [before, after] = command(() => git(bench.root, 'add', '-f', 't.log', 'logs.d'));
    assert.deepEqual(changed(before, after), []);
    assert.deepEqual(steps(id), []);
  });

  it('leave what the built-in list left out, where a command makes a repository of the folder', async () => {
    const files = ['node_modules/m/index.js', 'build/app', 'main.pyc', '.venv/bin/python', 'a.o', 'logs/x'];
    bench.write('main.ts', 'x');
    for (const file of files) bench.write(file, file);
    const id = await takenLater();
    const [before, after] = command(() => {
      git(bench.root, 'init', '-q');
      git(bench.root, 'add', '-A', '-f');
      git(bench.root, 'commit', '-qm', 'all');
    });
    const there = tree();
    assert.deepEqual(changed(before, after), []);
    assert.deepEqual(steps(id, { overwrite: 'all' }), []);
    restore(id, { overwrite: 'all' });
    assert.deepEqual(tree(), there);
  });

  it('leave what is ignored on one branch only', async () => {
    git(bench.root, 'init', '-q');
    bench.write('.gitignore', 'data/\n');
    bench.write('data/set', '1');
    git(bench.root, 'add', '-A');
    git(bench.root, 'commit', '-qm', 'one');
    const id = await takenLater();
    command(() => {
      git(bench.root, 'checkout', '-qb', 'other');
      bench.write('.gitignore', '');
      git(bench.root, 'add', '-A');
      git(bench.root, 'commit', '-qm', 'two');
    });
    restore(id, { overwrite: 'all' });
    assert.equal(text('data/set'), '1');
  });

  it('leave what the settings left out', async () => {
    bench.write('big/one', '1');
    bench.workspace.exclude.push('big/');
    const id = await takenLater();
    bench.workspace.exclude.pop();
    command(() => bench.write('two', '2'));
    restore(id, { overwrite: 'all' });
    assert.deepEqual([text('big/one'), text('two')], ['1', null]);
  });

  it('leave, after a version that kept no names, what is older than the checkpoint', async () => {
    bench.write('.gitignore', '*.local\n');
    bench.write('.env.local', 'key');
    const id = await takenLater();
    bench.rows('DELETE FROM manifest_entries WHERE flags = 4');
    bench.rows('UPDATE manifests SET has_names = 0');
    bench.reopen();
    await new Promise((resolve) => setTimeout(resolve, 30));
    bench.rows('UPDATE checkpoints SET created_at = ?', Date.now());
    await new Promise((resolve) => setTimeout(resolve, 30));
    bench.rows('UPDATE manifests SET has_names = 0');
    const before = bench.checkpoint('Before', 'command_before');
    assert.deepEqual(bench.rows('SELECT has_names FROM manifests ORDER BY id DESC LIMIT 1'), [[1]]);
    bench.write('.gitignore', '');
    bench.write('made', '1');
    bench.checkpoint('After', 'command_after');
    assert.deepEqual(steps(id), ['.gitignore write', 'made delete']);
    assert.deepEqual(steps(before), ['.gitignore write', 'made delete']);
  });

  it('leave, after a version that left it out and kept no names, what a command has rewritten since', async () => {
    bench.write('src/env/x.ts', 'one');
    bench.workspace.exclude.push('env/');
    const id = bench.checkpoint('Then');
    bench.rows('DELETE FROM manifest_entries WHERE flags = 4');
    bench.rows('UPDATE manifests SET has_names = 0');
    bench.workspace.exclude.pop();
    bench.reopen();
    await new Promise((resolve) => setTimeout(resolve, 30));
    command(() => {
      bench.write('made', '1');
      bench.write('x.new', 'two');
      renameSync(bench.at('x.new'), bench.at('src/env/x.ts'));
    });
    assert.deepEqual(steps(id), ['made delete', 'src/env/x.ts keep leftOut']);
  });

  it('say nothing of files that became ignored, and tell of those that are gone with them', () => {
    for (const file of ['data/one', 'data/two', 'three.txt']) bench.write(file, file);
    const [before, after] = command(() => {
      bench.write('.gitignore', 'data/\n*.txt\n');
      rmSync(bench.at('data/two'));
    });
    assert.deepEqual(changed(before, after), ['added .gitignore', 'deleted data/two']);
    bench.reopen();
    const [again] = command(() => undefined);
    assert.deepEqual(
      bench.engine.checkpoints.diff(before, again).map(({ path: file, status }) => `${status} ${file}`),
      ['added .gitignore', 'deleted data/two'],
    );
    restore(before);
    assert.deepEqual(tree(), { 'data/one': '644 data/one', 'data/two': '644 data/two', 'three.txt': '644 three.txt' });
  });

  it('leave files in later checkpoints that they brought back to where the rules now leave them out', async () => {
    git(bench.root, 'init', '-q');
    bench.write('src/.venv/a.ts', 'a');
    bench.write('src/.venv/b.ts', 'b');
    git(bench.root, 'add', '-Af');
    const id = await takenLater();
    command(() => git(bench.root, 'mv', 'src/.venv', 'src/other'));
    restore(id);
    assert.deepEqual([text('src/.venv/a.ts'), text('src/other/a.ts')], ['a', null]);
    bench.write('src/.venv/a.ts', 'edited');
    bench.reopen();
    const later = bench.checkpoint('Later');
    command(() => rmSync(bench.at('src/.venv'), { recursive: true }));
    assert.deepEqual(steps(later), ['src/.venv/a.ts create', 'src/.venv/b.ts create']);
    restore(later);
    assert.deepEqual([text('src/.venv/a.ts'), text('src/.venv/b.ts')], ['edited', 'b']);
  });

  it('leave them there also where they bring back the rules that leave them out', async () => {
    git(bench.root, 'init', '-q');
    bench.write('.gitignore', '*.txt\n');
    bench.write('a.txt', 'a');
    git(bench.root, 'add', '-Af');
    const id = await takenLater();
    command(() => {
      git(bench.root, 'rm', '-qf', 'a.txt');
      bench.write('.gitignore', '');
    });
    restore(id);
    bench.write('a.txt', 'edited');
    assert.equal(bench.textAt(bench.checkpoint('Later'), 'a.txt'), 'edited');
  });

  for (const keep of [[], ['env.d/other.o']]) {
    it(`are undone also where what they made is ignored now, ${keep.length > 0 ? 'beside others that are' : 'alone'}`, async () => {
      git(bench.root, 'init', '-q');
      bench.write('.gitignore', '*.log\nenv.d/\n');
      bench.write('t.log', 'log');
      bench.write('env.d/a', 'a');
      for (const file of keep) bench.write(file, 'o');
      git(bench.root, 'add', '-f', 't.log', 'env.d/a');
      const id = await takenLater();
      command(() => git(bench.root, 'rm', '-qf', 't.log', 'env.d/a'));
      const before = tree();
      const operation = restore(id);
      assert.deepEqual([text('t.log'), text('env.d/a')], ['log', 'a']);
      bench.engine.restores.restore('session', { kind: 'restore', id: operation }, bench.workspace, {});
      assert.deepEqual(tree(), before);
    });
  }

  it('are undone also where the rules have changed to and fro meanwhile', async () => {
    bench.write('a.txt', 'a');
    const id = await takenLater();
    command(() => rmSync(bench.at('a.txt')));
    const operation = restore(id);
    bench.write('.gitignore', '*.txt\n');
    bench.checkpoint('Ignored');
    bench.engine.restores.restore('session', { kind: 'restore', id: operation }, bench.workspace, {});
    assert.equal(text('a.txt'), null);
  });

  it('remove what a tool made in a folder that was left out', async () => {
    bench.write('node_modules/m', 'm');
    const id = await takenLater();
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'node_modules/made');
    bench.write('node_modules/made', 'x');
    bench.checkpoint('After');
    restore(id, { overwrite: 'all' });
    assert.deepEqual([text('node_modules/m'), text('node_modules/made')], ['m', null]);
  });

  it('name a folder where one has too many names, and leave what is in it', async () => {
    bench.write('.gitignore', '*.local\n');
    bench.write('a.local', 'a');
    const id = await takenLater();
    bench.rows("UPDATE manifest_entries SET path = '' WHERE path = 'a.local'");
    command(() => bench.write('.gitignore', ''));
    restore(id, { overwrite: 'all' });
    assert.equal(text('a.local'), 'a');
  });

  it('take a file whose name was that of a folder which was left out', async () => {
    bench.write('.gitignore', 'data/\n');
    bench.write('data/x', 'x');
    await takenLater();
    renameSync(bench.at('data'), bench.at('old'));
    bench.write('data', 'a file');
    chmodSync(bench.at('data'), 0o644);
    assert.equal(bench.textAt(bench.checkpoint('Later'), 'data'), 'a file');
  });

  it('ask before they remove what was left out under another name', async () => {
    bench.write('.gitignore', '*.local\nsecret/\n');
    bench.write('.env.local', 'key');
    bench.write('secret/deep/key', 'another key');
    bench.write('taken', 'in the checkpoint');
    const id = await takenLater();
    await later();
    command(() => {
      renameSync(bench.at('.env.local'), bench.at('settings'));
      renameSync(bench.at('secret'), bench.at('open'));
      renameSync(bench.at('taken'), bench.at('moved'));
      bench.write('made', 'by the command');
    });
    const left = ['open/deep/key conflict leftOut', 'settings conflict leftOut'];
    assert.deepEqual(steps(id), ['made delete', 'moved delete', ...left, 'taken create']);
    const undo = restore(id);
    assert.deepEqual([text('settings'), text('open/deep/key'), text('moved')], ['key', 'another key', null]);
    bench.engine.restores.restore('session', { kind: 'restore', id: undo }, bench.workspace, {});
    restore(id, { overwrite: 'all' });
    assert.deepEqual([text('settings'), text('open/deep/key'), text('taken')], [null, null, 'in the checkpoint']);
  });
});
