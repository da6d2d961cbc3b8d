import assert from 'node:assert/strict';
import path from 'node:path';
import { EngineClient } from '../../../src/services/checkpoint/host/engineClient';
import { IdleCollection } from '../../../src/services/checkpoint/host/idleCollection';
import { createOwner } from '../../../src/services/database/sessions/windowOwner';
import { CancelledError } from '../../../src/utils/errors';
import { silentLogger } from '../../../src/utils/logger';
import { ManualClock } from '../database/support/manualClock';
import { EngineBench } from './support/engineBench';
import { seededBytes } from './support/seededBytes';

const randomBytes = seededBytes();

const minutes = (count: number) => count * 60_000;

describe('IdleCollection', () => {
  let clock: ManualClock;
  /** Workers whose collection the test ends through `finish` or `fail`. */
  let workers: { finish: () => void; fail: (error: Error) => void; isDisposed: boolean }[];
  let collection: IdleCollection;
  let over: Promise<void>;
  let warnings: unknown[];
  beforeEach(() => {
    clock = new ManualClock();
    workers = [];
    warnings = [];
    const open = () => {
      const worker = { finish: () => {}, fail: (_error: Error) => {}, isDisposed: false };
      const collected = new Promise((resolve, reject) => {
        worker.finish = () => resolve({ manifests: 1, objects: 2, bytes: 3 });
        worker.fail = reject;
      });
      workers.push(worker);
      const dispose = () => {
        worker.isDisposed = true;
        worker.fail(new CancelledError());
        return Promise.resolve();
      };
      return { care: { collectGarbage: () => collected }, dispose } as unknown as EngineClient;
    };
    collection = new IdleCollection(open, clock, { ...silentLogger, warn: (...all) => void warnings.push(all) });
    over = collection.begin();
  });
  afterEach(() => collection.dispose());
  const disposed = () => workers.map(({ isDisposed }) => isDisposed);

  it('collects once, after ten quiet minutes, in a worker that ends with it', async () => {
    await clock.advance(minutes(9));
    assert.equal(workers.length, 0);
    await clock.advance(minutes(1));
    assert.deepEqual(disposed(), [false]);
    workers[0]?.finish();
    await over;
    assert.deepEqual([disposed(), warnings], [[true], []]);
    await clock.advance(minutes(100));
    assert.equal(workers.length, 1);
  });

  it('waits for runs to end, and ten minutes more', async () => {
    await clock.advance(minutes(5));
    collection.noteRun('session', true);
    await clock.advance(minutes(60));
    collection.noteRun('session', false);
    await clock.advance(minutes(9));
    assert.equal(workers.length, 0);
    await clock.advance(minutes(11));
    assert.equal(workers.length, 1);
  });

  it('is cut off by a run, and goes on later', async () => {
    await clock.advance(minutes(10));
    collection.noteRun('session', true);
    assert.deepEqual(disposed(), [true]);
    await clock.advance(minutes(60));
    collection.noteRun('session', false);
    await clock.advance(minutes(20));
    assert.deepEqual(disposed(), [true, false]);
    workers[1]?.finish();
    await over;
    assert.deepEqual(warnings, []);
  });

  it('is over after a failure, which is logged', async () => {
    await clock.advance(minutes(10));
    workers[0]?.fail(new Error('The disk is full'));
    await over;
    assert.deepEqual([disposed(), warnings.length], [[true], 1]);
  });

  it('ends with the window, whether it has begun or not', async () => {
    await collection.dispose();
    await over;
    await clock.advance(minutes(20));
    assert.equal(workers.length, 0);
  });

  it('ends with the window while it is under way', async () => {
    await clock.advance(minutes(10));
    await collection.dispose();
    await over;
    assert.deepEqual([disposed(), warnings], [[true], []]);
  });
});

describe('a collection beside checkpoints', () => {
  let bench: EngineBench;
  beforeEach(() => (bench = new EngineBench()));
  afterEach(() => bench.clean());

  it('takes what nothing needs and leaves what another thread stores meanwhile', async () => {
    bench.write('f', randomBytes(500_000));
    const gone = bench.checkpoint('Gone');
    bench.write('f', 'kept');
    bench.checkpoint('Kept');
    bench.rows('DELETE FROM approved_states');
    for (const { id, title } of bench.engine.checkpoints.list('session'))
      if (id === gone || title === 'Initial state') bench.engine.checkpoints.remove(id);
    bench.rows('UPDATE snapshot_objects SET stored_at = 0');
    bench.reopen();
    const clock = new ManualClock();
    const workerPath = path.join(__dirname, '../../../src/services/checkpoint/engine/checkpointWorker.js');
    const open = () =>
      new EngineClient({
        directory: bench.storage,
        owner: createOwner(),
        workerPath,
        logger: silentLogger,
        onDamage: () => assert.fail(),
      });
    const collection = new IdleCollection(open, clock, silentLogger);
    const over = collection.begin();
    await clock.advance(minutes(10));
    const ids = Array.from({ length: 20 }, (_, index) => {
      bench.write('f', `version ${index}`);
      return bench.checkpoint(`${index}`);
    });
    await over;
    await collection.dispose();
    assert.deepEqual(
      ids.map((id) => bench.textAt(id, 'f')),
      ids.map((_, index) => `version ${index}`),
    );
    assert.deepEqual(bench.rows('SELECT size FROM snapshot_objects WHERE size = 500000'), []);
    assert.deepEqual(bench.engine.care.verify().problems, []);
  });
});
