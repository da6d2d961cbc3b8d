import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { PendingEditReviewService, type ReviewSources } from '../../../src/services/review/pendingEditReviewService';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import type { BenchOptions } from '../agent/support/agentBenchOptions';
import { FakeEditor } from './support/fakeEditor';
import { undoFiles } from './support/undoFiles';
import { until } from '../../support/until';

const call = (name: string, args: Record<string, unknown>) => ({ call: { name, arguments: args } });
const replace = (oldText: string, newText: string, path = 'a.txt') => call('replace_in_file', { path, oldText, newText });
const original = Array.from({ length: 12 }, (_unused, index) => `line ${index + 1}\n`).join('');
const changed = original.replace('line 2\n', 'two\n').replace('line 6\n', '').replace('line 11\n', 'line 11\nnew\nnewer\n');

describe('Answers to hunks', () => {
  let bench: AgentBench;
  let editor: FakeEditor;
  let review: PendingEditReviewService;
  let file: string;

  afterEach(async () => {
    await bench.checkReferences();
    await review.dispose();
    await bench.stop();
  });

  async function start(options: BenchOptions = {}): Promise<string> {
    editor = new FakeEditor();
    bench = await AgentBench.start({ ...options, editors: editor.files });
    file = bench.file('a.txt');
    writeFileSync(file, original);
    const edits = [replace('line 2\n', 'two\n'), replace('line 6\n', ''), replace('line 11\n', 'line 11\nnew\nnewer\n')];
    bench.double.script.push(...edits.map((one) => [one]), 'Done.');
    const sessionId = await bench.ask('Do it');
    review = open();
    await review.startReview(sessionId);
    return sessionId;
  }

  function open(changes: ReviewSources['changes'] = bench.changes): PendingEditReviewService {
    const sources = { changes, sessionOf: async () => undefined };
    return new PendingEditReviewService(sources, editor, systemClock, silentLogger);
  }

  const read = (path = file): string => readFileSync(path, 'utf8');
  const hunks = (path = file): string[] =>
    (review.getState(path)?.hunks ?? []).map(
      ({ range, oldLines, newLines }) => `${range.start} ${oldLines.join()}>${newLines.join()}`,
    );
  /** Returns the editor's text with all hunks replaced by their old lines. */
  const withoutHunks = (): string => {
    const lines = editor.files.textOf(file)?.split('\n') ?? [];
    for (const { range, oldLines } of (review.getState(file)?.hunks ?? []).toReversed())
      lines.splice(range.start, range.end - range.start, ...oldLines);
    return lines.join('\n');
  };
  const idAt = (index: number, path = file): string => review.getState(path)?.hunks[index]?.id ?? '';
  const listed = async (sessionId: string) =>
    (await bench.changes.list(sessionId)).map(({ shown, lines }) => `${shown} +${lines?.additions} -${lines?.deletions}`);
  const lastReview = async (sessionId: string) => {
    const found = (await bench.database.log.read(sessionId, 0)).entries.findLast((entry) => entry.type === 'review');
    assert.ok(found?.type === 'review');
    return found;
  };
  const takeBack = async (sessionId: string, seq: number) => {
    assert.deepEqual((await bench.changes.revertAnswer(sessionId, seq)).left, []);
    await review.refresh();
  };

  it('leave a file the session’s own for a restore, unless a person has typed in it', async () => {
    const sessionId = await start({ hasCheckpoints: true });
    const first = (await bench.engine.checkpoints.list(sessionId)).at(-1);
    const target = { kind: 'checkpoint', id: first?.id ?? '' } as const;
    const actions = async () => (await bench.restores.plan(sessionId, target)).steps.map(({ action }) => action);
    await review.undoHunk(file, idAt(0));
    await review.undoHunk(file, idAt(0));
    assert.deepEqual(await actions(), ['write']);
    writeFileSync(file, `mine\n${read()}`);
    await review.refresh([file]);
    assert.deepEqual(await actions(), ['conflict']);
    await review.undoHunk(file, idAt(0));
    assert.deepEqual([await actions(), read()], [['conflict'], `mine\n${original}`]);
  });

  it('cannot be taken back once a person has freed the originals, but wait untouched until the whole file is answered', async () => {
    const sessionId = await start({ hasCheckpoints: true });
    const free = () => bench.engine.care.releaseOlder(Date.now() + 60_000);
    await review.keepHunk(file, idAt(0));
    const first = await lastReview(sessionId);
    assert.equal(await free(), 0);
    await takeBack(sessionId, first.seq);
    assert.equal(hunks().length, 3);
    for (let index = 0; index < 3; index += 1) await review.keepHunk(file, idAt(0));
    const last = await lastReview(sessionId);
    assert.deepEqual(await bench.changes.revertible(sessionId), [last.seq - 2, last.seq - 1, last.seq]);
    assert.equal(await free(), 1);
    assert.deepEqual(await bench.changes.revertible(sessionId), []);
    await assert.rejects(bench.changes.revertAnswer(sessionId, last.seq), { code: 'reviewGone' });
    assert.deepEqual([hunks(), read()], [[], changed]);
  });

  it('keep one, undo one, and take both back, in whatever order, also after a restart', async () => {
    const sessionId = await start();
    const all = ['1 line 2>two', '5 line 6>', '10 >new,newer'];
    assert.deepEqual([hunks(), await listed(sessionId)], [all, ['a.txt +3 -2']]);
    await review.keepHunk(file, idAt(0));
    const keep = await lastReview(sessionId);
    assert.deepEqual([hunks(), await listed(sessionId), read()], [all.slice(1), ['a.txt +2 -1'], changed]);
    assert.deepEqual((await review.undoHunk(file, idAt(1))).left, []);
    const undo = await lastReview(sessionId);
    assert.deepEqual(await bench.changes.revertible(sessionId), [keep.seq, undo.seq]);
    assert.deepEqual([hunks(), await listed(sessionId)], [[all[1]], ['a.txt +0 -1']]);
    assert.equal(read(), changed.replace('new\nnewer\n', ''));
    assert.deepEqual(
      [keep.data.scope, keep.data.hunks?.[0]?.text, undo.data.hunks?.[0]?.line, undo.data.hunks?.[0]?.additions],
      ['hunk', 'two', 11, 2],
    );

    await review.dispose();
    review = open();
    await review.startReview(sessionId);
    assert.deepEqual(hunks(), [all[1]]);
    await takeBack(sessionId, keep.seq);
    assert.deepEqual(hunks(), all.slice(0, 2));
    await takeBack(sessionId, undo.seq);
    assert.deepEqual([hunks(), read()], [all, changed]);
    await assert.rejects(bench.changes.revertAnswer(sessionId, undo.seq), { code: 'reviewGone' });
    assert.deepEqual(await bench.changes.revertible(sessionId), []);
  });

  it('cannot be reverted while an answer to the whole file stands', async () => {
    const sessionId = await start();
    await review.keepHunk(file, idAt(0));
    const hunk = await lastReview(sessionId);
    await bench.changes.keep(sessionId, null);
    const whole = await lastReview(sessionId);
    assert.deepEqual(await bench.changes.revertible(sessionId), [whole.seq]);
    await assert.rejects(bench.changes.revertAnswer(sessionId, hunk.seq), { code: 'reviewGone' });
    await takeBack(sessionId, whole.seq);
    assert.deepEqual(await bench.changes.revertible(sessionId), [hunk.seq]);
    await takeBack(sessionId, hunk.seq);
  });

  it('give the original back where all are undone one by one, and the file is answered; the last is taken back', async () => {
    const sessionId = await start();
    const resolved: string[] = [];
    review.onDidResolveFile(({ path }) => resolved.push(path));
    for (const index of [1, 1, 0]) await review.undoHunk(file, idAt(index));
    assert.equal(read(), original);
    assert.deepEqual([resolved, await bench.database.fileSnapshots.pending(sessionId)], [[file], []]);
    await takeBack(sessionId, (await lastReview(sessionId)).seq);
    assert.deepEqual([hunks(), read()], [['1 line 2>two'], original.replace('line 2\n', 'two\n')]);
  });

  it('can be taken back one by one after the file was answered by the last of them', async () => {
    const sessionId = await start();
    await review.keepHunk(file, idAt(0));
    const keep = await lastReview(sessionId);
    await review.undoHunk(file, idAt(0));
    const undo = await lastReview(sessionId);
    await review.undoHunk(file, idAt(0));
    const last = await lastReview(sessionId);
    assert.deepEqual(await listed(sessionId), []);
    await takeBack(sessionId, keep.seq);
    assert.deepEqual(hunks(), ['1 line 2>two']);
    await takeBack(sessionId, last.seq);
    assert.deepEqual(hunks(), ['1 line 2>two', '11 >new,newer']);
    await takeBack(sessionId, undo.seq);
    assert.deepEqual([hunks(), read()], [['1 line 2>two', '5 line 6>', '10 >new,newer'], changed]);
  });

  it('answer a file whose last hunk is kept', async () => {
    const sessionId = await start();
    for (const index of [2, 0, 0]) await review.keepHunk(file, idAt(index));
    assert.deepEqual([read(), await listed(sessionId), await bench.database.fileSnapshots.pending(sessionId)], [changed, [], []]);
    await takeBack(sessionId, (await lastReview(sessionId)).seq);
    assert.deepEqual(hunks(), ['5 line 6>']);
    await bench.changes.undo(sessionId, null);
    assert.equal(read(), changed.replace('line 5\n', 'line 5\nline 6\n'));
  });

  it('are about the selected lines of one', async () => {
    const sessionId = await start();
    await review.keepHunk(file, idAt(2), { start: 10, end: 11 });
    assert.deepEqual(hunks(), ['1 line 2>two', '5 line 6>', '11 >newer']);
    await review.undoHunk(file, idAt(2), { start: 11, end: 12 });
    assert.deepEqual([hunks(), read()], [['1 line 2>two', '5 line 6>'], changed.replace('newer\n', '')]);
    await bench.changes.undo(sessionId, null);
    assert.equal(read(), original.replace('line 11\n', 'line 11\nnew\n'));
  });

  it('leave what a person typed inside, beside and far from a hunk', async () => {
    const sessionId = await start();
    writeFileSync(file, `top\n${changed.replace('new\n', 'mine\nnew\nmine too\n')}`);
    await review.refresh([file]);
    assert.deepEqual(hunks(), ['2 line 2>two', '6 line 6>', '12 >new,newer']);
    assert.deepEqual(await listed(sessionId), ['a.txt +3 -2']);
    await review.undoHunk(file, idAt(2));
    assert.equal(read(), `top\n${changed.replace('new\nnewer\n', 'mine\nmine too\n')}`);
    await undoFiles(bench.changes, review, [file]);
    assert.equal(read(), `top\n${original.replace('line 11\n', 'line 11\nmine\nmine too\n')}`);
    assert.deepEqual(await listed(sessionId), []);
  });

  it('refuse a hunk that is not there any more, and ask for a merge where a person has rewritten it', async () => {
    const merges: string[] = [];
    const sessionId = await start({ questions: { merge: async ({ before }) => merges.push(before) > 0 } });
    const first = idAt(0);
    const second = idAt(1);
    writeFileSync(file, changed.replace('two\n', 'mine\n').replace('line 5\n', 'line 5\nline 6\n'));
    await assert.rejects(review.undoHunk(file, second), { code: 'hunkGone' });
    await assert.rejects(review.keepHunk(file, first), { code: 'hunkGone' });
    await review.refresh();
    assert.deepEqual(
      review.getState(file)?.hunks.map(({ isContested }) => isContested),
      [true, false],
    );
    assert.deepEqual((await review.undoHunk(file, idAt(0))).left, [{ shown: 'a.txt', reason: 'asked' }]);
    assert.deepEqual(merges, [changed.replace('two\n', 'line 2\n').replace('line 5\n', 'line 5\nline 6\n')]);
    assert.equal(read().includes('mine\n'), true);
    assert.deepEqual(await listed(sessionId), ['a.txt +2 -1']);
  });

  it('hold while the agent goes on: what was kept stays kept, what was undone stays undone', async () => {
    const sessionId = await start();
    await review.keepHunk(file, idAt(0));
    await review.undoHunk(file, idAt(1));
    writeFileSync(file, read().replace('line 8\n', 'line 8\nmine\n'));
    bench.double.script.push([replace('line 9\n', 'nine\n')], 'Done.');
    await bench.ask('Go on', { sessionId });
    await review.refresh();
    assert.deepEqual(hunks(), ['5 line 6>', '8 line 9>nine']);
  });

  it('go through the editor where the file is open, and come back with Ctrl+Z', async () => {
    const sessionId = await start();
    editor.files.show(file);
    await review.refresh();
    await review.undoHunk(file, idAt(0));
    assert.deepEqual([read(), editor.files.textOf(file)], Array(2).fill(changed.replace('two\n', 'line 2\n')));
    editor.undo(file);
    const isBack = async () => (await lastReview(sessionId)).data.action === 'revert' && hunks().length === 3;
    await until(isBack);
    assert.deepEqual(
      [hunks().length, editor.files.textOf(file), (await lastReview(sessionId)).data.action],
      [3, changed, 'revert'],
    );
    editor.save(file);
    await undoFiles(bench.changes, review, null);
    assert.equal(read(), original);
  });

  it('undo the file on disk where the editor has the original already, unsaved', async () => {
    const sessionId = await start();
    editor.files.show(file, original);
    assert.equal(read(), changed);
    assert.deepEqual((await bench.changes.undo(sessionId, null)).undone, ['a.txt']);
    assert.equal(read(), original);
  });

  it('leave unsaved text unsaved, and wait until it is', async () => {
    const sessionId = await start();
    const typed = `${changed}typed\n`;
    editor.files.show(file, typed);
    await review.refresh();
    for (const index of [2, 1, 0]) await review.undoHunk(file, idAt(index));
    assert.deepEqual([read(), editor.files.textOf(file)], [changed, `${original}typed\n`]);
    assert.deepEqual(await listed(sessionId), []);
    assert.equal((await bench.database.fileSnapshots.pending(sessionId)).length, 1);
  });

  it('follow typing at once: positions, and what a quick diff compares with', async () => {
    await start();
    editor.files.show(file);
    await review.refresh();
    const moved: string[] = [];
    review.onDidChangeHunks(({ path }) => moved.push(path));
    editor.type(file, { startLine: 0, startCharacter: 0, endLine: 0, endCharacter: 0, text: 'mine\n' });
    assert.deepEqual([hunks(), moved], [['2 line 2>two', '6 line 6>', '11 >new,newer'], [file]]);
    assert.equal(withoutHunks(), `mine\n${original}`);
  });

  it('are given to all that came from one message', async () => {
    const sessionId = await start();
    const [first] = review.getState(file)?.turns ?? [];
    bench.double.script.push(
      [replace('line 9\n', 'nine\n')],
      [call('create_file', { path: 'new.txt', content: 'new\n' })],
      'Done.',
    );
    await bench.ask('Go on', { sessionId });
    await review.refresh();
    const second = review.getState(file)?.hunks.find(({ newLines }) => newLines[0] === 'nine')?.turn;
    assert.ok(second !== undefined && second !== first);
    await review.undoMessage(second);
    assert.deepEqual([read(), hunks().length, review.getState(bench.file('new.txt'))], [changed, 3, undefined]);
    await takeBack(sessionId, (await lastReview(sessionId)).seq);
    assert.deepEqual([read(), read(bench.file('new.txt'))], [changed.replace('line 9\n', 'nine\n'), 'new\n']);
    await review.keepMessage(first ?? 0);
    assert.deepEqual(hunks(), ['7 line 9>nine']);
  });

  it('are given to each message alone where they replaced adjacent lines', async () => {
    const sessionId = await start();
    const [first] = review.getState(file)?.turns ?? [];
    bench.double.script.push([replace('line 3\n', 'three\n')], 'Done.');
    await bench.ask('Go on', { sessionId });
    await review.refresh();
    assert.deepEqual(hunks().slice(0, 2), ['1 line 2>two', '2 line 3>three']);
    const [second] = (review.getState(file)?.hunks ?? [])
      .filter(({ newLines }) => newLines[0] === 'three')
      .map(({ turn }) => turn);
    await review.undoMessage(second ?? 0);
    assert.deepEqual([read(), hunks().length], [changed, 3]);
    await takeBack(sessionId, (await lastReview(sessionId)).seq);
    assert.equal(read(), changed.replace('line 3\n', 'three\n'));
    await review.undoMessage(first ?? 0);
    assert.deepEqual([read(), hunks()], [original.replace('line 3\n', 'three\n'), ['2 line 3>three']]);
    await review.keepMessage(second ?? 0);
    assert.deepEqual(hunks(), []);
  });

  it('are asked for anew where the same lines come from another message', async () => {
    const sessionId = await start();
    const [first] = review.getState(file)?.turns ?? [];
    const told: (number | undefined)[] = [];
    review.onDidUpdateHunkStats(() => told.push(review.getState(file)?.hunks[0]?.turn));
    await undoFiles(bench.changes, review, [file]);
    bench.double.script.push(
      [replace('line 2\n', 'two\n'), replace('line 6\n', ''), replace('line 11\n', 'line 11\nnew\nnewer\n')].slice(0, 1),
      [replace('line 6\n', '')],
      [replace('line 11\n', 'line 11\nnew\nnewer\n')],
      'Done.',
    );
    await bench.ask('Again', { sessionId });
    await review.refresh();
    const last = review.getState(file)?.hunks[0]?.turn;
    assert.ok(last !== undefined && last !== first);
    assert.equal(told.at(-1), last);
  });

  it('are forgotten with an approval: what was kept is released and cannot be taken back', async () => {
    const sessionId = await start({ hasCheckpoints: true });
    for (let turn = 0; turn < 3; turn += 1) await review.keepHunk(file, idAt(0));
    const keep = await lastReview(sessionId);
    assert.equal((await bench.database.fileSnapshots.hunkAnswers(sessionId, null)).length, 3);
    await bench.workSessions.approve(sessionId);
    assert.deepEqual(await bench.database.fileSnapshots.hunkAnswers(sessionId, null), []);
    await assert.rejects(bench.changes.revertAnswer(sessionId, keep.seq), { code: 'reviewGone' });
  });

  it('look at the answered file alone, and leave each file in its place', async () => {
    const sessionId = await start();
    const names = ['b.txt', 'c.txt'];
    const made = names.map((name) => [call('create_file', { path: name, content: 'new\n' })]);
    bench.double.script.push(...made, 'Done.');
    await bench.ask('Go on', { sessionId });
    const order = () => review.session?.files.map(({ shown }) => shown);
    const looks: (string[] | 'all')[] = [];
    const compared: ReviewSources['changes']['compared'] = (session, only) => {
      looks.push(only === undefined ? 'all' : [...only]);
      return bench.changes.compared(session, only);
    };
    await review.dispose();
    review = open(Object.assign(Object.create(bench.changes) as typeof bench.changes, { compared }));
    await review.startReview(sessionId);
    looks.length = 0;
    await review.keepHunk(file, idAt(0));
    await review.undoHunk(file, idAt(0));
    assert.deepEqual([new Set(looks.map(String)), order()], [new Set([file]), ['a.txt', ...names]]);
    await undoFiles(bench.changes, review, [bench.file('b.txt')]);
    assert.deepEqual(order(), ['a.txt', 'c.txt']);
    await takeBack(sessionId, (await lastReview(sessionId)).seq);
    assert.deepEqual(order(), ['a.txt', ...names]);
  });

  it('are the way through all files, with a position', async () => {
    await start();
    const told: string[] = [];
    review.onDidChangePosition((position) => told.push(`${position?.current}/${position?.total}`));
    for (let step = 0; step < 4; step += 1) await review.navigateChange('next');
    assert.deepEqual(
      editor.shown.map(({ line }) => line),
      [1, 5, 10, 1],
    );
    assert.deepEqual(told, ['1/3', '2/3', '3/3', '1/3']);
    review.closeReview();
    assert.equal(told.at(-1), 'undefined/undefined');
  });

  it('leave the ids of all other hunks as they are, whatever lines were kept above them', async () => {
    await start();
    const ids = (review.getState(file)?.hunks ?? []).map(({ id }) => id);
    await review.keepHunk(file, ids[1] ?? '');
    assert.deepEqual([idAt(0), idAt(1)], [ids[0], ids[2]]);
    await review.undoHunk(file, ids[2] ?? '');
    await review.keepHunk(file, ids[0] ?? '');
    assert.equal(review.getState(file), undefined);
  });
});
