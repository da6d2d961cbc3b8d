import assert from 'node:assert/strict';
import type { RunState } from '../../../src/protocol/webviewEvents';
import { deleteSession } from '../../../src/views/handlers/sessionDeletion';

/** Deletes a session `s` and returns the actions taken. `states` lists the states that successive queries return. */
async function deleted(states: RunState['state'][], answer = true, title: string | null = 'Chat'): Promise<unknown[]> {
  const done: unknown[] = [];
  const result = await deleteSession('s', {
    sessions: {
      get: async () => (title === null ? undefined : { title }),
      delete: async () => void done.push('delete'),
    },
    runState: async (sessionId) => ({ sessionId, state: states.shift() ?? 'idle', activity: null }),
    stop: async () => void done.push('stop'),
    confirm: async (...question) => {
      done.push(question);
      return answer;
    },
  }).catch((error: { code: string }) => error.code);
  return [...done, result];
}

describe('deleting a session', () => {
  it('asks first, and stops it before it goes', async () => {
    assert.deepEqual(await deleted(['idle']), [['Chat', false], 'stop', 'delete', true]);
    assert.deepEqual(await deleted(['running', 'running']), [['Chat', true], 'stop', 'delete', true]);
    assert.deepEqual(await deleted(['queued']), [['Chat', true], 'stop', 'delete', true]);
  });

  it('does nothing without a yes', async () => {
    assert.deepEqual(await deleted(['running'], false), [['Chat', true], false]);
  });

  it('leaves a session alone that another window runs, or has begun to run while the question stood there', async () => {
    assert.deepEqual(await deleted(['elsewhere']), ['sessionElsewhere']);
    assert.deepEqual(await deleted(['idle', 'elsewhere']), [['Chat', false], 'sessionElsewhere']);
  });

  it('takes one that is gone already for deleted', async () => {
    assert.deepEqual(await deleted([], true, null), [true]);
  });
});
