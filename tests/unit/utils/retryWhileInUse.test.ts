import assert from 'node:assert/strict';
import { retryWhileInUse, retryWhileInUseSync } from '../../../src/utils/files/retryWhileInUse';

/** Returns an action that fails with `code` the first `times` times, then returns its number of calls. */
function failing(code: string, times: number): () => number {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls <= times) throw Object.assign(new Error(code), { code, syscall: 'rename' });
    return calls;
  };
}

describe('A rename of a file that another program has open', () => {
  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    it(`is retried on Windows after ${code}`, async () => {
      const act = failing(code, 2);
      assert.equal(await retryWhileInUse(async () => Promise.resolve(act()), 'win32'), 3);
      assert.equal(retryWhileInUseSync(failing(code, 2), 'win32'), 3);
    });
  }

  it('waits longer each time, and fails after six tries', () => {
    const { wait } = Atomics;
    const waits: unknown[] = [];
    Atomics.wait = (...parameters: unknown[]) => (waits.push(parameters[3]), 'timed-out');
    try {
      assert.throws(() => retryWhileInUseSync(failing('EBUSY', 6), 'win32'), { code: 'EBUSY' });
      assert.deepEqual(waits, [20, 40, 80, 160, 320]);
      assert.equal(retryWhileInUseSync(failing('EBUSY', 5), 'win32'), 6);
    } finally {
      Atomics.wait = wait;
    }
  });

  it('fails at once for other reasons and on other systems', async () => {
    const missing = failing('ENOENT', 1);
    assert.throws(() => retryWhileInUseSync(missing, 'win32'), { code: 'ENOENT' });
    assert.equal(missing(), 2);
    const denied = failing('EPERM', 1);
    await assert.rejects(
      retryWhileInUse(async () => Promise.resolve(denied()), 'linux'),
      { code: 'EPERM' },
    );
    assert.equal(denied(), 2);
  });
});
