import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
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

/** What a command of the session does. */
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
    // The folders of what it has touched once more, for the names that they have.
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
    // What comes after it is now the neighbour of the one before the first command.
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
    /** As after a restart, with files and folders that nobody may look into. */
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

  it('brings an ignored file back to what it was before the agent, and takes away one that was not there', () => {
    bench.write('.gitignore', '.env\n');
    bench.write('.env', 'KEY=mine');
    const first = bench.checkpoint('First');
    bench.checkpoint('Second');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, '.env');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, 'node_modules/new.js');
    bench.write('.env', 'KEY=agent');
    bench.write('node_modules/new.js', 'new');
    bench.write('node_modules/theirs.js', 'theirs');
    const { operationId } = restore(first);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=mine');
    assert.deepEqual(readdirSync(bench.at('node_modules')), ['theirs.js']);
    undo(operationId);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=agent');
    assert.deepEqual(readdirSync(bench.at('node_modules')), ['new.js', 'theirs.js']);
  });

  it('knows what an ignored file was also where the checkpoint or the session that kept it is gone', () => {
    bench.write('.gitignore', '.env\n');
    bench.write('.env', 'KEY=mine');
    const first = bench.checkpoint('First');
    const touch = (session: string, content: string) => {
      const [id = ''] = bench.engine.checkpoints
        .takeNow(session, 'manual', 'Touched', bench.workspace)
        .slice(-1)
        .map((info) => info.id);
      bench.engine.checkpoints.stage(session, bench.workspace, bench.root, '.env');
      bench.write('.env', content);
      return id;
    };
    const planned = () => {
      const [step] = bench.engine.restores.plan('session', { kind: 'checkpoint', id: first }, bench.workspace, all);
      return step?.to && Buffer.from(bench.engine.objects.get(step.to.hash ?? '')).toString();
    };
    for (const name of ['second', 'third']) bench.store.session(name);
    const second = touch('second', 'KEY=second');
    touch('second', 'KEY=second again');
    touch('third', 'KEY=third');
    assert.equal(planned(), 'KEY=mine');
    bench.engine.checkpoints.remove(second);
    assert.equal(planned(), 'KEY=mine');
    bench.rows("DELETE FROM sessions WHERE id = 'second'");
    assert.equal(planned(), 'KEY=mine');
    bench.checkReferences();
    restore(first);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=mine');
  });

  it('brings back an ignored file that the agent deleted, and undoes that too', () => {
    bench.write('.gitignore', '.env\n');
    bench.write('.env', 'KEY=mine');
    const id = bench.checkpoint('First');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, '.env');
    rmSync(bench.at('.env'));
    const { operationId } = restore(id);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=mine');
    undo(operationId);
    assert.equal(existsSync(bench.at('.env')), false);
  });

  it('keeps an ignored file that lies where one is to come back, and brings it back too', () => {
    bench.write('.gitignore', '.env\n');
    const first = bench.checkpoint('First');
    bench.engine.checkpoints.stage('session', bench.workspace, bench.root, '.env');
    bench.write('.env', 'KEY=agent');
    const second = bench.checkpoint('Second');
    restore(first);
    bench.write('.env', 'KEY=mine');
    assert.deepEqual(brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id: second }, bench.workspace, {})), [
      'conflict .env: changedSince',
    ]);
    const { operationId } = restore(second);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=agent');
    undo(operationId);
    assert.equal(readFileSync(bench.at('.env'), 'utf8'), 'KEY=mine');
  });

  it('sees a file that lies there and is ignored now, but was not then', () => {
    bench.write('notes', 'then');
    bench.write('same', 'same');
    const id = bench.checkpoint('First');
    bench.write('.gitignore', 'notes\nsame\n');
    bench.write('notes', 'now');
    bench.checkpoint('Second');
    const files = [bench.at('notes'), bench.at('same')];
    assert.deepEqual(brief(bench.engine.restores.plan('session', { kind: 'checkpoint', id }, bench.workspace, { files })), [
      'conflict notes: changedSince',
    ]);
    assert.deepEqual(brief(restore(id, { files }).steps), ['conflict notes: changedSince']);
    assert.equal(readFileSync(bench.at('notes'), 'utf8'), 'now');
    const { operationId, steps } = restore(id, { ...all, files });
    assert.deepEqual(
      steps.map(({ action, outcome }) => `${action} ${outcome}`),
      ['write done'],
    );
    assert.equal(readFileSync(bench.at('notes'), 'utf8'), 'then');
    undo(operationId);
    assert.equal(readFileSync(bench.at('notes'), 'utf8'), 'now');
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

describe('a restore of several folders that was interrupted', () => {
  let other: string;
  let both: typeof bench.workspace;
  const contents = () => [path.join(other, 'theirs'), bench.at('ours')].map((file) => readFileSync(file, 'utf8'));
  const writeAll = (text: string) => {
    bench.write('ours', text);
    writeFileSync(path.join(other, 'theirs'), text);
  };
  const outcomes = () =>
    bench.engine.restores.recover(bench.workspace).flatMap(({ steps }) => steps.map(({ outcome }) => outcome));
  const running = () => bench.rows("SELECT id FROM operations WHERE state = 'running'").length;

  beforeEach(() => {
    other = bench.folder();
    both = { ...bench.workspace, roots: [bench.root, other] };
    writeAll('one');
    writeFileSync(path.join(other, 'gone'), 'one');
    const [id = ''] = bench.engine.checkpoints.takeNow('session', 'manual', 'First', both).map((info) => info.id);
    writeAll('two');
    rmSync(path.join(other, 'gone'));
    writeFileSync(path.join(other, 'new'), 'two');
    bench.engine.restores.restore('session', { kind: 'checkpoint', id }, both, all);
    bench.rows("UPDATE operations SET state = 'running', finished_at = NULL");
    writeAll('two');
  });

  it('is finished also where some of them are not open any more, and can be undone once they are', () => {
    const [recovered] = bench.engine.restores.recover(bench.workspace);
    assert.deepEqual(
      recovered?.steps.map(({ outcome }) => outcome),
      ['done', 'done', 'done', 'done'],
    );
    assert.deepEqual([contents(), running()], [['one', 'one'], 0]);
    const inAfter = bench.engine.checkpoints.files(recovered?.afterId ?? '').map(({ root }) => root);
    assert.deepEqual(new Set(inAfter), new Set([bench.root, other]));
    // Nobody has changed anything since, so nothing is a conflict.
    bench.engine.restores.restore('session', { kind: 'restore', id: recovered?.operationId ?? '' }, both, {});
    assert.deepEqual(
      [contents(), readdirSync(other).sort()],
      [
        ['two', 'two'],
        ['new', 'theirs'],
      ],
    );
  });

  it('is left to others where none of them is open', () => {
    bench.workspace.roots = [bench.folder()];
    assert.deepEqual([outcomes(), contents(), running()], [[], ['two', 'two'], 1]);
  });

  it('fails in a folder that is gone, which is not made again, and is done in the others', () => {
    rmSync(other, { recursive: true });
    assert.deepEqual(outcomes().sort(), ['done', 'failed', 'failed', 'failed']);
    assert.deepEqual([readFileSync(bench.at('ours'), 'utf8'), existsSync(other), running()], ['one', false, 0]);
  });

  it('is done and over also where one that is closed may not be looked into', () => {
    bench.reopen({
      list: (folder) => {
        if (folder === other) throw Object.assign(new Error('no'), { code: 'EACCES', syscall: 'scandir' });
        return nodeFileSystem.list(folder);
      },
    });
    assert.equal(outcomes().filter((outcome) => outcome === 'done').length, 4);
    assert.deepEqual([contents(), running()], [['one', 'one'], 0]);
  });

  it('waits for whoever works in any of them, and keeps no other from being finished', () => {
    const id = bench.checkpoint('Alone');
    bench.write('ours', 'three');
    bench.rows('UPDATE operations SET created_at = created_at - 1000');
    restore(id);
    bench.rows("UPDATE operations SET state = 'running', finished_at = NULL");
    bench.write('ours', 'three');

    bench.store.session('busy');
    bench.rows(
      "UPDATE sessions SET project_path = ?, owner = ?, heartbeat_at = ? WHERE id = 'busy'",
      other,
      bench.owner,
      Date.now(),
    );
    assert.throws(() => bench.engine.restores.recover(bench.workspace), { code: 'busy' });
    assert.deepEqual([contents(), running()], [['two', 'two'], 1]);
    bench.rows("UPDATE sessions SET owner = NULL WHERE id = 'busy'");

    bench.rows(
      `INSERT INTO operations (id, session_id, kind, state, owner, data, created_at, heartbeat_at)
       VALUES ('o', 'another', 'restore', 'running', 'elsewhere/1#1#window', json_object('roots', json_array(?)), ?, ?)`,
      ...[other, Date.now(), Date.now()],
    );
    assert.throws(() => bench.engine.restores.recover(bench.workspace), { code: 'underWay' });
    assert.deepEqual([contents(), running()], [['two', 'two'], 2]);
    bench.rows("DELETE FROM operations WHERE id = 'o'");

    assert.deepEqual([outcomes().length, contents(), running()], [4, ['one', 'one'], 0]);
  });
});

describe('work sessions', () => {
  it('tell the lines of any of very many changed files, so many at a time', () => {
    bench.checkpoint('First');
    for (let file = 0; file < 520; file += 1) bench.write(`${1_000 + file}.txt`, 'one\ntwo\n');
    const lines = (from?: number) => {
      const { changes } = bench.engine.approvals.status('session', bench.workspace, false, undefined, from);
      assert.equal(changes.length, 520);
      return [0, 499, 500, 519].map((at) => changes[at]?.lines?.additions ?? null);
    };
    assert.deepEqual(
      [lines(), lines(500)],
      [
        [2, 2, null, null],
        [null, null, 2, 2],
      ],
    );
  });

  it('lock in what is approved, and go back to it as a whole', () => {
    bench.write('todo.py', '');
    bench.checkpoint('Before user message: Create a TODO app');
    byCommand(() => bench.write('todo.py', 'app'));
    bench.checkpoint('Before user message: Add tests');
    byCommand(() => bench.write('test.py', 'tests'));
    assert.deepEqual(
      bench.engine.approvals.status('session', bench.workspace).changes.map(({ path: file, status }) => `${status} ${file}`),
      ['added test.py', 'modified todo.py'],
    );
    const approval = bench.engine.approvals.approve('session', bench.workspace, 'Initial TODO app');
    assert.deepEqual([approval.workSession, approval.checkpointCount], ['session_2', 2]);
    const status = bench.engine.approvals.status('session', bench.workspace);
    assert.deepEqual([status.workSession, status.changes, typeof status.lastApprovedAt], ['session_2', [], 'number']);
    assert.throws(() => bench.engine.checkpoints.remove(approval.checkpointId), { code: 'approved' });

    const approved = treeOf(bench.root);
    bench.checkpoint('Before user message: Add authentication');
    byCommand(() => {
      bench.write('auth.py', 'auth');
      rmSync(bench.at('test.py'));
    });
    bench.engine.restores.restore('session', { kind: 'approved' }, bench.workspace, {});
    assert.equal(bench.engine.approvals.status('session', bench.workspace).workSession, 'session_3');
    assert.deepEqual(treeOf(bench.root), approved);
    assert.deepEqual(bench.rows('SELECT name, status FROM work_sessions ORDER BY number'), [
      ['session_1', 'merged'],
      ['session_2', 'abandoned'],
      ['session_3', 'active'],
    ]);
  });

  it('are given up with the restore also where the next window finishes that', () => {
    bench.write('a', 'one');
    bench.checkpoint('First');
    byCommand(() => bench.write('a', 'two'));
    class Killed extends Error {}
    bench.reopen({
      rename: () => {
        throw new Killed();
      },
    });
    assert.throws(() => bench.engine.restores.restore('session', { kind: 'approved' }, bench.workspace, {}), Killed);
    bench.reopen();
    const recovered = bench.engine.restores.recover(bench.workspace);
    assert.deepEqual(
      recovered.map(({ isReset }) => isReset),
      [true],
    );
    assert.equal(readFileSync(bench.at('a'), 'utf8'), 'one');
    assert.deepEqual(bench.rows('SELECT name, status FROM work_sessions ORDER BY number'), [
      ['session_1', 'abandoned'],
      ['session_2', 'active'],
    ]);
  });

  it('are given up by the one window that ends the restore, where another has taken it over', () => {
    bench.write('a', 'one');
    bench.checkpoint('First');
    byCommand(() => bench.write('a', 'two'));
    bench.reopen({
      rename: (from, to) => {
        nodeFileSystem.rename(from, to);
        if (to === bench.at('a')) bench.rows("UPDATE operations SET owner = 'elsewhere/1#1#window' WHERE state = 'running'");
      },
    });
    assert.throws(() => bench.engine.restores.restore('session', { kind: 'approved' }, bench.workspace, {}), {
      code: 'underWay',
    });
    assert.equal(readFileSync(bench.at('a'), 'utf8'), 'one');
    assert.deepEqual(bench.rows('SELECT status FROM work_sessions'), [['active']]);
    assert.deepEqual(bench.rows("SELECT id FROM checkpoints WHERE kind = 'restore_after'"), []);
    assert.deepEqual(bench.rows('SELECT state, owner FROM operations'), [['running', 'elsewhere/1#1#window']]);

    // And where that has ended it.
    bench.rows("UPDATE operations SET state = 'running', owner = ?", bench.owner);
    bench.reopen({
      lstat: (file) => {
        if (file === bench.at('a')) bench.rows("UPDATE operations SET state = 'done'");
        return nodeFileSystem.lstat(file);
      },
    });
    assert.throws(() => bench.engine.restores.recover(bench.workspace), { code: 'underWay' });
    assert.deepEqual(bench.rows('SELECT status FROM work_sessions'), [['active']]);
  });

  it('are not approved while another window is bringing files of their folders to other states', () => {
    bench.write('a', 'one');
    bench.checkpoint('First');
    bench.rows(
      `INSERT INTO operations (id, session_id, kind, state, owner, data, created_at, heartbeat_at)
       VALUES ('o', 'another', 'restore', 'running', 'elsewhere/1#1#window', json_object('roots', json_array(?)), ?, ?)`,
      ...[bench.at('src'), Date.now(), Date.now()],
    );
    const approve = () => bench.engine.approvals.approve('session', bench.workspace, null);
    assert.throws(approve, { code: 'underWay' });
    assert.deepEqual(bench.rows('SELECT count(*) FROM approved_states'), [[1]]);
    bench.rows("UPDATE operations SET data = json_object('roots', json_array('/elsewhere'))");
    assert.equal(approve().workSession, 'session_2');
  });

  it('go back to where the session began before anything was approved', () => {
    bench.write('a', 'one');
    bench.checkpoint('First');
    byCommand(() => bench.write('a', 'two'));
    mkdirSync(bench.at('empty'));
    bench.engine.restores.restore('session', { kind: 'approved' }, bench.workspace, {});
    assert.equal(readFileSync(path.join(bench.root, 'a'), 'utf8'), 'one');
    assert.ok(existsSync(bench.at('empty')));
  });
});
