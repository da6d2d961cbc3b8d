import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { EngineBench } from './support/engineBench';

/** What checkpoints do not hold, and what they say of it. */
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
    // Brought back are the files alone.
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
