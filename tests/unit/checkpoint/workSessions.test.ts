import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem } from '../../../src/utils/files/fileSystem';
import { EngineBench, treeOf } from './support/engineBench';

let bench: EngineBench;
beforeEach(() => (bench = new EngineBench()));
afterEach(() => bench.clean());

/** Runs `work` as a command of the session. */
function byCommand(work: () => void): void {
  bench.checkpoint('Before command', 'command_before');
  work();
  bench.checkpoint('After command', 'command_after');
}

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
    assert.deepEqual([approval.workSession, approval.checkpointCount], ['session_2', 6]);
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

    // The same applies if the other window has finished the operation.
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
