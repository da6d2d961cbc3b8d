import assert from 'node:assert/strict';
import path from 'node:path';
import { isUnderWay } from '../../../src/services/database/sessions/operations';
import { heartbeatEveryMs } from '../../../src/services/database/sessions/heartbeat';
import { createOwner } from '../../../src/services/database/sessions/windowOwner';
import { ManualClock } from './support/manualClock';
import { newSession, Workbench } from './support/stores';

const plan = { status: 'undone' as const, review: { action: 'undo' as const, scope: 'all' as const }, changes: [] };

describe('An operation', () => {
  const here = createOwner();
  // No system assigns this process id.
  const ended = here.replace(`#${process.pid}#`, '#4194999#');
  const at = (row: { owner: string; heartbeat_at: number | null }, seconds: number) =>
    isUnderWay({ ...row, created_at: 1_000 }, 1_000 + seconds * 1_000);

  it('is under way for two minutes without a beat while its process is there, which may be held up', () => {
    const row = { owner: here, heartbeat_at: 1_000 };
    assert.deepEqual([at(row, 15), at(row, 119), at(row, 120), at(row, -120)], [true, true, false, false]);
  });

  it('of another machine is under way for 15 seconds, and of a process that has ended not at all', () => {
    const row = { owner: 'elsewhere/1#1#window', heartbeat_at: 1_000 };
    assert.deepEqual([at(row, 14), at(row, 15)], [true, false]);
    assert.equal(at({ owner: ended, heartbeat_at: 1_000 }, 0), false);
  });

  it('that never beats, as of earlier versions, is under way for two minutes, where its process has not ended', () => {
    const owners = [here, 'elsewhere/1#1#window', ended];
    const seen = (seconds: number) => owners.map((owner) => at({ owner, heartbeat_at: null }, seconds));
    assert.deepEqual(
      [seen(119), seen(120)],
      [
        [true, true, false],
        [false, false, false],
      ],
    );
  });
});

describe('Operations', () => {
  const bench = new Workbench();
  afterEach(() => bench.clean());

  it('that take long stay those of their window, which waits for them, and nobody else takes them over', async () => {
    const directory = bench.folder();
    const clock = new ManualClock();
    const one = await bench.service(directory, { clock, owner: 'elsewhere/1#1#window' });
    const other = await bench.service(directory, { clock, owner: 'other' });
    const { id } = await one.sessions.create({ ...newSession(), projectPath: '/project' });
    const order: string[] = [];
    const first = one.operations.perform(async () => {
      await one.fileOperations.begin(id, plan);
      for (let beats = 0; beats < 5; beats += 1) await clock.advance(heartbeatEveryMs);
      assert.deepEqual(await other.fileOperations.takeOverUnfinished(['/project']), []);
      await assert.rejects(other.fileOperations.takeOverUnfinished([], id), { code: 'underWay' });
      await assert.rejects(other.fileOperations.begin(id, plan), { code: 'underWay' });
      order.push('first');
    });
    await Promise.all([first, one.operations.perform(async () => void order.push('second'))]);
    assert.deepEqual(order, ['first', 'second']);

    for (let beats = 0; beats < 5; beats += 1) await clock.advance(heartbeatEveryMs);
    assert.equal((await other.fileOperations.takeOverUnfinished(['/project'])).length, 1);
    assert.deepEqual(await one.fileOperations.takeOverUnfinished(['/project']), []);
  });

  it('that a window left are taken over in folders above and below theirs as well, and in no others', async () => {
    const directory = bench.folder();
    const clock = new ManualClock();
    const folder = (...names: string[]) => path.join(path.sep, 'repo', ...names);
    const gone = await bench.service(directory, { clock, owner: 'elsewhere/1#1#window' });
    const windows = [1, 2, 3].map((one) => bench.service(directory, { clock, owner: `elsewhere/${one}#1#other` }));
    const [above, below, other] = (await Promise.all(windows)).map(({ fileOperations }) => fileOperations);
    const { id } = await gone.sessions.create({ ...newSession(), projectPath: folder('pkg') });
    const whole = await gone.sessions.create({ ...newSession(), projectPath: folder() });
    await gone.fileOperations.begin(id, plan);
    const silent = () => clock.advance(5 * heartbeatEveryMs);
    const ids = (taken: { sessionId: string }[] | undefined) => taken?.map(({ sessionId }) => sessionId);

    await silent();
    assert.deepEqual(ids(await other?.takeOverUnfinished([folder('pk'), folder('pkg2')])), []);
    assert.deepEqual(ids(await above?.takeOverUnfinished([folder()])), [id]);
    await silent();
    assert.deepEqual(ids(await below?.takeOverUnfinished([folder('pkg', 'deep')])), [id]);
    await silent();
    assert.deepEqual(ids(await other?.takeOverUnfinished([], whole.id)), [id]);
  });
});
