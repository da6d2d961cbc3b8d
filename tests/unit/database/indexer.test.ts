import assert from 'node:assert/strict';
import { Indexer } from '../../../src/services/database/search/indexer';
import { silentLogger } from '../../../src/utils/logger';
import { ManualClock } from './support/manualClock';

describe('Indexer', () => {
  it('follows a while after a write, slice by slice until nothing is left', async () => {
    const { indexer, clock, slices } = indexing(3);
    indexer.note();
    await clock.advance(5_000);
    assert.equal(slices(), 0);
    await clock.advance(1_000);
    assert.equal(slices(), 3);
    indexer.note();
    await clock.advance(6_000);
    assert.equal(slices(), 4);
    await indexer.dispose();
  });

  it('lets those who write go first, though not for ever', async () => {
    const { indexer, clock, slices } = indexing(1);
    for (let written = 0; written < 150; written += 1) {
      indexer.note();
      await clock.advance(50);
    }
    assert.equal(slices(), 0);
    for (let written = 0; written < 100; written += 1) {
      indexer.note();
      await clock.advance(50);
    }
    assert.equal(slices(), 1);
    await indexer.dispose();
  });

  function indexing(count: number) {
    const clock = new ManualClock();
    let done = 0;
    const indexer = new Indexer(
      () => {
        done += 1;
        return Promise.resolve(done < count);
      },
      clock,
      silentLogger,
    );
    return { indexer, clock, slices: () => done };
  }
});
