import assert from 'node:assert/strict';
import { withTimeout } from '../../../src/utils/withTimeout';
import { ManualClock } from '../database/support/manualClock';

describe('Waiting with an end', () => {
  const clock = new ManualClock();
  const never = new Promise<string>(() => undefined);

  it('passes on the result and the failure', async () => {
    assert.equal(await withTimeout(Promise.resolve('done'), 10, clock), 'done');
    await assert.rejects(withTimeout(Promise.reject(new Error('failed')), 10, clock), /^Error: failed$/);
  });

  it('ends without one when the time is up', async () => {
    const waiting = withTimeout(never, 10, clock);
    await clock.advance(10);
    assert.equal(await waiting, undefined);
  });

  it('ends without one when the signal fires, or had fired before', async () => {
    const abort = new AbortController();
    const waiting = withTimeout(never, 10, clock, abort.signal);
    abort.abort();
    assert.equal(await waiting, undefined);
    assert.equal(await withTimeout(never, 10, clock, abort.signal), undefined);
  });
});
