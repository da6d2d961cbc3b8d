import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { FakeEditor } from './support/fakeEditor';

describe('The session under review', () => {
  let bench: AgentBench;
  let review: PendingEditReviewService;
  let file: string;
  let sessionId: string;

  beforeEach(async () => {
    bench = await AgentBench.start({ hasCheckpoints: true });
    file = bench.file('a.txt');
    writeFileSync(file, 'one\ntwo\nthree\n');
    const change = { path: 'a.txt', oldText: 'two\n', newText: '2\n' };
    bench.double.script.push([{ call: { name: 'replace_in_file', arguments: change } }], 'Done.');
    sessionId = await bench.ask('Do it');
    const sessionOf = async (id: string) => (await bench.database.queries.ofCheckpoint(id))[0]?.sessionId;
    review = new PendingEditReviewService({ changes: bench.changes, sessionOf }, new FakeEditor(), systemClock, silentLogger);
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
    const turn = review.stateOf(file)?.hunks[0]?.turn ?? 0;
    const { queries } = bench.database;
    assert.deepEqual(await queries.messageAt(sessionId, turn), { message: 'Do it', model: 'worker' });
    assert.equal(await queries.messageAt(sessionId, turn + 1), null);
  });

  it('is without a file that was removed from it, unless changes of the file are still pending', async () => {
    await review.startReview(sessionId);
    const resolved: string[] = [];
    review.onDidResolveFile(({ path }) => resolved.push(path));
    const removing = review.removeFileFromReview(file);
    assert.deepEqual([review.stateOf(file), resolved], [undefined, [file]]);
    await removing;
    assert.equal(review.stateOf(file)?.hunks.length, 1);

    await bench.changes.keep(sessionId, [file]);
    await review.removeFileFromReview(file);
    assert.deepEqual([review.stateOf(file), review.getChangePosition()], [undefined, undefined]);
  });
});
