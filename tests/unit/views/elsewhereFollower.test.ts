import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import type { RunState, ViewEvents } from '../../../src/protocol/webviewEvents';
import { ElsewhereFollower } from '../../../src/views/feeds/elsewhereFollower';
import { CancelledError } from '../../../src/utils/errors';
import { silentLogger } from '../../../src/utils/logger';
import { entries } from '../../support/entries';

/** Returns a clock whose sleeps end when the test wakes them. */
function steppedClock() {
  let wake: (() => void) | undefined;
  return {
    now: () => 0,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        wake = resolve;
        signal?.addEventListener('abort', () => reject(new CancelledError()));
      }),
    step: async () => {
      wake?.();
      for (let index = 0; index < 5; index += 1) await turn();
    },
  };
}

describe('ElsewhereFollower', () => {
  it('passes on what another window writes and how its run ends, and then stops', async () => {
    const log = entries(
      { type: 'user_input', content: 'Hi', data: { mode: 'ask', attachments: [] } },
      { type: 'assistant_output', content: 'Hel', data: {} },
      { type: 'run_end', data: { outcome: 'done' } },
    );
    let revision = 1;
    let state: RunState['state'] = 'elsewhere';
    let reads = 0;
    const clock = steppedClock();
    const told: unknown[] = [];
    const follower = new ElsewhereFollower(
      {
        read: (_id, since) => {
          reads += 1;
          return Promise.resolve({
            entries: log.filter((entry) => entry.revision > since && entry.revision <= revision),
            revision,
          });
        },
        runState: (sessionId) => Promise.resolve({ sessionId, state, activity: null }),
      },
      clock,
      silentLogger,
    );
    follower.follow('s', 1, { emit: (name, value) => void told.push([name, summary(value)]) });

    await clock.step();
    revision = 2;
    await clock.step();
    revision = 3;
    state = 'idle';
    await clock.step();
    await clock.step();

    assert.deepEqual(told, [
      ['log', 2],
      ['log', 3],
      ['runState', 'idle'],
    ]);
    assert.equal(reads, 3);
  });

  it('tells nothing more once it is let go', async () => {
    const clock = steppedClock();
    const told: unknown[] = [];
    const follower = new ElsewhereFollower(
      {
        read: () => Promise.resolve({ entries: [], revision: 9 }),
        runState: (sessionId) => Promise.resolve({ sessionId, state: 'idle', activity: null }),
      },
      clock,
      silentLogger,
    );
    follower.follow('s', 1, { emit: (name) => void told.push(name) });
    follower.dispose();
    await clock.step();
    assert.deepEqual(told, []);
  });
});

function summary(value: ViewEvents[keyof ViewEvents]): unknown {
  if (value === null) return null;
  return 'revision' in value ? value.revision : 'state' in value ? value.state : null;
}
