import assert from 'node:assert/strict';
import path from 'node:path';
import { heartbeatEveryMs } from '../../../src/services/database/sessionRepository';
import { ManualClock } from './support/manualClock';
import { newSession, Workbench } from './support/stores';

const plan = { status: 'undone' as const, review: { action: 'undo' as const, scope: 'all' as const }, changes: [] };

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
      assert.deepEqual(await other.fileOperations.takeLeft(['/project']), []);
      await assert.rejects(other.fileOperations.takeLeft([], id), { code: 'underWay' });
      await assert.rejects(other.fileOperations.begin(id, plan), { code: 'underWay' });
      order.push('first');
    });
    await Promise.all([first, one.operations.perform(async () => void order.push('second'))]);
    assert.deepEqual(order, ['first', 'second']);

    for (let beats = 0; beats < 5; beats += 1) await clock.advance(heartbeatEveryMs);
    assert.equal((await other.fileOperations.takeLeft(['/project'])).length, 1);
    assert.deepEqual(await one.fileOperations.takeLeft(['/project']), []);
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
    assert.deepEqual(ids(await other?.takeLeft([folder('pk'), folder('pkg2')])), []);
    assert.deepEqual(ids(await above?.takeLeft([folder()])), [id]);
    await silent();
    assert.deepEqual(ids(await below?.takeLeft([folder('pkg', 'deep')])), [id]);
    await silent();
    assert.deepEqual(ids(await other?.takeLeft([], whole.id)), [id]);
  });
});
