import assert from 'node:assert/strict';
import { abortableWait } from '../../../src/services/model/client/abortableWait';
import { CancelledError } from '../../../src/utils/errors';
import { rejection } from './support/client';

describe('Waiting for work of others', () => {
  const never = new Promise<string>(() => undefined);

  it('passes on the result and the failure', async () => {
    const { signal } = new AbortController();
    const failure = new Error('failed');
    assert.equal(await abortableWait(Promise.resolve('done'), signal), 'done');
    assert.equal(await abortableWait(Promise.resolve('done'), undefined), 'done');
    assert.equal(await rejection(abortableWait(Promise.reject(failure), signal)), failure);
  });

  it('ends when the signal fires, or had fired before', async () => {
    const abort = new AbortController();
    const waiting = rejection(abortableWait(never, abort.signal));
    abort.abort();
    assert.ok((await waiting) instanceof CancelledError);
    assert.ok((await rejection(abortableWait(never, abort.signal))) instanceof CancelledError);
  });
});
