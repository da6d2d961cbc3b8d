import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { silentLogger } from '../../../src/utils/logger';
import { ManualClock } from '../database/support/manualClock';
import { AgentBench } from '../agent/support/agentBench';
import { FakeEditor } from './support/fakeEditor';

describe('The session under review', () => {
  let bench: AgentBench;
  let editor: FakeEditor;
  let clock: ManualClock;
  let review: PendingEditReviewService;
  let file: string;
  let sessionId: string;

  beforeEach(async () => {
    editor = new FakeEditor();
    clock = new ManualClock();
    bench = await AgentBench.start({ hasCheckpoints: true, editors: editor.files });
    file = bench.file('a.txt');
    writeFileSync(file, 'one\ntwo\nthree\n');
    const change = { path: 'a.txt', oldText: 'two\n', newText: '2\n' };
    bench.double.script.push([{ call: { name: 'replace_in_file', arguments: change } }], 'Done.');
    sessionId = await bench.ask('Do it');
    const sessionOf = async (id: string) => (await bench.database.queries.ofCheckpoint(id))[0]?.sessionId;
    review = new PendingEditReviewService({ changes: bench.changes, sessionOf }, editor, clock, silentLogger);
  });

  afterEach(async () => {
    await review.dispose();
    await bench.stop();
  });

  it('is that of a checkpoint, and stays the same for a checkpoint of no session', async () => {
    const { entries } = await bench.database.log.read(sessionId, 0);
    const checkpointId = entries.find(({ type }) => type === 'user_input')?.checkpointId ?? '';
    const shown = () => review.session?.files.map(({ path, hunks }) => [path, hunks.length]);
    assert.deepEqual([await review.startReviewForCheckpoint('none'), shown()], [undefined, undefined]);
    assert.equal((await review.startReviewForCheckpoint(checkpointId))?.total, 1);
    assert.deepEqual(shown(), [[file, 1]]);
    assert.equal((await review.startReviewForCheckpoint('none'))?.total, 1);
    assert.deepEqual([review.session?.sessionId, shown()], [sessionId, [[file, 1]]]);
  });

  it('names the message that a hunk came from, and the model that answered', async () => {
    await review.startReview(sessionId);
    const turn = review.getState(file)?.hunks[0]?.turn ?? 0;
    const { queries } = bench.database;
    assert.deepEqual(await queries.messageAt(sessionId, turn), { message: 'Do it', model: 'worker' });
    assert.equal(await queries.messageAt(sessionId, turn + 1), null);
  });

  it('computes hunks once when typing pauses, however many keys there were', async () => {
    editor.files.show(file);
    await review.startReview(sessionId);
    const document = editor.document.bind(editor);
    let computed = 0;
    editor.document = (path) => ((computed += 1), document(path));
    const key = { startLine: 0, startCharacter: 0, endLine: 0, endCharacter: 0, text: 'x' };
    for (let keys = 0; keys < 3; keys += 1) {
      editor.type(file, key);
      await clock.advance(149);
    }
    assert.equal(computed, 0);
    await clock.advance(1);
    assert.equal(computed, 1);
  });

  it('leaves a hunk in whose file somebody types at the very moment of the undo', async () => {
    editor.files.show(file);
    await review.startReview(sessionId);
    const document = editor.document.bind(editor);
    editor.document = (path) => {
      editor.document = document;
      editor.type(path, { startLine: 0, startCharacter: 0, endLine: 0, endCharacter: 0, text: 'mine\n' });
      return document(path);
    };
    const { undone, left } = await review.undoHunk(file, review.getState(file)?.hunks[0]?.id ?? '');
    assert.deepEqual([undone, left.map(({ shown }) => shown)], [[], ['a.txt']]);
    assert.equal(editor.files.textOf(file), 'mine\none\n2\nthree\n');
  });

  it('is without a file that was removed from it, unless changes of the file are still pending', async () => {
    await review.startReview(sessionId);
    const resolved: string[] = [];
    review.onDidResolveFile(({ path }) => resolved.push(path));
    const removing = review.removeFileFromReview(file);
    assert.deepEqual([review.getState(file), resolved], [undefined, [file]]);
    await removing;
    assert.equal(review.getState(file)?.hunks.length, 1);

    await bench.changes.keep(sessionId, [file]);
    await review.removeFileFromReview(file);
    assert.deepEqual([review.getState(file), review.getChangePosition()], [undefined, undefined]);
  });
});
