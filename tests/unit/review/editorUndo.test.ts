import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import type { EntryOf } from '../../../src/protocol/entries';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { until } from '../../support/until';
import { AgentBench } from '../agent/support/agentBench';
import { FakeEditor } from './support/fakeEditor';

const original = 'one\ntwo\nthree\nfour\nfive\n';
const changed = 'one\n2\nthree\nfour\n5\n';

describe('Undo and redo in the editor', () => {
  let bench: AgentBench;
  let editor: FakeEditor;
  let review: PendingEditReviewService;
  let sessionId: string;
  let file = '';
  let other = '';

  beforeEach(async () => {
    editor = new FakeEditor();
    bench = await AgentBench.start({ editors: editor.files });
    file = bench.file('a.txt');
    other = bench.file('b.txt');
    for (const path of [file, other]) writeFileSync(path, original);
    for (const path of ['a.txt', 'b.txt']) {
      const edits = [
        { oldText: 'two\n', newText: '2\n' },
        { oldText: 'five\n', newText: '5\n' },
      ];
      for (const edit of edits) bench.double.script.push([{ call: { name: 'replace_in_file', arguments: { path, ...edit } } }]);
    }
    bench.double.script.push('Done.');
    sessionId = await bench.ask('Do it');
    for (const path of [file, other]) editor.files.show(path);
    const sources = { changes: bench.changes, sessionOf: async () => undefined };
    review = new PendingEditReviewService(sources, editor, systemClock, silentLogger);
    await review.startReview(sessionId);
  });

  afterEach(async () => {
    await bench.checkReferences();
    await review.dispose();
    await bench.stop();
  });

  const text = (path: string) => editor.files.textOf(path);
  const reviews = async (): Promise<EntryOf<'review'>['data'][]> =>
    (await bench.database.log.read(sessionId, 0)).entries.flatMap((entry) => (entry.type === 'review' ? [entry.data] : []));
  const hunks = (path: string) => review.getState(path)?.hunks.length ?? 0;
  const seqOfFirst = async () =>
    (await bench.database.log.read(sessionId, 0)).entries.find(({ type }) => type === 'review')?.seq ?? 0;
  /** Waits until the log contains these review entries. */
  const answered = (...actions: string[]) =>
    until(async () => JSON.stringify((await reviews()).map(({ action }) => action)) === JSON.stringify(actions));

  async function undoFiles(paths: string[] | null): Promise<void> {
    await bench.changes.undo(sessionId, paths);
    for (const path of paths ?? [file, other]) editor.reload(path);
    await review.refresh();
  }

  for (const isSaved of [false, true])
    it(`has a file pending again whose undo was undone in the editor, ${isSaved ? 'and saved' : 'unsaved'}`, async () => {
      await undoFiles([file]);
      assert.deepEqual([text(file), hunks(file)], [original, 0]);
      editor.undo(file);
      if (isSaved) editor.save(file);
      await answered('undo', 'revert');
      await until(() => hunks(file) === 2);
      assert.equal(text(file), changed);
      const [, revert] = await reviews();
      assert.deepEqual(revert, { action: 'revert', scope: 'file', paths: ['a.txt'], targetSeq: await seqOfFirst() });
    });

  it('has only that file pending again after an undo of all, and the other one can be reapplied', async () => {
    await undoFiles(null);
    editor.undo(other);
    editor.save(other);
    await answered('undo', 'revert');
    await until(() => hunks(other) === 2);
    assert.deepEqual((await reviews())[1]?.paths, ['b.txt']);
    assert.deepEqual([hunks(file), readFileSync(file, 'utf8')], [0, original]);
    assert.deepEqual(await bench.changes.revertAnswer(sessionId, await seqOfFirst()), { undone: ['a.txt'], left: [] });
    editor.reload(file);
    await review.refresh();
    assert.deepEqual([hunks(file), hunks(other), text(file)], [2, 2, changed]);
  });

  it('has the changes of a message pending again in the file where their undo was undone', async () => {
    const turn = review.getState(file)?.hunks[0]?.turn ?? 0;
    await review.undoMessage(turn);
    assert.deepEqual([text(file), text(other)], [original, original]);
    editor.undo(file);
    editor.save(file);
    await answered('undo', 'revert');
    await until(() => hunks(file) === 2);
    assert.deepEqual([hunks(other), text(other)], [0, original]);
    await bench.changes.revertAnswer(sessionId, await seqOfFirst());
    editor.reload(other);
    await review.refresh();
    assert.deepEqual([hunks(file), hunks(other), text(other)], [2, 2, changed]);
  });

  it('counts a hunk as undone again after Ctrl+Z and Ctrl+Y, as often as they are pressed', async () => {
    await review.undoHunk(file, review.getState(file)?.hunks[0]?.id ?? '');
    const [first] = await reviews();
    editor.undo(file);
    editor.save(file);
    await answered('undo', 'revert');
    editor.redo(file);
    editor.save(file);
    await answered('undo', 'revert', 'undo');
    await until(() => hunks(file) === 1);
    const [, , again] = await reviews();
    assert.deepEqual(again, first);
    assert.equal(text(file), changed.replace('2\n', 'two\n'));
    editor.undo(file);
    await answered('undo', 'revert', 'undo', 'revert');
    await until(() => hunks(file) === 2);
    editor.redo(file);
    editor.save(file);
    await answered('undo', 'revert', 'undo', 'revert', 'undo');
    const { entries } = await bench.database.log.read(sessionId, 0);
    const seq = entries.findLast(({ type }) => type === 'review')?.seq ?? 0;
    assert.deepEqual(await bench.changes.revertAnswer(sessionId, seq), { undone: ['a.txt'], left: [] });
    assert.equal(readFileSync(file, 'utf8'), changed);
  });

  it('settles a file again whose last hunk was undone, after Ctrl+Z and Ctrl+Y', async () => {
    const undoFirst = () => review.undoHunk(file, review.getState(file)?.hunks[0]?.id ?? '');
    await undoFirst();
    await undoFirst();
    for (const actions of [
      ['undo', 'undo', 'revert'],
      ['undo', 'undo', 'revert', 'revert'],
    ]) {
      editor.undo(file);
      editor.save(file);
      await answered(...actions);
    }
    await until(() => hunks(file) === 2);
    for (const more of [['undo'], ['undo', 'undo']]) {
      editor.redo(file);
      editor.save(file);
      await answered('undo', 'undo', 'revert', 'revert', ...more);
    }
    await until(() => hunks(file) === 0);
    assert.deepEqual(
      [text(file), (await bench.database.fileSnapshots.pending(sessionId)).map(({ shown }) => shown)],
      [original, ['b.txt']],
    );
  });

  it('counts a file as undone again after Ctrl+Z and Ctrl+Y, and it can be reapplied', async () => {
    await undoFiles(null);
    editor.undo(file);
    editor.save(file);
    await answered('undo', 'revert');
    await until(() => hunks(file) === 2);
    editor.redo(file);
    editor.save(file);
    await answered('undo', 'revert', 'undo');
    await until(() => hunks(file) === 0);
    const { entries } = await bench.database.log.read(sessionId, 0);
    const last = entries.findLast((entry) => entry.type === 'review');
    assert.deepEqual(last?.data, { action: 'undo', scope: 'file', paths: ['a.txt'] });
    assert.deepEqual(await bench.changes.revertAnswer(sessionId, last?.seq ?? 0), { undone: ['a.txt'], left: [] });
    assert.deepEqual([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')], [changed, original]);
  });

  it('counts only files with changes in an answer to all, and settles the others', async () => {
    writeFileSync(file, original);
    editor.files.show(file, original);
    await bench.changes.keep(sessionId, null);
    const keep = (await reviews()).at(-1);
    assert.deepEqual([keep?.scope, keep?.paths, await bench.changes.list(sessionId)], ['all', ['b.txt'], []]);
    const pending = async () => [...new Set((await bench.database.fileSnapshots.pending(sessionId)).map(({ shown }) => shown))];
    assert.deepEqual(await pending(), []);
    const outcome = { undone: ['b.txt'], left: [] };
    assert.deepEqual(await bench.changes.revertAnswer(sessionId, await seqOfFirst()), outcome);
    assert.deepEqual([(await reviews()).at(-1)?.paths, await pending()], [['b.txt'], ['a.txt', 'b.txt']]);

    assert.deepEqual(await bench.changes.undo(sessionId, null), outcome);
    assert.deepEqual([(await reviews()).at(-1)?.paths, await pending()], [['b.txt'], []]);
    const undo = (await bench.database.log.read(sessionId, 0)).entries.findLast(({ type }) => type === 'review');
    editor.reload(other);
    assert.deepEqual(await bench.changes.revertAnswer(sessionId, undo?.seq ?? 0), outcome);
    assert.deepEqual([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')], [original, changed]);
  });

  it('takes no other undo for that of an answer', async () => {
    await undoFiles([file]);
    editor.type(file, { startLine: 0, startCharacter: 0, endLine: 0, endCharacter: 0, text: 'mine' });
    editor.undo(file);
    editor.type(other, { startLine: 0, startCharacter: 0, endLine: 0, endCharacter: 0, text: 'mine' });
    editor.undo(other);
    // Runs after the work that the editor's events started.
    await bench.changes.followEditor(sessionId, file, 'undo');
    assert.deepEqual((await reviews()).length, 1);
  });
});
