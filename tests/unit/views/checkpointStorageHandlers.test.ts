import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkpointStorageHandlers } from '../../../src/views/handlers/checkpointStorageHandlers';
import { AgentBench } from '../agent/support/agentBench';
import { until } from '../../support/until';
import { seededBytes } from '../checkpoint/support/seededBytes';

const randomBytes = seededBytes();

describe('requests about what checkpoints have stored', () => {
  let bench: AgentBench;
  let sessionId: string;
  const handlers = (care = bench.care) => checkpointStorageHandlers(care, (file) => bench.restores.shown(file));
  const api = () => handlers();
  const count = async () => (await api().readCheckpointStorage({})).checkpoints;

  before(async () => {
    bench = await AgentBench.start({ hasCheckpoints: true, settings: { 'checkpoints.maxStorageMB': 100 } });
    const workspace = { roots: [path.dirname(bench.file('x'))], exclude: [], maxFileBytes: 1_000_000 };
    sessionId = await bench.ask('Begin', { mode: 'ask' });
    // The run does not wait for the checkpoint of a message that changes nothing. Taken later, it would contain the first file.
    await until(async () => (await bench.rows("SELECT 1 FROM checkpoints WHERE state = 'taken'")).length > 0);
    for (let turn = 0; turn < 3; turn += 1) {
      await writeFile(bench.file('a.bin'), randomBytes(1_000));
      await bench.engine.checkpoints.takeNow(sessionId, 'message', 'Before', workspace);
    }
    await bench.engine.approvals.approve(sessionId, workspace, null);
  });
  after(() => bench.stop());
  afterEach(() => {
    editor.answer = undefined;
    editor.endsProgress = false;
  });

  it('are answered with what there is, for whom, and what is allowed', async () => {
    const { limit, objects, sessions, approved, bytes } = await api().readCheckpointStorage({});
    assert.ok(bytes > 3_000);
    assert.deepEqual([limit, objects, approved.count], [100_000_000, 3, 2]);
    assert.deepEqual(
      sessions.map(({ sessionId: id, checkpoints, bytes: size, ownBytes }) => [id, checkpoints, size, ownBytes]),
      [[sessionId, 6, 3_000, 3_000]],
    );
  });

  it('verify everything, and collect nothing that is needed', async () => {
    assert.deepEqual(await api().verifyStorage({}), { objects: 3, damaged: 0, hasFlaws: false, files: [], moreFiles: 0 });
    assert.deepEqual(await api().collectGarbage({}), { bytes: 0 });
  });

  it('verify nothing further once a person ends it, and all of it the next time', async () => {
    editor.endsProgress = true;
    assert.equal(await api().verifyStorage({}), null);
    editor.endsProgress = false;
    assert.equal((await api().verifyStorage({}))?.objects, 3);
  });

  it('delete only after a yes, and ask nothing where nothing would go', async () => {
    editor.answer = 'Delete';
    assert.deepEqual(await api().removeOldCheckpoints({ days: 1 }), { removed: 0, originals: 0, bytes: 0 });
    editor.answer = undefined;
    assert.deepEqual(await api().makeRoom({}), { removed: null, originals: 0, bytes: 0, isEnough: false });
    assert.equal(await count(), 6);
    editor.answer = 'Delete';
    // The storage is already small enough, so nothing is removed.
    assert.deepEqual(await api().makeRoom({}), { removed: 0, originals: 0, bytes: 0, isEnough: true });
    assert.equal(await count(), 6);
  });

  it('tell which Git histories and how many originals of kept files go with what is old, before anything goes', async () => {
    let released = 0;
    const histories = ['/w/a', '/w/b', '/w/c', '/w/d', '/w/e', '/w/f', '/w/g'];
    const care = Object.create(bench.care, {
      countOlder: { value: async () => ({ checkpoints: 0, originals: 2, histories }) },
      removeOlder: { value: async () => ({ removed: 0, originals: (released += 2), bytes: 5 }) },
    }) as typeof bench.care;
    const asked = () => editorCalls.filter(({ name }) => name === 'showWarningMessage');
    const before = asked().length;
    assert.deepEqual(await handlers(care).removeOldCheckpoints({ days: 2 }), { removed: null, originals: 0, bytes: 0 });
    assert.deepEqual([asked().length - before, released], [1, 0]);
    const { detail } = asked().at(-1)?.args[1] as { detail: string };
    const named = 'Also deletes the Git histories that were saved before commands: /w/a, /w/b, /w/c, /w/d, /w/e, 2 more. ';
    assert.ok(detail.startsWith(named), detail);
    assert.match(
      detail.slice(named.length),
      /^Also deletes the previous contents of up to 2 kept files\. .* no longer undo Keep /,
    );
    editor.answer = 'Delete';
    assert.deepEqual(await handlers(care).removeOldCheckpoints({ days: 2 }), { removed: 0, originals: 2, bytes: 5 });
    assert.equal(released, 2);
  });

  it('tell how many originals of kept files may go to make room, before anything goes', async () => {
    let isMade = false;
    const account = { ...(await bench.care.account()), approved: { count: 0, bytes: 0 }, originals: 3 };
    const care = Object.create(bench.care, {
      account: { value: async () => account },
      makeRoom: { value: async () => ((isMade = true), { removed: 0, originals: 3, bytes: 5, isEnough: true }) },
    }) as typeof bench.care;
    assert.deepEqual(await handlers(care).makeRoom({}), { removed: null, originals: 0, bytes: 0, isEnough: false });
    const [question, { detail }] = editorCalls.at(-1)?.args as [string, { detail: string }];
    assert.equal(question, 'Delete the oldest previous contents of kept files until there is enough disk space?');
    assert.match(detail, /Also deletes the previous contents of up to 3 kept files\. .* no longer undo Keep /);
    assert.equal(isMade, false);
    editor.answer = 'Delete';
    assert.equal((await handlers(care).makeRoom({})).originals, 3);
  });

  it('delete a single one after a yes, but no approved state', async () => {
    const list = async () => (await api().listStoredCheckpoints({ sessionId })).checkpoints;
    const [approved, last] = await list();
    assert.deepEqual(
      [approved?.title, approved?.isApproved, last?.title, last?.isApproved],
      ['Approved: session_1', true, 'Before', false],
    );
    const id = last?.id ?? '';
    assert.deepEqual(await api().removeCheckpoint({ id }), { removed: null, bytes: 0 });
    assert.equal((await list()).length, 6);
    editor.answer = 'Delete';
    assert.equal((await api().removeCheckpoint({ id })).removed, 1);
    assert.equal(
      (await list()).some((one) => one.id === id),
      false,
    );
    await assert.rejects(api().removeCheckpoint({ id }), { code: 'notFound' });
    await assert.rejects(api().removeCheckpoint({ id: approved?.id ?? '' }), { code: 'approved' });
    assert.equal(await count(), 5);
  });

  it('say what a checkpoint does not hold, the first of it by name', async () => {
    const of = (problems: { root: string; path: string; reason: string }[]) =>
      bench.rows(`UPDATE checkpoints SET problems = '${JSON.stringify(problems)}' WHERE title = 'Initial state' RETURNING id`);
    const leftOut = async () => (await api().listStoredCheckpoints({ sessionId })).checkpoints.map((one) => one.leftOut);
    const nothing = { count: 0, unstableCount: 0, files: [] };
    assert.deepEqual([...new Set((await leftOut()).map((one) => JSON.stringify(one)))], [JSON.stringify(nothing)]);
    const root = path.dirname(bench.file('x'));
    const reasonOf = (index: number) => (index < 21 ? 'tooLarge' : 'unstable');
    await of(Array.from({ length: 25 }, (_, index) => ({ root, path: `data/${index}.bin`, reason: reasonOf(index) })));
    const last = (await leftOut()).at(-1);
    assert.deepEqual([last?.count, last?.unstableCount, last?.files.length], [25, 4, 20]);
    assert.deepEqual(last?.files[0], { path: 'data/0.bin', reason: 'tooLarge' });
    await of([]);
  });

  it('names the newest ones, and how many more there are', async () => {
    const { checkpoints, more } = await bench.engine.checkpoints.stored(sessionId, 2);
    assert.deepEqual([checkpoints.length, more], [2, 3]);
  });

  it('delete what is old', async () => {
    await bench.rows(
      `INSERT INTO checkpoints (id, session_id, kind, title, state, created_at) VALUES ('ckpt_1_1', '${sessionId}', 'manual', 'Being taken', 'taking', 1)`,
    );
    const before = await count();
    const care = Object.create(bench.care, {
      countOlder: { value: async () => ({ checkpoints: 3, originals: 0, histories: [] }) },
      removeOlder: {
        value: async () =>
          bench.engine.care.removeOlder(Date.now() + 60_000).then((removed) => ({ removed, originals: 0, bytes: 0 })),
      },
    }) as typeof bench.care;
    assert.deepEqual(await handlers(care).removeOldCheckpoints({ days: 2 }), { removed: null, originals: 0, bytes: 0 });
    editor.answer = 'Delete';
    const { removed } = await handlers(care).removeOldCheckpoints({ days: 2 });
    // The initial state and the approved state are kept.
    assert.equal(removed, before - 2);
    assert.equal(await count(), 2);
  });
});
