import assert from 'node:assert/strict';
import path from 'node:path';
import { EngineClient } from '../../../src/services/checkpoint/host/engineClient';
import { WorkerSnapshotObjects } from '../../../src/services/checkpoint/host/snapshotObjects';
import { createOwner } from '../../../src/services/database/sessions/windowOwner';
import { silentLogger } from '../../../src/utils/logger';
import { SnapshotBench } from './support/snapshotBench';

const workerPath = path.join(__dirname, '../../../src/services/checkpoint/engine/checkpointWorker.js');

describe('WorkerSnapshotObjects', () => {
  let bench: SnapshotBench;
  let engine: EngineClient;
  const damage: unknown[] = [];
  beforeEach(() => {
    bench = new SnapshotBench();
    engine = new EngineClient({
      directory: bench.folder,
      owner: createOwner(),
      workerPath,
      logger: silentLogger,
      onDamage: (failure) => damage.push(failure),
    });
  });
  afterEach(async () => {
    await engine.dispose();
    bench.clean();
  });

  it('stores and reads through the worker, and says what is missing', async () => {
    const objects = new WorkerSnapshotObjects(engine);
    const hashes = await objects.put([Buffer.from('one'), Buffer.from('two')]);
    assert.deepEqual(await Promise.all(hashes.map(async (hash) => Buffer.from(await objects.get(hash)).toString())), [
      'one',
      'two',
    ]);
    await assert.rejects(objects.get('0'.repeat(64)), { name: 'SnapshotError', code: 'missing' });
    assert.deepEqual(damage, []);
  });

  it('gives its pack to the next writer when it closes, and takes no more calls', async () => {
    const objects = new WorkerSnapshotObjects(engine);
    await objects.put([Buffer.from('one')]);
    await engine.dispose();
    assert.deepEqual(bench.rows('SELECT owner FROM snapshot_packs'), [[null]]);
    await assert.rejects(objects.put([]), { name: 'StorageError', code: 'closed' });
  });
});
