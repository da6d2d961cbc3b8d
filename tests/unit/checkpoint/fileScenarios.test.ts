import assert from 'node:assert/strict';
import { existsSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { EngineBench, treeOf } from './support/engineBench';

/** Tests files that tools and commands create, change and delete, including ignored files. */

let bench: EngineBench;
beforeEach(() => {
  bench = new EngineBench();
  bench.write('.gitignore', '*.env\n.venv/\nbuild/\n');
});
afterEach(() => bench.clean());

/** Without file snapshots, the engine does not know the result of a tool, so restores overwrite the file. */
const byTool = (file: string, work: () => void) => {
  bench.engine.checkpoints.stage('session', bench.workspace, bench.root, file);
  work();
};
/** The checkpoints around a command record its changes. */
const byCommand = (_file: string, work: () => void) => {
  bench.checkpoint('Before command', 'command_before');
  work();
  bench.checkpoint('After command', 'command_after');
};
const status = () =>
  bench.engine.approvals.status('session', bench.workspace).changes.map((change) => `${change.status} ${change.path}`);
const isIn = (id: string, file: string) => bench.engine.checkpoints.files(id).some((one) => one.path === file);
const restore = (id: string) => bench.engine.restores.restore('session', { kind: 'checkpoint', id }, bench.workspace, {});

describe('a file', () => {
  it('created by a tool is added, is in the next checkpoint, and goes with a restore', () => {
    const first = bench.checkpoint('First');
    byTool('app.py', () => bench.write('app.py', 'app'));
    assert.deepEqual(status(), ['added app.py']);
    const second = bench.checkpoint('Second');
    assert.equal(bench.textAt(second, 'app.py'), 'app');
    bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, { overwrite: 'all' });
    assert.equal(existsSync(bench.at('app.py')), false);
  });

  it('created by a command is added, is in the next checkpoint, and goes with a restore', () => {
    const first = bench.checkpoint('First');
    byCommand('temp.txt', () => bench.write('temp.txt', 'test'));
    assert.deepEqual(status(), ['added temp.txt']);
    assert.equal(bench.textAt(bench.checkpoint('Second'), 'temp.txt'), 'test');
    restore(first);
    assert.equal(existsSync(bench.at('temp.txt')), false);
  });

  it('modified by a tool is shown with what it was, and goes back to it', () => {
    bench.write('main.py', 'old');
    const first = bench.checkpoint('First');
    byTool('main.py', () => bench.write('main.py', 'new'));
    const [change] = bench.engine.approvals.status('session', bench.workspace).changes;
    assert.equal(Buffer.from(bench.engine.objects.get(change?.before?.hash ?? '')).toString(), 'old');
    assert.equal(bench.textAt(bench.checkpoint('Second'), 'main.py'), 'new');
    bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, { overwrite: 'all' });
    assert.equal(readFileSync(bench.at('main.py'), 'utf8'), 'old');
  });

  it('modified by a command is shown at once, not only after the next checkpoint', () => {
    bench.write('main.py', 'old');
    const first = bench.checkpoint('First');
    byCommand('main.py', () => bench.write('main.py', 'new'));
    assert.deepEqual(status(), ['modified main.py']);
    assert.equal(bench.textAt(bench.checkpoint('Second'), 'main.py'), 'new');
    restore(first);
    assert.equal(readFileSync(bench.at('main.py'), 'utf8'), 'old');
  });

  it('deleted by a tool is shown with what it was, is in no later checkpoint, and comes back', () => {
    bench.write('old.py', 'content');
    const first = bench.checkpoint('First');
    byTool('old.py', () => rmSync(bench.at('old.py')));
    const [change] = bench.engine.approvals.status('session', bench.workspace).changes;
    assert.deepEqual([change?.status, change?.after], ['deleted', null]);
    assert.equal(Buffer.from(bench.engine.objects.get(change?.before?.hash ?? '')).toString(), 'content');
    assert.equal(isIn(bench.checkpoint('Second'), 'old.py'), false);
    bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, { overwrite: 'all' });
    assert.equal(readFileSync(bench.at('old.py'), 'utf8'), 'content');
  });

  it('deleted by a command, a folder of them too, is shown, is in no later checkpoint, and comes back', () => {
    for (const name of ['old.py', 'src/a.py', 'src/deep/b.py']) bench.write(name, name);
    const first = bench.checkpoint('First');
    const before = treeOf(bench.root);
    byCommand('src', () => {
      rmSync(bench.at('src'), { recursive: true });
      rmSync(bench.at('old.py'));
    });
    assert.deepEqual(status(), ['deleted old.py', 'deleted src/a.py', 'deleted src/deep/b.py']);
    assert.deepEqual(bench.everything(bench.checkpoint('Second')).length, 1);
    restore(first);
    assert.deepEqual(treeOf(bench.root), before);
  });

  it('created by a tool and deleted before the next checkpoint leaves no trace', () => {
    const first = bench.checkpoint('First');
    byTool('temp.env', () => bench.write('temp.env', 'temp'));
    byTool('temp.env', () => rmSync(bench.at('temp.env')));
    assert.deepEqual(status(), []);
    assert.equal(isIn(bench.checkpoint('Second'), 'temp.env'), false);
    assert.deepEqual(restore(first).steps, []);
  });
});

