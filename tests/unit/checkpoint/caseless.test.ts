import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { hasCaselessDisk, mountCaselessDisk, type CaselessDisk } from '../../support/caselessDisk';
import { exitOf } from '../database/processes/child';
import { EngineBench, treeOf } from './support/engineBench';

const restorer = path.join(__dirname, 'processes', 'restorer.js');
let disk: CaselessDisk;
let bench: EngineBench;

const composed = 'Übersicht'.normalize('NFC');
const decomposed = composed.normalize('NFD');

/** Checks that a restore and its undo both reproduce the exact file names. */
function goesAndReturns(work: () => void): void {
  const before = treeOf(bench.root);
  const id = bench.checkpoint('Before command', 'command_before');
  work();
  bench.checkpoint('After command', 'command_after');
  const after = treeOf(bench.root);
  assert.notDeepEqual(after, before);
  const { operationId, steps } = bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, {});
  assert.deepEqual(treeOf(bench.root), before);
  assert.ok(steps.every(({ outcome }) => outcome === 'done'));
  bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, {});
  assert.deepEqual(treeOf(bench.root), after);
}

function restores(): void {
  before(async () => {
    disk = await mountCaselessDisk();
  });
  after(() => disk.unmount());
  beforeEach(() => {
    bench = new EngineBench(disk.folder);
  });
  afterEach(() => bench.clean());

  it('renames a file', () => {
    bench.write('readme.md', 'text');
    goesAndReturns(() => renameSync(bench.at('readme.md'), bench.at('README.md')));
  });

  it('renames a file that was also changed', () => {
    bench.write('readme.md', 'text');
    goesAndReturns(() => {
      renameSync(bench.at('readme.md'), bench.at('README.md'));
      bench.write('README.md', 'other text');
    });
  });

  it('renames a folder with its folders', () => {
    for (const name of ['src/a', 'src/inner/b', 'src/inner/c']) bench.write(name, name);
    goesAndReturns(() => renameSync(bench.at('src'), bench.at('Src')));
  });

  it('renames a folder and a folder in it', () => {
    for (const name of ['src/a', 'src/inner/b']) bench.write(name, name);
    goesAndReturns(() => {
      renameSync(bench.at('src'), bench.at('Src'));
      renameSync(bench.at('Src/inner'), bench.at('Src/Inner'));
    });
  });

  it('renames a folder that keeps ignored files', () => {
    bench.write('.gitignore', '*.log\n');
    for (const name of ['src/a', 'src/b.log']) bench.write(name, name);
    goesAndReturns(() => renameSync(bench.at('src'), bench.at('Src')));
  });

  it('renames a folder whose file went away', () => {
    for (const name of ['src/a', 'src/b']) bench.write(name, name);
    goesAndReturns(() => {
      renameSync(bench.at('src'), bench.at('SRC'));
      rmSync(bench.at('SRC/b'));
    });
  });

  it('renames an empty folder that a restore fills', () => {
    bench.write('a', 'a');
    const first = bench.checkpoint('First');
    bench.write('Src/inner/b', 'b');
    const second = bench.checkpoint('Second');
    renameSync(bench.at('Src'), bench.at('src'));
    for (const id of [first, second])
      bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, { overwrite: 'all' });
    assert.deepEqual(Object.keys(treeOf(bench.root)), ['Src/inner/b', 'a']);
  });

  it('changes the Unicode form of a folder', () => {
    bench.write(`${composed}/a`, 'a');
    goesAndReturns(() => renameSync(bench.at(composed), bench.at(decomposed)));
    assert.deepEqual(readdirSync(bench.root), [decomposed]);
  });

  for (const [operation, count] of [
    ['remove', 2],
    ['rename', 1],
    ['rename', 2],
    ['rename', 4],
    ['syncFolder', 1],
  ] as const) {
    it(`is finished after its process was killed (before ${operation} ${count})`, async () => {
      for (const name of ['src/a', 'src/b', 'readme']) bench.write(name, name);
      const checkpoint = bench.checkpoint('Then');
      const then = treeOf(bench.root);
      renameSync(bench.at('src'), bench.at('Src'));
      renameSync(bench.at('readme'), bench.at('README'));
      bench.write('README', 'changed');
      bench.engine.dispose();
      const child = fork(restorer, [bench.storage, bench.root, checkpoint, operation, String(count)], { execArgv: [] });
      assert.equal(await exitOf(child), 'SIGKILL');
      bench.engine = bench.opened();
      const [recovered] = bench.engine.restores.recover(bench.workspace);
      assert.deepEqual(
        recovered?.steps.filter(({ outcome }) => outcome !== 'done'),
        [],
      );
      assert.deepEqual(treeOf(bench.root), then);
    });
  }

  it('keeps a file that the user changed after a rename', () => {
    bench.write('readme', 'text');
    const id = bench.checkpoint('Before command', 'command_before');
    renameSync(bench.at('readme'), bench.at('README'));
    bench.checkpoint('After command', 'command_after');
    bench.write('README', 'by the user');
    const { steps } = bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, {});
    assert.deepEqual(
      steps.map(({ path: file, outcome, reason }) => `${file} ${outcome} ${reason}`),
      ['README skipped changedSince', 'readme skipped changedSince'],
    );
    assert.deepEqual(treeOf(bench.root), { README: '644 by the user' });
  });

  it('restores a chosen file alone only if its place is free', () => {
    bench.write('readme', 'text');
    const id = bench.checkpoint('Before command', 'command_before');
    renameSync(bench.at('readme'), bench.at('README'));
    bench.write('README', 'more text');
    bench.checkpoint('After command', 'command_after');
    const restore = (file: string) =>
      bench.engine.restores
        .restore('session', { kind: 'checkpoint', id }, bench.workspace, { files: [bench.at(file)] })
        .steps.map(({ path: name, outcome }) => `${name} ${outcome}`);
    assert.deepEqual(restore('readme'), ['readme changed']);
    assert.deepEqual(treeOf(bench.root), { README: '644 more text' });
    assert.deepEqual(restore('README'), ['README done']);
    assert.deepEqual(restore('readme'), ['readme done']);
    assert.deepEqual(treeOf(bench.root), { readme: '644 text' });
  });
}

if (hasCaselessDisk('restores on a file system that ignores case'))
  describe('a restore where names differ by case or Unicode form only', restores);
