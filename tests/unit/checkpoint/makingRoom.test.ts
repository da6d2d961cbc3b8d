import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
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

describe('where an ignored file or link took the place of a folder', () => {
  beforeEach(() => {
    // `k` is ignored as a file, but not as a folder.
    bench.write('.gitignore', 'k\n!k/\n');
    bench.write('k/x', 'one');
  });

  for (const [kind, put] of [
    ['file', () => bench.write('k', 'ignored')],
    ['link', () => symlinkSync('elsewhere', bench.at('k'))],
    ['link to itself', () => symlinkSync('k', bench.at('k'))],
  ] as const) {
    it(`a restore makes room, and its undo brings the ${kind} back`, () => {
      const first = bench.checkpoint('A folder');
      rmSync(bench.at('k'), { recursive: true });
      put();
      const now = treeOf(bench.root);
      const result = restore(first);
      assert.deepEqual(outcomes(result), ['done k', 'done k/x']);
      assert.equal(treeOf(bench.root)['k/x'], '644 one');
      bench.engine.restores.restore('session', { kind: 'restore', id: result.operationId }, bench.workspace, all);
      assert.deepEqual(treeOf(bench.root), now);
    });
  }

  it('going back a second time finds nothing left to do', () => {
    const first = bench.checkpoint('A folder');
    rmSync(bench.at('k'), { recursive: true });
    bench.write('k', 'ignored');
    restore(first);
    assert.deepEqual(bench.engine.restores.plan('session', { kind: 'checkpoint', id: first }, bench.workspace, all), []);
    rmSync(bench.at('k'), { recursive: true });
    assert.deepEqual(outcomes(restore(first)), ['done k/x']);
  });

  it('it stays with all that would be in the folder, unless a person decides otherwise', () => {
    const first = bench.checkpoint('A folder');
    bench.checkpoint('Before command', 'command_before');
    rmSync(bench.at('k'), { recursive: true });
    bench.checkpoint('After command', 'command_after');
    bench.write('k', 'ignored');
    const plan = bench.engine.restores.plan('session', { kind: 'checkpoint', id: first }, bench.workspace, {});
    assert.deepEqual(
      plan.map(({ action, reason, path: file }) => [action, reason, file]),
      [
        ['conflict', 'changedSince', 'k'],
        ['conflict', 'changedSince', 'k/x'],
      ],
    );
    assert.deepEqual(outcomes(restore(first, {})), ['skipped k', 'skipped k/x']);
    assert.equal(treeOf(bench.root)['k'], '644 ignored');
  });
});