/** Expected results for an ignored file. `isKept`: the agent wrote the file before. */
const rows: {
  what: 'create' | 'modify' | 'delete';
  by: typeof byTool;
  isKept: boolean;
  status: string[];
  isInCheckpoint: boolean;
  back: string | null;
}[] = [
  { what: 'create', by: byTool, isKept: false, status: ['added a.env'], isInCheckpoint: true, back: null },
  { what: 'create', by: byCommand, isKept: false, status: [], isInCheckpoint: false, back: 'new' },
  // The file is restored to its state before the agent's first change. It is not deleted.
  { what: 'modify', by: byTool, isKept: false, status: ['modified a.env'], isInCheckpoint: true, back: 'old' },
  { what: 'modify', by: byTool, isKept: true, status: ['modified a.env'], isInCheckpoint: true, back: 'old' },
  { what: 'modify', by: byCommand, isKept: false, status: [], isInCheckpoint: false, back: 'new' },
  { what: 'modify', by: byCommand, isKept: true, status: ['modified a.env'], isInCheckpoint: true, back: 'old' },
  { what: 'delete', by: byTool, isKept: false, status: ['deleted a.env'], isInCheckpoint: false, back: 'old' },
  { what: 'delete', by: byTool, isKept: true, status: ['deleted a.env'], isInCheckpoint: false, back: 'old' },
  { what: 'delete', by: byCommand, isKept: false, status: [], isInCheckpoint: false, back: null },
  { what: 'delete', by: byCommand, isKept: true, status: ['deleted a.env'], isInCheckpoint: false, back: 'old' },
];

const work = {
  create: () => bench.write('a.env', 'new'),
  modify: () => bench.write('a.env', 'new'),
  delete: () => rmSync(bench.at('a.env')),
};
const contentNow = () => (existsSync(bench.at('a.env')) ? readFileSync(bench.at('a.env'), 'utf8') : null);

describe('an ignored file', () => {
  for (const { what, by, isKept, status: expected, isInCheckpoint, back } of rows) {
    const how = `${what}d by a ${by === byTool ? 'tool' : 'command'}`.replace('modifyd', 'modified');
    const place = `is${isInCheckpoint ? '' : ' not'} in the next checkpoint`;
    const left = back === null ? 'no such file' : `the ${back} one`;
    it(`${how}${isKept ? ' that a checkpoint holds already' : ''} ${place}; a restore leaves ${left}`, () => {
      const earlier = () => bench.write('a.env', 'old');
      bench.checkpoint('Before it');
      if (isKept) byTool('a.env', earlier);
      else if (what !== 'create') earlier();
      const first = isKept
        ? bench.engine.approvals.approve('session', bench.workspace, null).checkpointId
        : bench.checkpoint('First');
      by('a.env', work[what]);
      assert.deepEqual(status(), expected);
      const second = bench.checkpoint('Second');
      assert.equal(isIn(second, 'a.env'), isInCheckpoint);
      bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, { overwrite: 'all' });
      assert.equal(contentNow(), back);
      // Nothing stays staged after a checkpoint or a restore.
      assert.deepEqual(bench.rows('SELECT path FROM staged_files WHERE is_staged = 1'), []);
    });
  }

  it('in an ignored folder is taken where a tool wrote it, and nothing else of the folder', () => {
    bench.checkpoint('First');
    byTool('.venv/config.py', () => bench.write('.venv/config.py', 'config'));
    byCommand('build/result.txt', () => bench.write('build/result.txt', 'output'));
    bench.write('.venv/other.py', 'other');
    assert.deepEqual(status(), ['added .venv/config.py']);
    assert.deepEqual(
      bench.engine.checkpoints.files(bench.checkpoint('Second')).map(({ path: file }) => file),
      ['.gitignore', '.venv/config.py'],
    );
  });
});

describe('a link', () => {
  it('is stored as a link, never followed, and comes back as it was', () => {
    bench.write('config', 'not this');
    symlinkSync('/etc', bench.at('link'));
    const first = bench.checkpoint('First');
    rmSync(bench.at('link'));
    symlinkSync('config', bench.at('link'));
    assert.equal(bench.textAt(first, 'link'), '/etc');
    bench.engine.restores.restore('session', { kind: 'checkpoint', id: first }, bench.workspace, { overwrite: 'all' });
    assert.equal(readlinkSync(bench.at('link')), '/etc');
    assert.equal(readFileSync(bench.at('config'), 'utf8'), 'not this');
  });
});
