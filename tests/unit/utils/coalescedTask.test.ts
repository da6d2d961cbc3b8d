import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { CoalescedTask } from '../../../src/utils/coalescedTask';

describe('CoalescedTask', () => {
  let ends: (() => void)[];
  let catchUp: CoalescedTask;
  beforeEach(() => {
    ends = [];
    catchUp = new CoalescedTask(() => new Promise((resolve) => ends.push(resolve)));
  });

  it('works once at a time, and once more however often it was asked meanwhile', async () => {
    for (let asked = 0; asked < 3; asked += 1) catchUp.request();
    assert.equal(ends.length, 1);
    ends[0]?.();
    await setImmediate();
    assert.equal(ends.length, 2);
    ends[1]?.();
    await setImmediate();
    assert.equal(ends.length, 2);
    catchUp.request();
    assert.equal(ends.length, 3);
  });

  it('is not begun again once it is disposed', async () => {
    catchUp.request();
    catchUp.request();
    catchUp.dispose();
    assert.equal(catchUp.isDisposed, true);
    ends[0]?.();
    await setImmediate();
    assert.equal(ends.length, 1);
    catchUp.request();
    assert.equal(ends.length, 1);
  });

  it('says whether what it works at is still what was asked for last', () => {
    catchUp.request();
    assert.equal(catchUp.isCurrent, true);
    catchUp.request();
    assert.equal(catchUp.isCurrent, false);
  });
});
