import assert from 'node:assert/strict';
import { chmodSync, existsSync, lstatSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
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
const undo = (id: string, options: RestoreOptions = all) =>
  bench.engine.restores.restore('session', { kind: 'restore', id }, bench.workspace, options);

/** Runs `work` as a command of the session. */
function byCommand(work: () => void): void {
  bench.checkpoint('Before command', 'command_before');
  work();
  bench.checkpoint('After command', 'command_after');
}

describe('a restore', () => {
  it('looks for its second checkpoint only at what it has touched, and leaves to the next one what others did meanwhile', () => {
    const listed: string[] = [];
    for (const name of ['a', 'folder/b', 'other/c']) bench.write(name, name);
    const first = bench.checkpoint('First');
    for (const name of ['a', 'folder/b']) bench.write(name, 'changed');
    bench.reopen({
      list: (folder) => {
        listed.push(path.relative(bench.root, folder));
        return nodeFileSystem.list(folder);
      },
      rename: (from, to) => {
        nodeFileSystem.rename(from, to);
        if (to === bench.at('a')) bench.write('other/c', 'by somebody else');
      },
    });
    const { afterId } = restore(first);
    // The folders of changed files are listed a second time, to sync their names.
    assert.deepEqual(listed.sort(), ['', '', 'folder', 'folder', 'other']);
    assert.deepEqual(
      ['a', 'folder/b', 'other/c'].map((name) => bench.textAt(afterId, name)),
      ['a', 'folder/b', 'other/c'],
    );
    const next = bench.checkpoint('Next');
    assert.deepEqual(brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id: afterId }, bench.workspace, all)), [
      'write other/c',
    ]);
    assert.equal(bench.textAt(next, 'other/c'), 'by somebody else');
  });

  it('scans only the folders that it created for its second checkpoint, and forgets those that it removed', () => {
    const files = (id: string) => bench.engine.checkpoints.files(id).map(({ path: file }) => file);
    const listed: string[] = [];
    for (const name of ['a', 'gone/b', 'gone/deep/c', 'other/d']) bench.write(name, name);
    const first = bench.checkpoint('First');
    rmSync(bench.at('gone'), { recursive: true });
    const command = bench.checkpoint('Before command', 'command_before');
    for (const name of ['new/e', 'new/deep/f', 'other/g']) bench.write(name, name);
    assert.notEqual(command, bench.checkpoint('After command', 'command_after'));
    bench.reopen({
      list: (folder) => {
        listed.push(path.relative(bench.root, folder));
        return nodeFileSystem.list(folder);
      },
    });
    const { afterId, operationId } = restore(first);
    assert.deepEqual(files(afterId), files(first));
    assert.ok(listed.filter((folder) => folder === 'new').length <= 2, listed.join(' '));
    const undone = bench.engine.restores.restore('session', { kind: 'restore', id: operationId }, bench.workspace, all);
    assert.deepEqual(files(undone.afterId), ['a', 'new/deep/f', 'new/e', 'other/d', 'other/g']);
    // A new scan finds no difference.
    bench.reopen({});
    assert.deepEqual(
      brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id: undone.afterId }, bench.workspace, all)),
      [],
    );
  });

  it('scans again for its second checkpoint where it brought back rules or folders', () => {
    const files = (id: string) => bench.engine.checkpoints.files(id).map(({ path: file }) => file);
    bench.write('.gitignore', 'b\n');
    bench.write('c', 'c');
    const ruled = bench.checkpoint('With rules');
    rmSync(bench.at('.gitignore'));
    bench.write('b', 'b');
    const free = bench.checkpoint('Without rules');
    assert.deepEqual(files(free), ['b', 'c']);
    const { afterId } = restore(ruled, { ...all, files: [bench.at('.gitignore')] });
    assert.deepEqual(files(afterId), ['.gitignore', 'c']);
    bench.write('new/folder/d', 'd');
    const deep = bench.checkpoint('Deep');
    rmSync(bench.at('new'), { recursive: true });
    assert.deepEqual(files(restore(deep).afterId), ['.gitignore', 'c', 'new/folder/d']);
    rmSync(bench.at('new'), { recursive: true });
    bench.write('new', 'a file');
    assert.deepEqual(files(restore(deep).afterId), ['.gitignore', 'c', 'new/folder/d']);
  });

  it('brings back every byte, mode and link, and undoing it brings back the moment before', () => {
    bench.write('crlf', 'a\r\nb\r\n');
    bench.write('run', '#!', 0o755);
    bench.write('gone/deep/file', 'gone');
    symlinkSync('run', bench.at('link'));
    const id = bench.checkpoint('First');
    const before = treeOf(bench.root);
    bench.write('crlf', 'a\nb\n');
    chmodSync(bench.at('run'), 0o644);
    rmSync(bench.at('gone'), { recursive: true });
    rmSync(bench.at('link'));
    bench.write('link', 'a file now');
    bench.write('new/file', 'new');
    const after = treeOf(bench.root);
    const plan = bench.engine.restores.plan('session', { kind: 'checkpoint', id }, bench.workspace, all);
    assert.deepEqual(brief(plan), ['write crlf', 'create gone/deep/file', 'write link', 'delete new/file', 'write run']);
    assert.deepEqual(treeOf(bench.root), after);
    const { operationId, steps } = restore(id);
    assert.ok(steps.every(({ outcome }) => outcome === 'done'));
    assert.deepEqual(treeOf(bench.root), before);
    const undone = undo(operationId);
    assert.deepEqual(treeOf(bench.root), after);
    undo(undone.operationId);
    assert.deepEqual(treeOf(bench.root), before);
    assert.deepEqual(
      bench.engine.checkpoints
        .list('session')
        .slice(2)
        .map(({ kind }) => kind),
      ['restore_before', 'restore_after', 'restore_before', 'restore_after', 'restore_before', 'restore_after'],
    );
    bench.checkReferences();
  });

  it('leaves alone what this session did not change, unless it is told to', () => {
    bench.write('by command', 'one');
    bench.write('by hand', 'one');
    bench.write('open', 'one');
    bench.write('fine', 'one');
    const id = bench.checkpoint('First');
    byCommand(() => {
      bench.write('by command', 'two');
      bench.write('open', 'two');
    });
    bench.write('by hand', 'mine');
    bench.write('also mine', 'mine');
    const options = { unsaved: [bench.at('open')] };
    assert.deepEqual(brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id }, bench.workspace, options)), [
      'conflict also mine: changedSince',
      'write by command',
      'conflict by hand: changedSince',
      'conflict open: unsaved',
    ]);
    const { steps } = restore(id, options);
    assert.deepEqual(
      steps.map(({ outcome }) => outcome),
      ['skipped', 'done', 'skipped', 'skipped'],
    );
    assert.deepEqual(
      ['by command', 'by hand', 'open', 'also mine'].map((file) => readFileSync(bench.at(file), 'utf8')),
      ['one', 'mine', 'two', 'mine'],
    );
    restore(id, { ...options, overwrite: [bench.at('by hand')] });
    assert.equal(readFileSync(bench.at('by hand'), 'utf8'), 'one');
    assert.ok(existsSync(bench.at('also mine')));
  });

  it('leaves alone what a command of this session wrote and of which somebody changed the mode, or what it is, since', () => {
    for (const name of ['mode', 'link', 'fine']) bench.write(name, 'one');
    const id = bench.checkpoint('First');
    byCommand(() => {
      for (const name of ['mode', 'link', 'fine']) bench.write(name, 'two', 0o644);
    });
    chmodSync(bench.at('mode'), 0o755);
    rmSync(bench.at('link'));
    symlinkSync('two', bench.at('link'));
    const steps = ['write fine', 'conflict link: changedSince', 'conflict mode: changedSince'];
    assert.deepEqual(brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id }, bench.workspace, {})), steps);
    const { operationId } = restore(id);
    chmodSync(bench.at('mode'), 0o600);
    assert.deepEqual(brief(bench.engine.restores.plan('session', { kind: 'restore', id: operationId }, bench.workspace, {})), [
      'write fine',
      'write link',
      'conflict mode: changedSince',
    ]);
  });

  it('leaves alone what a command changed after somebody had edited it, but not after a restore or another command', () => {
    for (const name of ['edited', 'twice', 'fine']) bench.write(name, 'one');
    const id = bench.checkpoint('First');
    bench.write('edited', 'one by hand');
    byCommand(() => {
      bench.write('edited', 'one by hand, two');
      for (const name of ['twice', 'fine']) bench.write(name, 'two');
    });
    byCommand(() => bench.write('twice', 'three'));
    const planned = (target: string) =>
      brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id: target }, bench.workspace, {}));
    assert.deepEqual(planned(id), ['conflict edited: changedSince', 'write fine', 'write twice']);
    restore(id, { overwrite: 'all' });
    byCommand(() => bench.write('edited', 'four'));
    assert.deepEqual(planned(id), ['write edited']);
  });

  it('takes what was done by hand for that also where the checkpoint before a command or a restore is gone', () => {
    bench.write('by hand', 'one');
    bench.write('by command', 'one');
    const id = bench.checkpoint('First');
    byCommand(() => bench.write('by command', 'two'));
    bench.write('by hand', 'mine');
    const before = bench.checkpoint('Before command', 'command_before');
    bench.write('by command', 'three');
    bench.checkpoint('After command', 'command_after');
    const removed = () =>
      bench.engine.checkpoints.list('session').filter(({ kind }) => kind !== 'initial' && kind !== 'command_before');
    const conflicts = () => {
      const plan = bench.engine.restores.plan('session', { kind: 'checkpoint', id }, bench.workspace, {
        files: [bench.at('by hand')],
      });
      assert.deepEqual(brief(plan), ['conflict by hand: changedSince']);
    };
    conflicts();
    bench.engine.checkpoints.remove(before);
    conflicts();
    // The nearest remaining checkpoint is now the one before the first command.
    for (const { id: other, kind } of removed().slice(0, -1))
      if (kind === 'command_after') bench.engine.checkpoints.remove(other);
    conflicts();
  });

  it('is about the files it is limited to', () => {
    for (const name of ['a', 'b', 'c']) bench.write(name, 'one');
    const id = bench.checkpoint('First');
    for (const name of ['a', 'b', 'c']) bench.write(name, 'two');
    const { operationId } = restore(id, { ...all, files: [bench.at('a'), bench.at('b')] });
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => readFileSync(bench.at(name), 'utf8')),
      ['one', 'one', 'two'],
    );
    bench.write('c', 'three');
    undo(operationId, { files: [bench.at('a')] });
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => readFileSync(bench.at(name), 'utf8')),
      ['two', 'one', 'three'],
    );
  });

  it('touches no file that does not differ', () => {
    bench.write('same', 'same');
    bench.write('other', 'one');
    const id = bench.checkpoint('First');
    bench.write('other', 'two');
    const { mtimeMs, ino } = lstatSync(bench.at('same'));
    restore(id);
    assert.deepEqual([lstatSync(bench.at('same')).mtimeMs, lstatSync(bench.at('same')).ino], [mtimeMs, ino]);
  });

  it('turns files into folders and folders into files', () => {
    bench.write('a', 'file');
    bench.write('b/c/d', 'in a folder');
    const id = bench.checkpoint('First');
    const before = treeOf(bench.root);
    rmSync(bench.at('a'));
    bench.write('a/b', 'in a folder');
    rmSync(bench.at('b'), { recursive: true });
    bench.write('b', 'file');
    const after = treeOf(bench.root);
    const { operationId } = restore(id);
    assert.deepEqual(treeOf(bench.root), before);
    undo(operationId);
    assert.deepEqual(treeOf(bench.root), after);
  });
});
