import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path, { basename } from 'node:path';
import type { MergeConflict } from '../../../src/services/review/reviewPorts';
import type { ModelSpec } from '../../support/ollama/doubleModel';
import { AgentBench } from '../agent/support/agentBench';
import type { BenchOptions } from '../agent/support/agentBenchOptions';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const replace = (file: string, oldText: string, newText: string) => call('replace_in_file', { path: file, oldText, newText });
const allTools: ModelSpec = { name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 };
const original = Array.from({ length: 12 }, (_unused, index) => `line ${index + 1}\n`).join('');

describe('What the agent has changed', () => {
  let bench: AgentBench;
  const asked: string[] = [];

  async function start(options: BenchOptions = {}): Promise<void> {
    bench = await AgentBench.start({ settings: { 'agent.loadTools': false }, ...options });
    writeFileSync(bench.file('a.txt'), original);
  }

  afterEach(async () => {
    asked.length = 0;
    await bench.stop();
  });

  /** Starts a run in which the model makes these calls, one per response. */
  async function agentDoes(calls: ReturnType<typeof call>[], sessionId: string | null = null): Promise<string> {
    bench.double.script.push(...calls.map((one) => [one]), 'Done.');
    return bench.ask('Do it', { sessionId });
  }

  const read = (name: string): string => readFileSync(bench.file(name), 'utf8');
  const list = async (sessionId: string) =>
    (await bench.changes.list(sessionId)).map(({ shown, status, lines }) => [shown, status, lines?.additions, lines?.deletions]);
  const reviews = async (sessionId: string) =>
    (await bench.database.log.read(sessionId, 0)).entries.flatMap((entry) => (entry.type === 'review' ? [entry] : []));

  it('is listed with its lines, undone byte for byte, and the undo taken back', async () => {
    await start();
    chmodSync(bench.file('a.txt'), 0o755);
    writeFileSync(bench.file('gone.bin'), Buffer.from([0, 255, 1, 254]));
    const sessionId = await agentDoes([
      replace('a.txt', 'line 2\n', 'two\nand a half\n'),
      replace('a.txt', 'line 9\n', ''),
      call('create_file', { path: 'deep/new.txt', content: 'new\n' }),
      call('delete_file', { path: 'gone.bin' }),
    ]);
    assert.deepEqual(await list(sessionId), [
      ['a.txt', 'modified', 2, 2],
      ['deep/new.txt', 'created', 1, 0],
      ['gone.bin', 'deleted', undefined, undefined],
    ]);
    await bench.checkReferences();
    const changed = read('a.txt');

    assert.deepEqual((await bench.changes.undo(sessionId, null)).left, []);
    assert.equal(read('a.txt'), original);
    assert.equal(statSync(bench.file('a.txt')).mode & 0o777, 0o755);
    assert.equal(existsSync(bench.file('deep/new.txt')), false);
    assert.deepEqual(readFileSync(bench.file('gone.bin')), Buffer.from([0, 255, 1, 254]));
    assert.deepEqual(await list(sessionId), []);
    const [undo] = await reviews(sessionId);
    assert.deepEqual(undo?.data, { action: 'undo', scope: 'all', paths: ['a.txt', 'deep/new.txt', 'gone.bin'] });
    await bench.checkReferences();

    await bench.changes.revertAnswer(sessionId, undo?.seq ?? 0);
    assert.equal(read('a.txt'), changed);
    assert.equal(read('deep/new.txt'), 'new\n');
    assert.equal(existsSync(bench.file('gone.bin')), false);
    assert.equal((await list(sessionId)).length, 3);
    await assert.rejects(bench.changes.revertAnswer(sessionId, undo?.seq ?? 0), { code: 'reviewGone' });
    await bench.checkReferences();
  });

  it('keeps a file: it waits no more, later changes of it do, and keeping can be taken back', async () => {
    await start();
    const sessionId = await agentDoes([replace('a.txt', 'line 1\n', 'one\n')]);
    await bench.changes.keep(sessionId, [bench.file('a.txt')]);
    assert.deepEqual(await list(sessionId), []);
    await agentDoes([replace('a.txt', 'line 3\n', 'three\n')], sessionId);
    assert.deepEqual(await list(sessionId), [['a.txt', 'modified', 1, 1]]);
    await bench.changes.undo(sessionId, [bench.file('a.txt')]);
    assert.equal(read('a.txt'), original.replace('line 1\n', 'one\n'));
    const [keep] = await reviews(sessionId);
    await bench.changes.revertAnswer(sessionId, keep?.seq ?? 0);
    assert.deepEqual(await list(sessionId), [['a.txt', 'modified', 1, 1]]);
    await bench.changes.undo(sessionId, null);
    assert.equal(read('a.txt'), original);
  });

  it('goes back to before the first of several messages', async () => {
    await start();
    const sessionId = await agentDoes([replace('a.txt', 'line 1\n', 'one\n')]);
    await agentDoes([replace('a.txt', 'one\n', 'uno\n')], sessionId);
    assert.deepEqual(await list(sessionId), [['a.txt', 'modified', 1, 1]]);
    await bench.changes.undo(sessionId, null);
    assert.equal(read('a.txt'), original);
  });

  it('merges an undo with what a person has changed elsewhere in the file', async () => {
    await start();
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n')]);
    writeFileSync(bench.file('a.txt'), read('a.txt').replace('line 11\n', 'mine\n'));
    assert.deepEqual((await bench.changes.undo(sessionId, null)).left, []);
    assert.equal(read('a.txt'), original.replace('line 11\n', 'mine\n'));
  });

  it('keeps what a person changed between two messages', async () => {
    await start();
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n')]);
    writeFileSync(bench.file('a.txt'), read('a.txt').replace('line 6\n', 'mine\n'));
    await agentDoes([replace('a.txt', 'line 11\n', 'eleven\n')], sessionId);
    assert.deepEqual(await list(sessionId), [['a.txt', 'modified', 2, 2]]);
    assert.deepEqual((await bench.changes.undo(sessionId, null)).left, []);
    assert.equal(read('a.txt'), original.replace('line 6\n', 'mine\n'));
    await bench.checkReferences();
  });

  it('keeps what a person changed between two changes of one message', async () => {
    await start();
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n')]);
    writeFileSync(bench.file('a.txt'), read('a.txt').replace('line 6\n', 'mine\n'));
    bench.double.script.push([replace('a.txt', 'line 11\n', 'eleven\n')], 'Done.');
    await bench.controller.retry(sessionId);
    await bench.over(sessionId);
    await bench.changes.undo(sessionId, null);
    assert.equal(read('a.txt'), original.replace('line 6\n', 'mine\n'));
  });

  it('leaves to a person the lines that they changed between two messages', async () => {
    await start();
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n')]);
    writeFileSync(bench.file('a.txt'), read('a.txt').replace('two\n', 'mine\n'));
    await agentDoes([replace('a.txt', 'line 11\n', 'eleven\n')], sessionId);
    await bench.changes.undo(sessionId, null);
    assert.equal(read('a.txt'), original.replace('line 2\n', 'mine\n'));
  });

  for (const [title, answers, expected] of [
    ['opens a merge and changes nothing', { merge: async () => true }, 'both\n'],
    ['asks where there is no merge editor, and does nothing on no', {}, 'both\n'],
    ['replaces on yes', { replace: async () => true }, 'line 2\n'],
  ] as const) {
    it(`of a line that a person has changed as well: ${title}`, async () => {
      await start({ questions: answers });
      const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n')]);
      writeFileSync(bench.file('a.txt'), read('a.txt').replace('two\n', 'both\n'));
      const { undone, left } = await bench.changes.undo(sessionId, null);
      assert.equal(read('a.txt').split('\n')[1], expected.trim());
      assert.deepEqual([undone.length, left.length], expected === 'both\n' ? [0, 1] : [1, 0]);
      assert.equal((await list(sessionId)).length, expected === 'both\n' ? 1 : 0);
    });
  }

  it('undoes the other changes of a file, asks for a merge of the one that a person also edited, and counts only what is undone', async () => {
    const merges: MergeConflict[] = [];
    await start({ questions: { merge: async (conflict) => merges.push(conflict) > 0 } });
    writeFileSync(bench.file('b.txt'), original);
    const sessionId = await agentDoes([
      replace('a.txt', 'line 2\nline 3\nline 4\n', 'two\nthree\nfour\n'),
      replace('a.txt', 'line 10\n', 'ten\n'),
      replace('b.txt', 'line 2\n', 'two\n'),
    ]);
    const typed = (text: string) => text.replace('line 6\n', 'line 6\nmine\n');
    writeFileSync(bench.file('a.txt'), typed(read('a.txt').replace('three\n', 'three // mine\n')));
    const outcome = await bench.changes.undo(sessionId, null);
    assert.deepEqual(outcome, { undone: ['b.txt'], left: [{ shown: 'a.txt', reason: 'asked' }] });
    const now = typed(original).replace('line 2\nline 3\nline 4\n', 'two\nthree // mine\nfour\n');
    assert.deepEqual([read('a.txt'), read('b.txt')], [now, original]);
    const [merge] = merges;
    assert.deepEqual([merges.length, basename(merge?.path ?? '')], [1, 'a.txt']);
    assert.deepEqual([merge?.why, merge?.now, merge?.before], ['undo', now, typed(original)]);
    const [first, second] = (await reviews(sessionId)).map(({ data }) => [data.scope, data.paths, data.hunks?.length]);
    assert.deepEqual(
      [first, second],
      [
        ['hunk', ['a.txt'], 1],
        ['all', ['b.txt'], undefined],
      ],
    );
    assert.deepEqual(
      (await list(sessionId)).map(([shown]) => shown),
      ['a.txt'],
    );
    writeFileSync(bench.file('a.txt'), merge?.before ?? '');
    assert.deepEqual(await list(sessionId), []);
    const [hunk] = await reviews(sessionId);
    writeFileSync(bench.file('a.txt'), now);
    await bench.changes.revertAnswer(sessionId, hunk?.seq ?? 0);
    assert.equal(read('a.txt'), now.replace('line 10\n', 'ten\n'));
  });

  it('deletes a file the agent created only as the agent left it, else asks', async () => {
    await start({ questions: { remove: async (shown) => asked.push(shown) > 1 } });
    const sessionId = await agentDoes([call('create_file', { path: 'new.txt', content: 'new\n' })]);
    writeFileSync(bench.file('new.txt'), 'mine\n');
    await bench.changes.undo(sessionId, null);
    assert.equal(read('new.txt'), 'mine\n');
    await bench.changes.undo(sessionId, null);
    assert.equal(existsSync(bench.file('new.txt')), false);
    assert.deepEqual(asked, ['new.txt', 'new.txt']);
  });

  const rename = (from: string, to: string) => call('rename_file', { path: from, newPath: to });
  const listed = async (sessionId: string) =>
    (await bench.changes.list(sessionId)).map(({ shown, from, status, lines }) =>
      [status, from, shown, lines && `+${lines.additions} -${lines.deletions}`].filter(Boolean).join(' '),
    );

  it('is one change where a file was renamed: undone, taken back and kept as one', async () => {
    await start({ models: [allTools] });
    const sessionId = await agentDoes([rename('a.txt', 'sub/b.txt')]);
    assert.deepEqual(await listed(sessionId), ['renamed a.txt sub/b.txt +0 -0']);
    const { from, before } = (await bench.changes.sides(sessionId, bench.file('sub/b.txt'))) ?? {};
    assert.deepEqual([from, typeof before], ['a.txt', 'string']);

    assert.deepEqual(await bench.changes.undo(sessionId, [bench.file('sub/b.txt')]), { undone: ['sub/b.txt'], left: [] });
    assert.deepEqual([read('a.txt'), existsSync(bench.file('sub/b.txt')), await listed(sessionId)], [original, false, []]);
    const [undo] = await reviews(sessionId);
    await bench.changes.revertAnswer(sessionId, undo?.seq ?? 0);
    assert.deepEqual([read('sub/b.txt'), existsSync(bench.file('a.txt'))], [original, false]);
    assert.deepEqual(await listed(sessionId), ['renamed a.txt sub/b.txt +0 -0']);

    await bench.changes.keep(sessionId, [bench.file('sub/b.txt')]);
    assert.deepEqual(await bench.database.fileSnapshots.pending(sessionId), []);
    await bench.checkReferences();
  });

  it('is one change with its lines where a renamed file was edited and moved on, in whatever turn', async () => {
    await start({ models: [allTools] });
    const sessionId = await agentDoes([rename('a.txt', 'b.txt'), replace('b.txt', 'line 2\n', 'two\n')]);
    await agentDoes([rename('b.txt', 'c.txt'), replace('c.txt', 'line 9\n', '')], sessionId);
    assert.deepEqual(await listed(sessionId), ['renamed a.txt c.txt +1 -2']);
    writeFileSync(bench.file('c.txt'), read('c.txt').replace('line 5\n', 'mine\n'));
    assert.deepEqual((await bench.changes.undo(sessionId, null)).left, []);
    assert.deepEqual([read('a.txt'), existsSync(bench.file('c.txt'))], [original.replace('line 5\n', 'mine\n'), false]);
  });

  it('is none where a file was renamed and renamed back, and no rename where its old place has a file again', async () => {
    await start({ models: [allTools] });
    const sessionId = await agentDoes([rename('a.txt', 'b.txt'), rename('b.txt', 'a.txt')]);
    assert.deepEqual(await listed(sessionId), []);
    await agentDoes([rename('a.txt', 'b.txt'), call('create_file', { path: 'a.txt', content: 'new\n' })], sessionId);
    assert.deepEqual(await listed(sessionId), ['modified a.txt +1 -12', 'created b.txt +12 -0']);
    await bench.changes.undo(sessionId, null);
    assert.deepEqual([read('a.txt'), existsSync(bench.file('b.txt'))], [original, false]);
    await agentDoes([call('create_file', { path: 'x.txt', content: 'x\n' }), rename('x.txt', 'y.txt')], sessionId);
    assert.deepEqual(await listed(sessionId), ['created y.txt +1 -0']);
    await bench.changes.keep(sessionId, [bench.file('y.txt')]);
    assert.deepEqual(await bench.database.fileSnapshots.pending(sessionId), []);
  });

  it('leaves a renamed file where its old place is taken meanwhile, or a person has written the same lines', async () => {
    await start({ models: [allTools] });
    const sessionId = await agentDoes([rename('a.txt', 'b.txt'), replace('b.txt', 'line 2\n', 'two\n')]);
    writeFileSync(bench.file('b.txt'), read('b.txt').replace('two\n', 'both\n'));
    assert.equal((await bench.changes.undo(sessionId, null)).left.length, 1);
    assert.deepEqual([read('b.txt').split('\n')[1], existsSync(bench.file('a.txt'))], ['both', false]);
    writeFileSync(bench.file('a.txt'), 'theirs\n');
    assert.deepEqual(await listed(sessionId), ['modified a.txt +1 -12', 'created b.txt +11 -0']);
  });

  it('lists a file of which a state is not stored as a whole, and the others as ever', async () => {
    await start();
    writeFileSync(bench.file('b.txt'), 'b\n');
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n'), replace('b.txt', 'b\n', 'c\n')]);
    const [row] = await bench.database.fileSnapshots.pending(sessionId);
    const get = bench.snapshots.get.bind(bench.snapshots);
    bench.snapshots.get = (hash) => (hash === row?.before?.hash ? Promise.reject(new Error('damaged')) : get(hash));
    assert.deepEqual(await list(sessionId), [
      ['a.txt', 'modified', undefined, undefined],
      ['b.txt', 'modified', 1, 1],
    ]);
    const { undone, left } = await bench.changes.undo(sessionId, null);
    assert.deepEqual([undone, left.map(({ shown }) => shown)], [['b.txt'], ['a.txt']]);
  });

  it('keeps a renamed file where its old name is taken and stays so: nothing else has its content', async () => {
    await start({ models: [allTools] });
    const sessionId = await agentDoes([rename('a.txt', 'b.txt')]);
    writeFileSync(bench.file('a.txt'), 'theirs\n');
    const { undone, left } = await bench.changes.undo(sessionId, null);
    assert.deepEqual([undone, left.map(({ shown }) => shown).sort()], [[], ['a.txt', 'b.txt']]);
    assert.deepEqual([read('a.txt'), read('b.txt')], ['theirs\n', original]);
    assert.deepEqual((await bench.changes.undo(sessionId, [bench.file('b.txt')])).undone, []);
    assert.equal(read('b.txt'), original);
  });

  it('is not undone where what a person made of it is not stored any more once they have answered', async () => {
    let isCleared = true;
    const replaces = async () => {
      if (isCleared) await bench.rows('DELETE FROM snapshot_objects WHERE ref_count = 0');
      return true;
    };
    await start({ questions: { replace: replaces } });
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n')]);
    writeFileSync(bench.file('a.txt'), 'mine\n');
    await assert.rejects(bench.changes.undo(sessionId, null), { code: 'notStored' });
    assert.deepEqual([read('a.txt'), (await list(sessionId)).length], ['mine\n', 1]);

    isCleared = false;
    await bench.changes.undo(sessionId, null);
    assert.equal(read('a.txt'), original);
    const [undo] = await reviews(sessionId);
    await bench.changes.revertAnswer(sessionId, undo?.seq ?? 0);
    assert.equal(read('a.txt'), 'mine\n');
  });

  it('waits for an answer also where a person kept the file right before the agent wrote it', async () => {
    await start();
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n')]);
    const { fileSnapshots } = bench.database;
    const add = fileSnapshots.add.bind(fileSnapshots);
    fileSnapshots.add = async (...given) => {
      const row = await add(...given);
      await bench.changes.keep(sessionId, null);
      return row;
    };
    bench.double.script.push([replace('a.txt', 'line 9\n', 'nine\n')], 'Done.');
    await bench.controller.retry(sessionId);
    await bench.over(sessionId);
    assert.deepEqual(await list(sessionId), [['a.txt', 'modified', 1, 1]]);
    await bench.changes.undo(sessionId, null);
    assert.equal(read('a.txt'), original.replace('line 2\n', 'two\n'));
    await bench.checkReferences();
  });

  it('is not left out of the review where the agent writes while an undo is under way: the agent writes after it', async () => {
    await start();
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n')]);
    const [row] = await bench.database.fileSnapshots.pending(sessionId);
    const step = { path: bench.file('a.txt'), shown: 'a.txt', from: row?.left?.hash ?? '', to: row?.before ?? null };
    const changes = [{ shown: 'a.txt', steps: [step], rows: [{ id: row?.id ?? 0, undone: row?.left ?? null }] }];
    const plan = { status: 'undone' as const, review: { action: 'undo' as const, scope: 'all' as const }, changes };
    await bench.database.fileOperations.begin(sessionId, plan);
    writeFileSync(bench.file('a.txt'), original);

    const write = replace('a.txt', 'line 3\n', 'three\n');
    bench.double.script.push([write], 'Done.');
    await bench.controller.retry(sessionId);
    await bench.over(sessionId);
    assert.equal(read('a.txt'), original);
    await bench.changes.recover([]);
    bench.double.script.push([write], 'Done.');
    await bench.controller.retry(sessionId);
    await bench.over(sessionId);
    assert.deepEqual(await list(sessionId), [['a.txt', 'modified', 1, 1]]);
    await bench.changes.undo(sessionId, null);
    assert.equal(read('a.txt'), original);
  });

  it('is the same for a new service on the same storage, and counts for the list of sessions', async () => {
    await start();
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\nthree\n')]);
    const before = await list(sessionId);
    assert.deepEqual((await bench.database.fileSnapshots.getSessionsPendingStats()).get(sessionId), {
      additions: 2,
      deletions: 1,
      files: 1,
    });
    assert.deepEqual(await list(sessionId), before);
    writeFileSync(bench.file('a.txt'), original);
    assert.deepEqual(await list(sessionId), []);
    assert.deepEqual((await bench.database.fileSnapshots.getSessionsPendingStats()).get(sessionId), {
      additions: 0,
      deletions: 0,
      files: 1,
    });
  });

  it('changes nothing when the file cannot be kept first', async () => {
    await start();
    bench.refuseSnapshots();
    const sessionId = await agentDoes([replace('a.txt', 'line 2\n', 'two\n')]);
    assert.equal(read('a.txt'), original);
    assert.ok((await bench.seen(sessionId)).some((line) => line.includes('failed')));
  });

  it('does not follow a folder that has become a link', async function () {
    if (process.platform === 'win32') return this.skip();
    await start();
    mkdirSync(bench.file('dir'));
    writeFileSync(bench.file('dir/x.txt'), 'x\n');
    const sessionId = await agentDoes([replace('dir/x.txt', 'x', 'y')]);
    const { renameSync, symlinkSync } = await import('node:fs');
    const outside = path.join(path.dirname(bench.file('.')), 'elsewhere');
    renameSync(bench.file('dir'), outside);
    symlinkSync(outside, bench.file('dir'));
    const { left } = await bench.changes.undo(sessionId, null);
    assert.equal(left.length, 1);
    assert.equal(readFileSync(path.join(outside, 'x.txt'), 'utf8'), 'y\n');
  });
});
