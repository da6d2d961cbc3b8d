import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { chmodSync, existsSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { FilesOnDisk } from '../../../src/services/files/fileOnDisk';
import type { Connection } from '../../../src/services/database/sqlite/connection';
import { hasUnfinished } from '../../../src/services/database/sessions/unfinishedOperations';
import { noWriteNotes } from '../../../src/services/files/unfinishedWrites';
import { treeOf } from '../checkpoint/support/engineBench';
import { AgentBench } from '../agent/support/agentBench';
import { noEditors } from '../agent/support/editorDoubles';
import { exitOf } from '../database/processes/child';

const script = path.join(__dirname, 'processes', 'undoer.js');
const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });

describe('an undo of files whose window is killed', () => {
  let bench: AgentBench;
  let sessionId: string;
  let before: Record<string, string> = {};
  let after: Record<string, string> = {};

  beforeEach(async () => {
    bench = await AgentBench.start({
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }],
      settings: { 'agent.loadTools': false },
    });
    for (const name of ['changed.txt', 'gone.txt', 'old.txt']) writeFileSync(bench.file(name), `${name}\n`, { mode: 0o755 });
    before = treeOf(bench.file('.'));
    bench.double.script.push(
      [call('write_file', { path: 'changed.txt', content: 'by the agent\n' })],
      [call('create_file', { path: 'made.txt', content: 'made\n' })],
      [call('delete_file', { path: 'gone.txt' })],
      [call('rename_file', { path: 'old.txt', newPath: 'new.txt' })],
      'Done.',
    );
    sessionId = await bench.ask('Go');
    after = treeOf(bench.file('.'));
  });
  afterEach(() => bench.stop());

  async function killAt(moment: number, seq = 0): Promise<void> {
    const given = [bench.storageFolder(), sessionId, String(seq), String(moment)];
    assert.equal(await exitOf(fork(script, given, { execArgv: [] })), 'SIGKILL');
  }

  const recover = () => bench.changes.recover([path.dirname(bench.file('any'))]);
  const reviews = async () =>
    (await bench.database.log.read(sessionId, 0)).entries.flatMap((entry) => (entry.type === 'review' ? [entry] : []));
  const all = ['changed.txt', 'made.txt', 'gone.txt', 'new.txt'];

  it('has changed nothing where nothing was written down', async () => {
    await killAt(1);
    assert.deepEqual([await recover(), treeOf(bench.file('.'))], [[], after]);
    assert.equal((await bench.changes.list(sessionId)).length, 4);
  });

  // Moments: after recording, before the first file, between files, within a rename, after the last file, before and after the answers.
  for (const moment of [2, 4, 5, 9, 12, 13]) {
    it(`is finished by the next window, told, and can be taken back (at moment ${moment})`, async () => {
      await killAt(moment);
      assert.deepEqual(await recover(), [{ undone: all, left: [] }]);
      assert.deepEqual(treeOf(bench.file('.')), before);
      assert.deepEqual(await bench.changes.list(sessionId), []);
      const [undo, ...more] = await reviews();
      assert.deepEqual([undo?.data, more], [{ action: 'undo', scope: 'all', paths: all }, []]);
      assert.deepEqual(await recover(), []);

      assert.deepEqual((await bench.changes.revertAnswer(sessionId, undo?.seq ?? 0)).left, []);
      assert.deepEqual(treeOf(bench.file('.')), after);
    });
  }

  it('is over where its answers were written', async () => {
    await killAt(14);
    assert.deepEqual([await recover(), treeOf(bench.file('.'))], [[], before]);
    assert.equal((await reviews()).length, 1);
  });

  for (const moment of [2, 5, 13]) {
    it(`is finished as well where it takes an undo back (at moment ${moment})`, async () => {
      await bench.changes.undo(sessionId, null);
      const [undo] = await reviews();
      await killAt(moment, undo?.seq);
      assert.deepEqual(
        (await recover()).map(({ left }) => left),
        [[]],
      );
      assert.deepEqual(treeOf(bench.file('.')), after);
      assert.equal((await bench.changes.list(sessionId)).length, 4);
      assert.deepEqual(
        (await reviews()).map(({ data }) => data.action),
        ['undo', 'revert'],
      );
    });
  }

  it('leaves, and says so, what has been changed since', async () => {
    await killAt(4);
    writeFileSync(bench.file('changed.txt'), 'mine\n');
    const [outcome] = await recover();
    assert.deepEqual(
      outcome?.left.map(({ shown }) => shown),
      ['changed.txt'],
    );
    assert.deepEqual(treeOf(bench.file('.')), { ...before, 'changed.txt': '755 mine\n' });
    assert.deepEqual(
      (await reviews()).map(({ data }) => data.paths),
      [['made.txt', 'gone.txt', 'new.txt']],
    );
    assert.deepEqual(
      (await bench.changes.list(sessionId)).map(({ shown }) => shown),
      ['changed.txt'],
    );
  });

  it('is finished before anything else is answered here, where its end could not be written', async () => {
    await bench.rows("CREATE TRIGGER full BEFORE UPDATE OF status ON file_snapshots BEGIN SELECT RAISE(ABORT, 'full'); END");
    await assert.rejects(bench.changes.undo(sessionId, null));
    await bench.rows('DROP TRIGGER full');
    await assert.rejects(bench.changes.keep(sessionId, null), { code: 'reviewGone' });
    assert.deepEqual([(await reviews()).map(({ data }) => data.action), treeOf(bench.file('.'))], [['undo'], before]);
  });

  const isElsewhere = () => bench.rows("UPDATE operations SET owner = 'elsewhere/1#1#window'");
  const isSilent = () => bench.rows('UPDATE operations SET heartbeat_at = heartbeat_at - 15000');

  it('is finished where its machine or container is gone as well, once that has given no sign of life for long', async () => {
    await killAt(4);
    await isElsewhere();
    assert.deepEqual(await recover(), []);
    await isSilent();
    assert.deepEqual(await recover(), [{ undone: all, left: [] }]);
    assert.deepEqual(treeOf(bench.file('.')), before);
  });

  it('is finished before anything else of its folder is answered, and a person is told', async () => {
    await killAt(4);
    const told: unknown[] = [];
    bench.changes.onDidFinish((outcomes) => told.push(...outcomes));
    await assert.rejects(bench.changes.keep(sessionId, null), { code: 'reviewGone' });
    assert.deepEqual([(await reviews()).map(({ data }) => data.action), treeOf(bench.file('.'))], [['undo'], before]);
    assert.deepEqual(told, [{ undone: all, left: [] }]);
  });

  const isUnfinished = () => hasUnfinished((bench.database as unknown as { connection: Connection }).connection);

  it('is finished as well where its session was deleted meanwhile, and nobody is told', async () => {
    await killAt(9);
    await bench.database.sessions.delete(sessionId);
    assert.equal(await isUnfinished(), true);
    assert.deepEqual(await bench.changes.recover(['/elsewhere']), []);
    assert.equal(await isUnfinished(), true);
    assert.deepEqual([await recover(), treeOf(bench.file('.')), await isUnfinished()], [[], before, false]);
  });

  it('is finished by any window where its session is of no folder', async () => {
    await bench.rows('UPDATE sessions SET project_path = NULL');
    await killAt(9);
    assert.deepEqual(await bench.changes.recover([]), [{ undone: all, left: [] }]);
    assert.deepEqual([treeOf(bench.file('.')), await isUnfinished()], [before, false]);
  });

  it('is not answered past while its window may be at it, so that taking it back brings all of it back', async () => {
    await killAt(9);
    await isElsewhere();
    const cut = treeOf(bench.file('.'));
    const workspace = { roots: [path.dirname(bench.file('any'))], exclude: [], maxFileBytes: 1_000_000 };
    const record = { kept: null, paths: [] };
    for (const answer of [
      () => bench.changes.undo(sessionId, null),
      () => bench.changes.keep(sessionId, null),
      () => bench.engine.approvals.approve(sessionId, workspace, null, record),
    ])
      await assert.rejects(answer(), { code: 'underWay' });
    assert.deepEqual([treeOf(bench.file('.')), await reviews()], [cut, []]);

    await isSilent();
    await assert.rejects(bench.changes.undo(sessionId, null), { code: 'reviewGone' });
    const [undo] = await reviews();
    await bench.changes.revertAnswer(sessionId, undo?.seq ?? 0);
    assert.deepEqual(treeOf(bench.file('.')), after);
  });

  it('keeps a window from restoring, and from another undo, in its folder while its own may be at it', async () => {
    bench.double.script.push([call('create_file', { path: 'other.txt', content: 'other' })], 'Done.');
    const other = await bench.ask('Go');
    const workspace = { roots: [path.dirname(bench.file('any'))], exclude: [], maxFileBytes: 1_000_000 };
    const taken = await bench.engine.checkpoints.takeNow(other, 'manual', 'Now', workspace);
    const then = treeOf(bench.file('.'));
    await killAt(9);
    await isElsewhere();
    const cut = treeOf(bench.file('.'));
    const target = { kind: 'checkpoint', id: taken.at(-1)?.id ?? '' } as const;
    const files = [...all, 'old.txt'].map((name) => bench.file(name));
    const choice = { files, overwrite: files };
    await assert.rejects(bench.restores.restore(other, target, choice), { code: 'underWay' });
    await assert.rejects(bench.changes.undo(other, null), { code: 'underWay' });
    assert.deepEqual(treeOf(bench.file('.')), cut);

    await isSilent();
    await bench.restores.restore(other, target, choice);
    assert.deepEqual([(await reviews()).map(({ data }) => data.action), treeOf(bench.file('.'))], [['undo'], then]);
  });

  it('makes no file without its permission bits', async () => {
    const path = bench.file('new');
    const modes: number[] = [];
    const end = () => Promise.resolve(void modes.push(statSync(path).mode & 0o777));
    const files = new FilesOnDisk(noEditors, { ...noWriteNotes, end });
    await files.bringTo({ path, shown: 'new', state: null, hash: null }, { bytes: Buffer.from('new'), mode: 0o750 });
    assert.deepEqual(modes, [0o750]);
  });

  it('makes no file before the folders that are made for it are known', async () => {
    const path = bench.file('one/two/new');
    const known: unknown[] = [];
    const note = (made: readonly string[]) => Promise.resolve(void known.push(made, existsSync(path)));
    const files = new FilesOnDisk(noEditors, undefined, { note, tidyAbove: () => Promise.resolve() });
    await files.bringTo({ path, shown: 'new', state: null, hash: null }, { bytes: Buffer.from('new'), mode: null });
    assert.deepEqual([known, existsSync(path)], [[[bench.file('one'), bench.file('one/two')], false], true]);
  });

  it('brings back the permission bits of a file that has its content already', async () => {
    await killAt(4);
    chmodSync(bench.file('old.txt'), 0o644);
    assert.deepEqual(await recover(), [{ undone: all, left: [] }]);
    assert.deepEqual(treeOf(bench.file('.')), before);
  });

  it('is finished as well where an older version left two of one session', async () => {
    await killAt(4);
    await bench.rows(
      `INSERT INTO operations (id, session_id, kind, state, owner, data, created_at, heartbeat_at)
       SELECT 'second', session_id, kind, state, owner, json_remove(data, '$.changes[1]', '$.changes[0]'), created_at + 1, heartbeat_at
       FROM operations`,
    );
    await bench.rows("UPDATE operations SET data = json_remove(data, '$.changes[3]', '$.changes[2]') WHERE id <> 'second'");
    const outcomes = [
      { undone: ['gone.txt', 'new.txt'], left: [] },
      { undone: ['changed.txt', 'made.txt'], left: [] },
    ];
    assert.deepEqual([await recover(), treeOf(bench.file('.'))], [outcomes, before]);
    await assert.rejects(bench.changes.keep(sessionId, null), { code: 'reviewGone' });
  });

  it('is left to a window on its own folder', async () => {
    await killAt(4);
    assert.deepEqual(await bench.changes.recover(['/elsewhere']), []);
    assert.equal((await recover()).length, 1);
  });
});
