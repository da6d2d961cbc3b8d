import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EntryOf } from '../../../src/protocol/entries';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import type { RestoreTarget } from '../../../src/protocol/restore';
import type { Connection } from '../../../src/services/database/sqlite/connection';
import { databaseFileName, leaseFileName } from '../../../src/services/database/sqlite/databaseFile';
import { hasUnfinished } from '../../../src/services/database/sessions/unfinishedOperations';
import { systemClock } from '../../../src/utils/clock';
import { makeStorage } from '../../support/storageFolder';
import { AgentBench } from '../agent/support/agentBench';

const target = (id: string): RestoreTarget => ({ kind: 'checkpoint', id });
const undoOf = (id: string): RestoreTarget => ({ kind: 'restore', id });

describe('Restores', () => {
  let bench: AgentBench;
  let sessionId: string;
  beforeEach(async () => {
    bench = await AgentBench.start({ hasCheckpoints: true });
    write('mine.txt', 'mine');
  });
  afterEach(() => bench.stop());

  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(bench.file(name)), { recursive: true });
    writeFileSync(bench.file(name), text);
  };
  const read = (name: string) => readFileSync(bench.file(name), 'utf8');
  const session = () => (sessionId === '' ? null : sessionId);

  /** Sends a message for which the agent writes these files. */
  async function turn(text: string, files: Record<string, string>): Promise<void> {
    const calls = Object.entries(files).map(([file, content]) => ({
      call: { name: 'write_file', arguments: { path: file, content } },
    }));
    bench.double.script.push(calls, 'Done.');
    sessionId = await bench.ask(text, { sessionId: session() });
  }

  /** Returns the checkpoint before the message with this text. */
  function before(text: string): RestoreTarget {
    const message = bench.view.entries(sessionId).find(({ type, content }) => type === 'user_input' && content === text);
    return target(message?.checkpointId ?? '');
  }

  async function planned(what: RestoreTarget): Promise<string[]> {
    const { steps } = await bench.restores.plan(sessionId, what);
    return steps.map(({ shown, action, reason }) => `${action} ${shown}${reason === null ? '' : ` ${reason}`}`);
  }

  /** Returns the conflicts with the user's edits. */
  async function byHand(what: RestoreTarget): Promise<string[]> {
    const { steps } = await bench.restores.plan(sessionId, what);
    return steps.filter(({ isByHand }) => isByHand === true).map(({ shown }) => shown);
  }

  const carryOut = (what: RestoreTarget, names: string[], overwrite: string[] = []) =>
    bench.restores.restore(sessionId, what, {
      files: names.map((name) => bench.file(name)),
      overwrite: overwrite.map((name) => bench.file(name)),
    });

  function told(): EntryOf<'restore'>['data'][] {
    return bench.view.entries(sessionId).flatMap((entry) => (entry.type === 'restore' ? [entry.data] : []));
  }

  beforeEach(async () => {
    sessionId = '';
    await turn('First', { 'a.txt': 'one', 'src/b.txt': 'one' });
    await turn('Second', { 'a.txt': 'two', 'c.txt': 'two' });
  });

  it('from a message undo what was said since, in what the model is sent too, until that is undone or kept', async () => {
    const seqOf = (text: string) => bench.view.entries(sessionId).find(({ content }) => content === text)?.seq ?? 0;
    const restore = (what: RestoreTarget, names: string[], fromSeq?: number) =>
      bench.restores.restore(sessionId, what, { files: names.map((name) => bench.file(name)), overwrite: [], fromSeq });
    const sent = async (text: string): Promise<string> => {
      bench.double.script.push('Yes.');
      await bench.ask(text, { sessionId });
      return JSON.stringify(bench.chats().at(-1)?.['messages']);
    };
    const whole = await restore(before('Second'), ['a.txt', 'c.txt'], seqOf('Second'));
    assert.deepEqual([told()[0]?.fromSeq, told()[0]?.left], [seqOf('Second'), []]);
    const third = await sent('Third');
    assert.deepEqual([third.includes('First'), third.includes('Second'), third.includes('Third')], [true, false, true]);

    await restore(undoOf(whole.operationId), ['a.txt', 'c.txt']);
    assert.ok((await sent('Fourth')).includes('Second'));

    await restore(before('Second'), ['a.txt', 'c.txt'], seqOf('Second'));
    assert.ok(!(await sent('Fifth')).includes('Fourth'));
    const entry = bench.view.entries(sessionId).findLast(({ type }) => type === 'restore');
    await bench.restores.keepTurns(sessionId, entry?.seq ?? 0);
    assert.ok((await sent('Sixth')).includes('Fourth'));
  });

  it('from a message undo nothing of what was said where a file is left', async () => {
    const seq = bench.view.entries(sessionId).find(({ content }) => content === 'Second')?.seq;
    write('a.txt', 'mine');
    const files = [bench.file('a.txt'), bench.file('c.txt')];
    await bench.restores.restore(sessionId, before('Second'), { files, overwrite: [], fromSeq: seq });
    assert.deepEqual([told()[0]?.paths, told()[0]?.fromSeq], [['c.txt'], undefined]);
  });

  it('bring files back to a message and say so in the conversation; the undo brings back what was there', async () => {
    assert.deepEqual(await planned(before('Second')), ['write a.txt', 'delete c.txt']);
    assert.equal(read('a.txt'), 'two');
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    assert.deepEqual([read('a.txt'), existsSync(bench.file('c.txt')), read('src/b.txt')], ['one', false, 'one']);
    const [first] = told();
    assert.deepEqual(first?.paths, ['a.txt', 'c.txt']);
    assert.equal(first?.title, 'Before user message: Second');

    const undo = undoOf(first?.operationId ?? '');
    assert.deepEqual(await planned(undo), ['write a.txt', 'create c.txt']);
    await carryOut(undo, ['a.txt', 'c.txt']);
    assert.deepEqual([read('a.txt'), read('c.txt')], ['two', 'two']);
    assert.equal(told()[1]?.undoes, first?.operationId);
    assert.deepEqual(
      reduceTimeline(bench.view.entries(sessionId), { isLive: false })
        .turns.at(-1)
        ?.blocks.flatMap((block) => (block.kind === 'restore' ? [block.isUndone] : [])),
      [true, false],
    );
    const kinds = (await bench.engine.checkpoints.list(sessionId)).map(({ kind }) => kind);
    assert.deepEqual(kinds.slice(-4), ['restore_before', 'restore_after', 'restore_before', 'restore_after']);
  });

  it('are undone only when all their files are back, also those that a person brought back', async () => {
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    const undo = undoOf(told()[0]?.operationId ?? '');
    const marks = () =>
      reduceTimeline(bench.view.entries(sessionId), { isLive: false })
        .turns.at(-1)
        ?.blocks.flatMap((block) => (block.kind === 'restore' ? [[block.undonePaths, block.isUndone]] : []))[0];
    await carryOut(undo, ['c.txt']);
    assert.deepEqual(marks(), [['c.txt'], false]);
    assert.deepEqual(await planned(undo), ['write a.txt']);
    await carryOut(before('Second'), ['c.txt']);
    write('a.txt', 'two');
    await carryOut(undo, ['c.txt']);
    assert.deepEqual(marks(), [['a.txt', 'c.txt'], true]);
  });

  it('are told to be past undoing once the checkpoint before them is deleted', async () => {
    await carryOut(before('Second'), ['a.txt']);
    await carryOut(before('Second'), ['c.txt']);
    const [first, second] = told().map(({ operationId }) => operationId ?? '');
    assert.deepEqual(await bench.restores.missing(sessionId), []);
    const befores = (await bench.engine.checkpoints.list(sessionId)).filter(({ kind }) => kind === 'restore_before');
    await bench.engine.checkpoints.remove(befores[0]?.id ?? '');
    assert.deepEqual(await bench.restores.missing(sessionId), [first]);
    await assert.rejects(planned(undoOf(first ?? '')), { code: 'notFound' });
    assert.deepEqual(await planned(undoOf(second ?? '')), ['create c.txt']);
  });

  it('leave the files alone that a person has not chosen', async () => {
    await carryOut(before('First'), ['a.txt', 'c.txt']);
    assert.deepEqual(
      [existsSync(bench.file('a.txt')), existsSync(bench.file('c.txt')), read('src/b.txt')],
      [false, false, 'one'],
    );
    assert.deepEqual(told()[0]?.left, []);
  });

  it('leave what was changed by hand, unless it is decided otherwise; the undo has it again', async () => {
    write('a.txt', 'by hand');
    write('mine.txt', 'by hand');
    assert.deepEqual(await planned(before('Second')), [
      'conflict a.txt changedSince',
      'delete c.txt',
      'conflict mine.txt changedSince',
    ]);
    await carryOut(before('Second'), ['a.txt', 'c.txt', 'mine.txt'], ['mine.txt']);
    assert.deepEqual([read('a.txt'), read('mine.txt')], ['by hand', 'mine']);
    assert.deepEqual(told()[0]?.left, [{ path: 'a.txt', reason: 'changedSince' }]);
    await carryOut(undoOf(told()[0]?.operationId ?? ''), ['c.txt', 'mine.txt']);
    assert.equal(read('mine.txt'), 'by hand');
  });

  it('take back their undo without a question, also where it brought back edits by the user', async () => {
    write('a.txt', 'by hand');
    const restored = await carryOut(before('Second'), ['a.txt'], ['a.txt']);
    const undone = await carryOut(undoOf(restored.operationId), ['a.txt']);
    assert.equal(read('a.txt'), 'by hand');
    assert.deepEqual(await planned(undoOf(undone.operationId)), ['write a.txt']);
    assert.deepEqual(await byHand(before('Second')), ['a.txt']);
    write('a.txt', 'by hand again');
    assert.deepEqual(await byHand(undoOf(undone.operationId)), ['a.txt']);
  });

  it('leave what the user had created before the agent edited it, also after it was restored', async () => {
    await bench.restores.create(sessionId, 'Approved');
    const earlier = target((await bench.restores.list(sessionId)).at(-1)?.id ?? '');
    for (const name of ['notizen.md', 'aufgaben.md']) write(name, 'by hand');
    write('a.txt', 'two\nby hand');
    await turn('Third', { 'notizen.md': 'agent', 'aufgaben.md': 'agent', 'a.txt': 'agent' });
    const names = ['notizen.md', 'aufgaben.md', 'a.txt'];
    const restored = await carryOut(before('Third'), names);
    assert.deepEqual(await byHand(earlier), ['a.txt', 'aufgaben.md', 'notizen.md']);
    await carryOut(earlier, names);
    assert.deepEqual(names.map(read), ['by hand', 'by hand', 'two\nby hand']);
    const undo = undoOf(restored.operationId);
    assert.deepEqual(await planned(undo), ['write a.txt', 'write aufgaben.md', 'write notizen.md']);
    await carryOut(undo, names);
    assert.deepEqual(names.map(read), ['agent', 'agent', 'agent\nby hand']);
  });

  it('leave a file that the user edited before the agent changed it again', async () => {
    write('a.txt', 'two\nby hand');
    await turn('Third', { 'a.txt': 'two\nby hand\nthree', 'c.txt': 'three' });
    assert.deepEqual(await planned(before('Second')), ['conflict a.txt changedSince', 'delete c.txt']);
    assert.deepEqual(await byHand(before('Second')), ['a.txt']);
    assert.deepEqual(await planned(before('Third')), ['write a.txt', 'write c.txt']);
    await carryOut(before('Second'), ['a.txt', 'c.txt'], ['a.txt']);
    assert.equal(read('a.txt'), 'one');
    await carryOut(undoOf(told()[0]?.operationId ?? ''), ['a.txt', 'c.txt']);
    assert.equal(read('a.txt'), 'two\nby hand\nthree');
  });

  it('leave what another chat changed before this chat changed it again', async () => {
    const first = sessionId;
    sessionId = '';
    await turn('Other', { 'a.txt': 'other' });
    sessionId = first;
    await turn('Third', { 'a.txt': 'three' });
    assert.deepEqual(await planned(before('Second')), ['conflict a.txt changedSince', 'delete c.txt']);
    assert.deepEqual(await byHand(before('Second')), []);
  });

  it('name the files that they deleted', async () => {
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    assert.deepEqual(told()[0]?.deleted, ['c.txt']);
    await carryOut(undoOf(told()[0]?.operationId ?? ''), ['a.txt', 'c.txt']);
    assert.equal(told()[1]?.deleted, undefined);
  });

  it('leave a file of which only the mode was changed by hand; that of files from before modes were kept is not known', async () => {
    chmodSync(bench.file('a.txt'), 0o755);
    chmodSync(bench.file('c.txt'), 0o600);
    assert.deepEqual(await planned(before('Second')), ['conflict a.txt changedSince', 'conflict c.txt changedSince']);
    await carryOut(before('Second'), ['a.txt', 'c.txt'], ['a.txt']);
    assert.deepEqual([read('a.txt'), read('c.txt'), statSync(bench.file('c.txt')).mode & 0o777], ['one', 'two', 0o600]);
    await bench.rows('UPDATE file_snapshots SET left_mode = NULL RETURNING id');
    assert.deepEqual(await planned(before('Second')), ['delete c.txt']);
  });

  it('leave what another session has changed since', async () => {
    const first = sessionId;
    sessionId = '';
    await turn('Other', { 'a.txt': 'other' });
    sessionId = first;
    write('mine.txt', 'by hand');
    assert.deepEqual(await planned(before('Second')), [
      'conflict a.txt changedSince',
      'delete c.txt',
      'conflict mine.txt changedSince',
    ]);
    assert.deepEqual(await byHand(before('Second')), ['mine.txt']);
    write('a.txt', 'by hand');
    assert.deepEqual(await byHand(before('Second')), ['a.txt', 'mine.txt']);
  });

  it('leave unsaved text, or save it before it is given up', async () => {
    bench.unsaved.set(bench.file('a.txt'), () => write('a.txt', 'unsaved'));
    assert.deepEqual(await planned(before('Second')), ['conflict a.txt unsaved', 'delete c.txt']);
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    assert.equal(read('a.txt'), 'two');
    await carryOut(before('Second'), ['a.txt'], ['a.txt']);
    assert.equal(read('a.txt'), 'one');
    await carryOut(undoOf(told()[1]?.operationId ?? ''), ['a.txt']);
    assert.equal(read('a.txt'), 'unsaved');
  });

  it('count unsaved text of a file that is otherwise as it was', async () => {
    bench.unsaved.set(bench.file('src/b.txt'), () => write('src/b.txt', 'unsaved'));
    assert.deepEqual(await planned(before('Second')), ['write a.txt', 'delete c.txt', 'conflict src/b.txt unsaved']);
    await carryOut(before('Second'), ['src/b.txt'], ['src/b.txt']);
    assert.equal(read('src/b.txt'), 'one');
    await carryOut(undoOf(told()[0]?.operationId ?? ''), ['src/b.txt']);
    assert.equal(read('src/b.txt'), 'unsaved');
  });

  it('keep unsaved text that cannot be saved, whatever was decided', async () => {
    bench.unsaved.set(bench.file('a.txt'), () => bench.unsaved.set(bench.file('again.txt'), () => undefined));
    const stuck = bench.unsaved;
    stuck.delete = () => false;
    await carryOut(before('Second'), ['a.txt'], ['a.txt']);
    assert.equal(read('a.txt'), 'two');
    assert.deepEqual(told()[0]?.left, [{ path: 'a.txt', reason: 'unsaved' }]);
  });

  it('wait for no run: while one works in the workspace nothing is restored', async () => {
    bench.double.script.push([{ call: { name: 'run_terminal_command', arguments: { command: 'echo' } } }], 'Done.');
    await bench.send('Third', { sessionId });
    await bench.question(sessionId);
    await assert.rejects(carryOut(before('Second'), ['a.txt']), { code: 'busy' });
    assert.equal(read('a.txt'), 'two');
    await bench.controller.stop(sessionId);
    await carryOut(before('Second'), ['a.txt']);
    assert.equal(read('a.txt'), 'one');
  });

  it('are waited for by a run', async () => {
    await bench.rows(
      `INSERT INTO operations (id, session_id, kind, state, owner, data, created_at, heartbeat_at)
       VALUES ('o', '${sessionId}', 'restore', 'running', 'another window', '{}', 0, ${Date.now()}) RETURNING id`,
    );
    bench.double.script.push('Hello.');
    const before = bench.chats().length;
    await bench.send('Third', { sessionId });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(bench.chats().length, before);
    await bench.rows("UPDATE operations SET state = 'done' RETURNING id");
    await bench.over(sessionId);
    assert.equal(bench.chats().length, before + 1);
  });

  it('are listed without the checkpoints around commands, unless those are asked for', async () => {
    const workspace = { roots: [bench.file('.')], exclude: [], maxFileBytes: 1_000_000 };
    await bench.engine.checkpoints.takeNow(sessionId, 'command_before', 'Before command', workspace);
    await bench.engine.checkpoints.takeNow(sessionId, 'command_after', 'After command', workspace);
    await bench.restores.create(sessionId, 'By hand');
    const kinds = async (options?: { hasCommands: boolean }) =>
      (await bench.restores.list(sessionId, options)).map(({ kind }) => kind);
    assert.deepEqual(await kinds(), ['initial', 'message', 'message', 'manual']);
    assert.deepEqual(await kinds({ hasCommands: true }), [
      ...['initial', 'message', 'message', 'command_before', 'command_after', 'manual'],
    ]);
  });

  it('name folders of the checkpoint that are not open, as after the folder was moved', async () => {
    const what = before('Second');
    assert.deepEqual((await bench.restores.plan(sessionId, what)).closedFolders, []);
    const root = realpathSync(bench.file('.'));
    const moved = mkdtempSync(path.join(tmpdir(), 'moved-'));
    const workspace = { roots: [moved], exclude: [], maxFileBytes: 1_000_000 };
    assert.deepEqual(await bench.engine.restores.closedFolders(sessionId, what, workspace), [root]);
    rmSync(moved, { recursive: true });
  });

  it('say what the checkpoint does not hold, whatever they go back to', async () => {
    const { id } = before('Second') as { id: string };
    const leftOut = async (what: RestoreTarget) => (await bench.restores.plan(sessionId, what)).leftOut;
    assert.deepEqual(await leftOut(target(id)), { count: 0, unstableCount: 0, first: [] });
    const problem = { root: bench.file('.'), path: 'dump.sql', reason: 'tooLarge' };
    const problems = [problem, ...Array.from({ length: 300 }, (_, n) => ({ ...problem, path: `${n}.log`, reason: 'unstable' }))];
    const lose = () => bench.rows(`UPDATE checkpoints SET problems = '${JSON.stringify(problems)}' RETURNING id`);
    await lose();
    const expected = { count: 301, unstableCount: 300, first: problems.slice(0, 200) };
    assert.deepEqual(await leftOut(target(id)), expected);
    assert.deepEqual(await leftOut({ kind: 'approved' }), expected);
    assert.deepEqual((await bench.restores.compare(sessionId, id)).leftOut, { count: 301, unstableCount: 300 });
    // The list of checkpoints contains no file names.
    const listed = await bench.restores.list(sessionId);
    assert.ok(!JSON.stringify(listed).includes('dump.sql'));
    assert.deepEqual(listed.at(-1)?.leftOut, { count: 301, unstableCount: 300 });
    const { operationId } = await carryOut(target(id), ['c.txt']);
    await lose();
    assert.deepEqual(await leftOut(undoOf(operationId)), expected);
  });

  it('are none of a folder of which no checkpoints are taken, nor is one taken of it by hand; it is said why', async () => {
    const taken = await bench.engine.checkpoints.list(sessionId);
    makeStorage(bench.file('.'));
    const refused = { code: 'noWorkspace', userMessage: /^Checkpoints are not available for .*move “sessions.sqlite\*”/ };
    await assert.rejects(bench.restores.create(sessionId, 'By hand'), refused);
    await assert.rejects(planned(before('Second')), refused);
    await assert.rejects(carryOut(before('Second'), ['a.txt']), refused);
    assert.deepEqual(await bench.engine.checkpoints.list(sessionId), taken);
    for (const name of [leaseFileName, databaseFileName]) rmSync(bench.file(name));
    await bench.restores.create(sessionId, 'By hand');
    assert.equal((await bench.engine.checkpoints.list(sessionId)).length, taken.length + 1);
  });

  it('are compared file by file with what is there now', async () => {
    write('mine.txt', 'by hand');
    const { title, changes } = await bench.restores.compare(sessionId, (before('Second') as { id: string }).id);
    assert.equal(title, 'Before user message: Second');
    assert.deepEqual(
      changes.map(({ shown, status }) => `${status} ${shown}`),
      ['modified a.txt', 'added c.txt', 'modified mine.txt'],
    );
  });

  it('that were cut off are finished and told once, also those that were done and not told', async () => {
    const workspace = { roots: [bench.file('.')], exclude: [], maxFileBytes: 1_000_000 };
    // Simulates a window that was closed after the restore finished, but before it was reported.
    await bench.engine.restores.restore(
      sessionId,
      { kind: 'checkpoint', id: (before('Second') as { id: string }).id },
      workspace,
      {},
    );
    assert.deepEqual(told(), []);
    assert.equal((await bench.restores.recover()).length, 1);
    assert.deepEqual(told()[0]?.paths, ['a.txt', 'c.txt']);
    assert.equal((await bench.restores.recover()).length, 0);

    // Simulates a window that was closed after the restore was reported, but before it was marked as reported.
    await bench.rows('UPDATE operations SET finished_at = NULL RETURNING id');
    await bench.restores.recover();
    assert.equal(told().length, 1);
  });

  it('that gave up the work session say so, also where that is told by the next window', async () => {
    const workspace = { roots: [bench.file('.')], exclude: [], maxFileBytes: 1_000_000 };
    await bench.engine.restores.restore(sessionId, { kind: 'approved' }, workspace, {});
    await bench.restores.recover();
    assert.equal(told()[0]?.isReset, true);
  });

  it('whose session is gone are finished, and nobody is told', async () => {
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    await bench.rows("UPDATE operations SET state = 'running', finished_at = NULL RETURNING id");
    await bench.rows('DELETE FROM sessions RETURNING id');
    const isUnfinished = () => hasUnfinished((bench.database as unknown as { connection: Connection }).connection);
    assert.equal(await isUnfinished(), true);
    write('a.txt', 'two');
    assert.deepEqual(await bench.restores.recover(), []);
    assert.deepEqual([read('a.txt'), existsSync(bench.file('c.txt'))], ['one', false]);
    assert.deepEqual(await bench.rows("SELECT id FROM operations WHERE state = 'running' OR finished_at IS NULL"), []);
    assert.equal(await isUnfinished(), false);
  });

  it('that were cut off in the middle are finished, but for what has changed since', async () => {
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    await bench.rows("UPDATE operations SET state = 'running', finished_at = NULL RETURNING id");
    write('a.txt', 'two');
    write('c.txt', 'by hand since');
    const [recovered] = await bench.restores.recover();
    assert.deepEqual(
      recovered?.steps.map(({ path: file, outcome }) => `${file} ${outcome}`),
      ['a.txt done', 'c.txt changed'],
    );
    assert.deepEqual([read('a.txt'), read('c.txt')], ['one', 'by hand since']);
  });

  it('that were cut off wait for whoever works in another of their folders, and the next ones for them', async () => {
    const elsewhere = path.join(bench.file('.'), '..', 'elsewhere');
    const workspace = { roots: [bench.file('.')], exclude: [], maxFileBytes: 1_000_000 };
    await bench.engine.restores.restore(
      sessionId,
      { kind: 'checkpoint', id: (before('Second') as { id: string }).id },
      workspace,
      {},
    );
    const [{ data } = { data: '' }] = (await bench.rows('SELECT data FROM operations')) as { data: string }[];
    const left = JSON.parse(data) as { roots: string[]; steps: { root: string; path: string }[] };
    left.roots.push(elsewhere);
    Object.assign(left.steps.find((step) => step.path === 'c.txt') ?? {}, { root: elsewhere });
    await bench.rows(
      `UPDATE operations SET state = 'running', finished_at = NULL, data = '${JSON.stringify(left).replaceAll("'", "''")}' RETURNING id`,
    );
    write('a.txt', 'two');
    await bench.rows(
      `INSERT INTO sessions (id, title, mode, owner, heartbeat_at, project_path, created_at, updated_at)
       VALUES ('busy', '', 'agent', 'elsewhere/1#1#window', ${Date.now()}, '${elsewhere}', 0, 0) RETURNING id`,
    );
    assert.deepEqual(await bench.restores.recover(), []);
    await assert.rejects(carryOut(before('First'), ['src/b.txt']), { code: 'busy' });
    assert.deepEqual([read('a.txt'), read('src/b.txt')], ['two', 'one']);

    await bench.rows("UPDATE sessions SET owner = NULL WHERE id = 'busy' RETURNING id");
    await bench.restores.recover();
    assert.deepEqual([read('a.txt'), told().at(-1)?.paths], ['one', ['a.txt']]);
    assert.deepEqual(told().at(-1)?.left, [{ path: path.join(elsewhere, 'c.txt'), reason: 'failed' }]);
  });

  it('whose end could not be written are finished, and told, before the next one', async () => {
    const finished: string[] = [];
    bench.restores.onDidFinish((results) => finished.push(...results.map(({ operationId }) => operationId)));
    await bench.rows(
      "CREATE TRIGGER full BEFORE INSERT ON checkpoints WHEN NEW.kind = 'restore_after' BEGIN SELECT RAISE(ABORT, 'full'); END",
    );
    await assert.rejects(carryOut(before('Second'), ['a.txt', 'c.txt']));
    await bench.rows('DROP TRIGGER full');
    assert.deepEqual([read('a.txt'), told()], ['one', []]);
    const [first] = (await bench.rows('SELECT id FROM operations')) as { id: string }[];

    write('a.txt', 'two');
    await carryOut(before('First'), ['src/b.txt']);
    assert.deepEqual(
      [told().map(({ title }) => title), finished],
      [['Before user message: Second', 'Before user message: First'], [first?.id]],
    );
    // The file changed again after the restore. The step is reported, but not repeated.
    assert.deepEqual([read('a.txt'), told()[0]?.left], ['two', [{ path: 'a.txt', reason: 'changed' }]]);
    assert.deepEqual([await bench.restores.recover(), read('a.txt')], [[], 'two']);
  });

  it('that were cut off are finished also where another one cannot be', async () => {
    const cutOff = "UPDATE operations SET state = 'running', finished_at = NULL RETURNING id";
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    const first = sessionId;
    sessionId = '';
    await turn('Third', { 'd.txt': 'three' });
    await carryOut(before('Third'), ['d.txt']);
    await bench.rows(cutOff);
    write('a.txt', 'two');
    write('d.txt', 'three');
    await bench.rows(
      `CREATE TRIGGER full BEFORE INSERT ON checkpoints WHEN NEW.kind = 'restore_after' AND NEW.session_id = '${first}'
       BEGIN SELECT RAISE(ABORT, 'full'); END`,
    );
    await assert.rejects(bench.restores.recover());
    assert.deepEqual([read('a.txt'), existsSync(bench.file('d.txt'))], ['one', false]);
    assert.equal((await bench.rows("SELECT id FROM operations WHERE state = 'running'")).length, 1);
    // The other restore is reported.
    assert.deepEqual(await bench.rows("SELECT id FROM operations WHERE state = 'done' AND finished_at IS NULL"), []);

    await bench.rows('DROP TRIGGER full');
    await bench.restores.recover();
    assert.deepEqual(await bench.rows("SELECT id FROM operations WHERE state = 'running' OR finished_at IS NULL"), []);
  });

  it('of which nobody was told are told also where another one cannot be', async () => {
    const untold = 'UPDATE operations SET finished_at = NULL RETURNING id';
    const finished: string[] = [];
    bench.restores.onDidFinish((results) => finished.push(...results.map(({ sessionId: id }) => id)));
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    const first = sessionId;
    sessionId = '';
    await turn('Third', { 'd.txt': 'three' });
    await carryOut(before('Third'), ['d.txt']);
    await bench.rows("DELETE FROM messages WHERE type = 'restore' RETURNING id");
    await bench.rows(untold);
    await bench.rows(
      `CREATE TRIGGER full BEFORE INSERT ON messages WHEN NEW.session_id = '${first}' BEGIN SELECT RAISE(ABORT, 'full'); END`,
    );
    await assert.rejects(bench.restores.recover());
    assert.deepEqual(finished, [sessionId]);
    const toldIn = (await bench.rows("SELECT session_id FROM messages WHERE type = 'restore'")) as { session_id: string }[];
    assert.deepEqual(
      toldIn.map((row) => row.session_id),
      [sessionId],
    );

    await bench.rows('DROP TRIGGER full');
    await bench.restores.recover();
    assert.deepEqual(finished, [sessionId, first]);
  });

  it('of a machine or container that is gone are finished once that has given no sign of life for long', async () => {
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    await bench.rows("UPDATE operations SET state = 'running', finished_at = NULL, owner = 'elsewhere/1#1#window' RETURNING id");
    write('a.txt', 'two');
    assert.deepEqual([await bench.restores.recover(), read('a.txt')], [[], 'two']);
    await bench.rows('UPDATE operations SET heartbeat_at = heartbeat_at - 15000 RETURNING id');
    assert.deepEqual([(await bench.restores.recover()).length, read('a.txt')], [1, 'one']);
  });

  it('tell the model that files are not as it knows them', async () => {
    await carryOut(before('Second'), ['a.txt', 'c.txt']);
    bench.double.script.push('I see.');
    await bench.ask('Go on', { sessionId });
    const messages = bench.chats().at(-1)?.['messages'] as { role: string; content: string }[];
    assert.match(messages.at(-1)?.content ?? '', /earlier state: a\.txt, c\.txt\. .*\n\nGo on$/s);
  });
});

