import assert from 'node:assert/strict';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { AgentBench } from '../agent/support/agentBench';
import { eventually } from '../../support/until';
import { makeStorage } from '../../support/storageFolder';

describe('WorkSessions', () => {
  let bench: AgentBench;
  let sessionId: string;
  beforeEach(async () => {
    bench = await AgentBench.start({ hasCheckpoints: true });
    writeFileSync(bench.file('mine.txt'), 'one\n');
    const call = (name: string, text: string) => ({ call: { name: 'write_file', arguments: { path: name, content: text } } });
    bench.double.script.push([call('a.txt', 'one\ntwo\n')], 'Done.');
    sessionId = await bench.ask('Go');
    writeFileSync(bench.file('mine.txt'), 'two\nthree\n');
    writeFileSync(bench.file('b.bin'), Buffer.from([0, 1, 2]));
  });
  afterEach(async () => {
    await bench.checkReferences();
    await bench.stop();
  });

  async function changed(): Promise<string[]> {
    const status = await bench.workSessions.status(sessionId);
    return (status?.changes ?? []).map(({ shown, status: how, lines }) => {
      return `${how} ${shown} ${lines === null ? '' : `+${lines.additions} -${lines.deletions}`}`.trim();
    });
  }

  it('list all that has changed since the session began, by whomever', async () => {
    assert.deepEqual(await changed(), ['added a.txt +2 -0', 'added b.bin', 'modified mine.txt +2 -1']);
    const status = await bench.workSessions.status(sessionId);
    assert.deepEqual([status?.workSession, status?.lastApprovedAt, status?.hasUnapproved], ['session_1', null, true]);
    assert.deepEqual(
      status?.changes.map(({ isBinary, isTooLarge }) => [isBinary, isTooLarge]),
      [
        [false, false],
        [true, false],
        [false, false],
      ],
    );
  });

  it('tell who has changed a file: this chat, kept or not, its commands, another chat, or somebody else', async () => {
    const sources = async () => {
      const status = await bench.workSessions.status(sessionId);
      return (status?.changes ?? []).map(({ shown, source = 'other' }) => `${shown} ${source}`);
    };
    const write = (name: string) => ({ call: { name: 'write_file', arguments: { path: name, content: 'new\n' } } });
    const run = { call: { name: 'run_terminal_command', arguments: { command: 'echo made > made.txt' } } };
    bench.double.script.push([write('theirs.txt')], 'Done.', [run], 'Done.');
    await bench.ask('In another chat');
    await bench.send('Make a file', { sessionId });
    const { data } = await bench.question(sessionId);
    await bench.controller.decideApproval(sessionId, data.approvalId, true);
    await bench.over(sessionId);
    const expected = ['a.txt agent', 'b.bin other', 'made.txt command', 'mine.txt other', 'theirs.txt chat'];
    // The changes of a command are recorded after the checkpoint that follows it is stored.
    await eventually(async () => assert.deepEqual(await sources(), expected));
    await bench.changes.keep(sessionId, null);
    assert.deepEqual(await sources(), expected);
    await bench.workSessions.approve(sessionId);
    writeFileSync(bench.file('a.txt'), 'by hand\n');
    assert.deepEqual(await sources(), ['a.txt other']);
  });

  it('name this chat no longer where all of its changes are gone, and still where some were kept', async () => {
    const source = async () => {
      const status = await bench.workSessions.status(sessionId);
      return status?.changes.find(({ shown }) => shown === 'list.txt')?.source ?? 'other';
    };
    const original = 'one\ntwo\nthree\nfour\nfive\n';
    writeFileSync(bench.file('list.txt'), original);
    const edit = (oldText: string, newText: string) => {
      return { call: { name: 'replace_in_file', arguments: { path: 'list.txt', oldText, newText } } };
    };
    bench.double.script.push([edit('two\n', '2\n')], [edit('five\n', '5\n')], 'Done.');
    await bench.ask('Change it', { sessionId });
    assert.equal(await source(), 'agent');
    writeFileSync(bench.file('list.txt'), `${original}mine\n`);
    assert.equal(await source(), 'other');
    writeFileSync(bench.file('list.txt'), `${original.replace('two', '2').replace('five', '5')}mine\n`);
    const path = realpathSync(bench.file('list.txt'));
    const ids = async () =>
      (await bench.changes.compared(sessionId)).find(({ shown }) => shown === 'list.txt')?.hunks.map(({ id }) => id) ?? [];
    await bench.changes.keepHunks(sessionId, [{ path, ids: (await ids()).slice(0, 1) }]);
    await bench.changes.undoHunks(sessionId, [{ path, ids: await ids() }], {
      document: () => undefined,
      edit: async () => false,
    });
    assert.equal(readFileSync(path, 'utf8'), `${original.replace('two', '2')}mine\n`);
    assert.equal(await source(), 'agent');
  });

  it('are not approved while a run works, whose next change nobody would be asked about', async () => {
    bench.double.script.push([{ call: { name: 'run_terminal_command', arguments: { command: 'echo' } } }], 'Done.');
    await bench.send('Go on', { sessionId });
    await bench.question(sessionId);
    await assert.rejects(bench.workSessions.approve(sessionId), { code: 'busy' });
    assert.equal((await bench.changes.list(sessionId)).length, 1);
    await bench.controller.stop(sessionId);
    await bench.workSessions.approve(sessionId);
    assert.deepEqual(await bench.changes.list(sessionId), []);
  });

  it('have texts where they are asked for', async () => {
    const workspace = { roots: [bench.file('.')], exclude: [], maxFileBytes: 1_000_000 };
    writeFileSync(bench.file('large.txt'), 'x'.repeat(1024 * 1024 + 1));
    const { changes } = await bench.engine.approvals.status(sessionId, workspace, true);
    const [made, binary, large, mine] = changes;
    assert.deepEqual([made?.diff, made?.baseContent], [null, null]);
    assert.deepEqual([binary?.isBinary, binary?.diff, binary?.baseContent], [true, null, null]);
    assert.deepEqual([large?.isTooLarge, large?.lines], [true, null]);
    assert.equal(mine?.baseContent, 'one\n');
    assert.equal(mine?.diff, '--- a/mine.txt\n+++ b/mine.txt\n@@ -1 +1,2 @@\n-one\n+two\n+three\n');
  });

  it('are approved as a whole: what waited is kept for good, and the next one begins', async () => {
    assert.equal((await bench.changes.list(sessionId)).length, 1);
    await bench.workSessions.approve(sessionId, 'Looks good');
    const entry = bench.view.entries(sessionId).at(-1);
    assert.ok(entry?.type === 'review');
    assert.deepEqual(entry.data, {
      action: 'approve',
      scope: 'all',
      paths: ['a.txt', 'b.bin', 'mine.txt'],
      workSession: 'session_1',
      message: 'Looks good',
    });
    assert.deepEqual(await changed(), []);
    const status = await bench.workSessions.status(sessionId);
    assert.deepEqual([status?.workSession, status?.hasUnapproved], ['session_2', false]);
    assert.ok(typeof status?.lastApprovedAt === 'number');
    const [earlier] = status.earlier;
    assert.deepEqual([earlier?.name, earlier?.outcome, earlier?.message], ['session_1', 'approved', 'Looks good']);
    assert.equal(earlier?.checkpointId, status.approvedCheckpointId);
    assert.deepEqual(await bench.changes.list(sessionId), []);
    const kept = bench.view.entries(sessionId).find(({ type, data }) => type === 'review' && data.action === 'keep');
    await assert.rejects(bench.changes.revertAnswer(sessionId, kept?.seq ?? 0), { code: 'reviewGone' });
    assert.deepEqual(await bench.rows("SELECT status, object_id FROM file_snapshots WHERE status = 'kept'"), [
      Object.assign(Object.create(null), { status: 'kept', object_id: null }),
    ]);
  });

  for (const [step, event] of [
    ['the state is approved', 'INSERT ON approved_states'],
    ['the work session ends', 'UPDATE OF status ON work_sessions'],
    ['what waited is kept', "UPDATE OF status ON file_snapshots WHEN NEW.status = 'kept'"],
    ['what it was is let go', 'UPDATE OF is_released ON file_snapshots'],
    ['the log says so', `INSERT ON messages WHEN NEW.data LIKE '%"approve"%'`],
  ] as const) {
    it(`are not approved by half where that ends before ${step}`, async () => {
      const everything = async () => [
        await bench.rows('SELECT * FROM approved_states'),
        await bench.rows('SELECT * FROM work_sessions'),
        await bench.rows('SELECT id, status, object_id, is_released FROM file_snapshots'),
        await bench.rows('SELECT id FROM checkpoints'),
        bench.view.entries(sessionId).map(({ id }) => id),
        await changed(),
      ];
      const before = await everything();
      await bench.rows(`CREATE TRIGGER cut_off BEFORE ${event} BEGIN SELECT RAISE(ABORT, 'cut off'); END`);
      await assert.rejects(bench.workSessions.approve(sessionId));
      assert.deepEqual(await everything(), before);

      await bench.rows('DROP TRIGGER cut_off');
      await bench.workSessions.approve(sessionId);
      assert.deepEqual([await changed(), await bench.changes.list(sessionId)], [[], []]);
    });
  }

  it('let go of what a file was once that is kept for good, and of everything when the chat is deleted', async () => {
    await bench.workSessions.approve(sessionId);
    const rewrite = async (text: string) => {
      bench.double.script.push([{ call: { name: 'write_file', arguments: { path: 'a.txt', content: text } } }], 'Done.');
      await bench.ask('Again', { sessionId });
    };
    const held = async () => (await bench.rows('SELECT id FROM file_snapshots WHERE object_id IS NOT NULL')).length;
    await rewrite('two\n');
    assert.equal(await held(), 1);
    await bench.checkReferences();
    await bench.workSessions.approve(sessionId);
    assert.equal(await held(), 0);
    await bench.checkReferences();
    await rewrite('three\n');
    assert.equal(await held(), 1);
    await bench.database.sessions.delete(sessionId);
    assert.deepEqual(await bench.rows('SELECT id FROM file_snapshots'), []);
    await bench.checkReferences();
  });

  it('are reset to what was approved, and the reset can be undone', async () => {
    await bench.workSessions.approve(sessionId);
    bench.double.script.push([{ call: { name: 'write_file', arguments: { path: 'a.txt', content: 'worse\n' } } }], 'Done.');
    await bench.ask('Again', { sessionId });
    const { steps } = await bench.restores.plan(sessionId, { kind: 'approved' });
    assert.deepEqual(
      steps.map(({ shown, action }) => `${action} ${shown}`),
      ['write a.txt'],
    );
    await bench.restores.restore(sessionId, { kind: 'approved' }, { files: [bench.file('a.txt')], overwrite: [] });
    assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), 'one\ntwo\n');
    assert.equal((await bench.workSessions.status(sessionId))?.workSession, 'session_3');
    const entry = bench.view.entries(sessionId).at(-1);
    assert.ok(entry?.type === 'restore' && entry.data.isReset === true);
    const undo = { kind: 'restore', id: entry.data.operationId ?? '' } as const;
    await bench.restores.restore(sessionId, undo, { files: [bench.file('a.txt')], overwrite: [] });
    assert.equal(readFileSync(bench.file('a.txt'), 'utf8'), 'worse\n');
  });

  it('know nothing of a session of another folder', async () => {
    await bench.rows("UPDATE sessions SET project_path = '/elsewhere' RETURNING id");
    assert.equal(await bench.workSessions.status(sessionId), null);
  });

  it('begin for a session of an earlier version when it is first looked at', async () => {
    await bench.rows('DELETE FROM approved_states RETURNING 1');
    await bench.rows('DELETE FROM checkpoints RETURNING 1');
    assert.deepEqual(await changed(), []);
    writeFileSync(bench.file('mine.txt'), 'later\n');
    assert.deepEqual(await changed(), ['modified mine.txt +1 -2']);
  });

  it('know nothing of a folder of which no checkpoints are taken, and begin none there', async () => {
    await bench.rows('DELETE FROM approved_states RETURNING 1');
    await bench.rows('DELETE FROM checkpoints RETURNING 1');
    makeStorage(bench.file('.'));
    assert.equal(await bench.workSessions.status(sessionId), null);
    assert.deepEqual(await bench.engine.checkpoints.list(sessionId), []);
    await assert.rejects(bench.workSessions.approve(sessionId), {
      code: 'noFolder',
      userMessage: /^Checkpoints are not available for /,
    });
  });
});
