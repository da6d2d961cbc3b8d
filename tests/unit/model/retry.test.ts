import assert from 'node:assert/strict';
import {
  AuthError,
  ConnectionError,
  ContextOverflowError,
  OllamaError,
  ServerBusyError,
  StreamError,
} from '../../../src/services/model/client/ollamaErrors';
import { withRetry, type RetryEvent } from '../../../src/services/model/client/retry';
import { CancelledError } from '../../../src/utils/errors';
import { rejection } from './support/client';
import { RecordingClock } from './support/recordingClock';

describe('Retries', () => {
  const refused = () => new ConnectionError('refused', 'refused');

  async function run(failures: (() => Error)[]) {
    const clock = new RecordingClock();
    const notices: RetryEvent[] = [];
    let attempts = 0;
    const attempt = () => {
      const failure = failures[attempts];
      attempts += 1;
      return failure ? Promise.reject(failure()) : Promise.resolve('answer');
    };
    const outcome = await withRetry(attempt, { clock, onRetry: (notice) => void notices.push(notice) }).catch(
      (error: unknown) => error,
    );
    return { outcome, attempts, sleeps: clock.sleeps, notices };
  }

  it('are not needed when the first attempt succeeds', async () => {
    assert.deepEqual(await run([]), { outcome: 'answer', attempts: 1, sleeps: [], notices: [] });
  });

  it('come after 1, 2 and 4 seconds, each announced before its wait', async () => {
    const { outcome, attempts, sleeps, notices } = await run([refused, refused, refused]);
    assert.equal(outcome, 'answer');
    assert.equal(attempts, 4);
    assert.deepEqual(sleeps, [1000, 2000, 4000]);
    assert.deepEqual(
      notices.map(({ attempt, of, delayMs, error }) => [attempt, of, delayMs, error.code]),
      [
        [1, 3, 1000, 'connection'],
        [2, 3, 2000, 'connection'],
        [3, 3, 4000, 'connection'],
      ],
    );
  });

  it('end after the third, with the last failure', async () => {
    const last = refused();
    const { outcome, attempts, notices } = await run([refused, refused, refused, () => last]);
    assert.equal(outcome, last);
    assert.deepEqual([attempts, notices.length], [4, 3]);
  });

  const cases: [title: string, error: () => Error, isRetried: boolean][] = [
    ['a 500', () => new OllamaError('', '', { statusCode: 500 }), true],
    ['a 502', () => new OllamaError('', '', { statusCode: 502 }), true],
    ['a 503', () => new ServerBusyError('', '', { statusCode: 503 }), true],
    ['a 400', () => new OllamaError('', '', { statusCode: 400 }), false],
    ['a 401', () => new AuthError('', '', { statusCode: 401 }), false],
    ['a 429', () => new ServerBusyError('', '', { statusCode: 429 }), false],
    ['an overflow, with whatever status', () => new ContextOverflowError('', { statusCode: 500 }), false],
    ['an answer that broke off', () => new StreamError('', 'disconnected'), false],
    ['being cancelled', () => new CancelledError(), false],
    ['a mistake of our own', () => new TypeError(), false],
  ];
  for (const [title, error, isRetried] of cases) {
    it(`${isRetried ? 'follow' : 'do not follow'} ${title}`, async () => {
      assert.equal((await run([error])).attempts, isRetried ? 2 : 1);
    });
  }

  it('can be cancelled while waiting', async () => {
    const clock = new RecordingClock();
    const abort = new AbortController();
    clock.onSleep = () => abort.abort();
    let attempts = 0;
    const attempt = () => {
      attempts += 1;
      return Promise.reject(refused());
    };
    assert.ok((await rejection(withRetry(attempt, { clock, signal: abort.signal }))) instanceof CancelledError);
    assert.equal(attempts, 1);
  });

  it('are neither announced nor made when the signal fired during the attempt', async () => {
    const clock = new RecordingClock();
    const abort = new AbortController();
    let notices = 0;
    const attempt = () => {
      abort.abort();
      return Promise.reject(refused());
    };
    const error = await rejection(withRetry(attempt, { clock, signal: abort.signal, onRetry: () => (notices += 1) }));
    assert.ok(error instanceof CancelledError);
    assert.deepEqual([notices, clock.sleeps], [0, []]);
  });
});
