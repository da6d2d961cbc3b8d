import assert from 'node:assert/strict';
import { AsyncMutex } from '../../../src/utils/asyncMutex';
import { systemClock } from '../../../src/utils/clock';
import { DisposableStore } from '../../../src/utils/disposable';
import { Emitter } from '../../../src/utils/emitter';
import { CancelledError } from '../../../src/utils/errors';

describe('DisposableStore', () => {
  it('disposes in reverse order, waiting for each, also when one fails, and then throws the first failure', async () => {
    const order: string[] = [];
    const store = new DisposableStore();
    store.add({ dispose: () => void order.push('first') });
    store.add({ dispose: () => Promise.reject(new Error('stuck')) });
    store.add({
      dispose: async () => {
        await Promise.resolve();
        order.push('last');
      },
    });
    await assert.rejects(store.dispose(), /stuck/);
    assert.deepEqual(order, ['last', 'first']);
  });

  it('disposes at once what is added after its end', async () => {
    const store = new DisposableStore();
    await store.dispose();
    let isDisposed = false;
    store.add({ dispose: () => void (isDisposed = true) });
    assert.equal(isDisposed, true);
  });
});

describe('Emitter', () => {
  it('reaches every listener though one throws, and none that has left', () => {
    const errors: unknown[] = [];
    const heard: number[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    emitter.event(() => {
      throw new Error('bad listener');
    });
    const second = emitter.event((value) => heard.push(value));
    emitter.fire(1);
    void second.dispose();
    emitter.fire(2);
    assert.deepEqual([heard, errors.length], [[1], 2]);
  });
});

describe('AsyncMutex', () => {
  it('runs sections one at a time in the order of the calls, also after one has failed', async () => {
    const mutex = new AsyncMutex();
    const steps: string[] = [];
    const section = (name: string) => async () => {
      steps.push(`${name} in`);
      await Promise.resolve();
      steps.push(`${name} out`);
      if (name === 'b') throw new Error('b failed');
      return name;
    };
    const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => mutex.runExclusive(section(name))));
    assert.deepEqual(steps, ['a in', 'a out', 'b in', 'b out', 'c in', 'c out']);
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });
});

describe('systemClock', () => {
  it('stops sleeping when cancelled', async () => {
    const abort = new AbortController();
    const sleep = systemClock.sleep(60_000, abort.signal);
    abort.abort();
    await assert.rejects(sleep, CancelledError);
  });
});