describe('checkpoints while the clock is set back', () => {
  it('are in the order in which they were taken, and so is what is looked for in it', async () => {
    let ahead = 3_600_000;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const bench = await AgentBench.start({ hasCheckpoints: true, retryClock: clock, storageClock: clock });
    try {
      const write = (content: string) => ({ call: { name: 'write_file', arguments: { path: 'a.txt', content } } });
      bench.double.script.push([write('one\n')], 'Done.', [write('one\ntwo\n')], 'Done.', 'Done.');
      const sessionId = await bench.ask('First');
      ahead = 0;
      await bench.ask('Second', { sessionId });
      await bench.restores.create(sessionId, 'By hand');
      await bench.ask('Third', { sessionId });
      const list = await bench.restores.list(sessionId);
      assert.deepEqual(
        list.map(({ title, state }) => `${state} ${title.replace('Before user message: ', '')}`),
        ['taken Initial state', 'taken First', 'taken Second', 'taken By hand', 'taken Third'],
      );
      // The displayed times come from the clock.
      const [, first, second] = list.map(({ createdAt }) => createdAt);
      assert.ok((second ?? 0) < (first ?? 0));
      const messages = bench.view.entries(sessionId).filter(({ type }) => type === 'user_input');
      assert.deepEqual(
        messages.map(({ checkpointId }) => list.find(({ id }) => id === checkpointId)?.title.slice(-6)),
        [' First', 'Second', ' Third'],
      );
      assert.deepEqual(await bench.restores.missing(sessionId), []);
      const { steps } = await bench.restores.plan(sessionId, { kind: 'checkpoint', id: messages[1]?.checkpointId ?? '' });
      assert.deepEqual(
        steps.map(({ shown, action }) => `${action} ${shown}`),
        ['write a.txt'],
      );
      const blame = await bench.engine.checkpoints.blame(bench.file('.'), 'a.txt', null);
      assert.deepEqual(
        blame?.lines.map(({ origin }) => origin?.message?.content),
        ['First', 'Second'],
      );
    } finally {
      await bench.stop();
    }
  });
});
