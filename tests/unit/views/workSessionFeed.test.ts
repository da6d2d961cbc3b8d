import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { WorkSessionStatus } from '../../../src/services/review/workSessions';
import { silentLogger } from '../../../src/utils/logger';
import { WorkSessionFeed } from '../../../src/views/feeds/workSessionFeed';

const status: WorkSessionStatus = {
  workSession: 'session_1',
  approvedCheckpointId: 'one',
  lastApprovedAt: null,
  earlier: [],
  changes: [],
  hasUnapproved: false,
};

describe('The feed of what differs from the approved state', () => {
  /** Paths that each comparison was limited to, or null for all paths. */
  let asked: (readonly string[] | null)[];
  let answer: () => Promise<WorkSessionStatus | null>;
  let shown: string | null;
  let feed: WorkSessionFeed;
  beforeEach(() => {
    asked = [];
    answer = () => Promise.resolve(status);
    shown = 'session';
    const workSessions = {
      status: (_session: string, hints?: readonly string[]) => {
        asked.push(hints ?? null);
        return answer();
      },
    };
    const nothing = () => undefined;
    feed = new WorkSessionFeed(workSessions, () => Promise.resolve(shown), { emit: nothing }, silentLogger, nothing);
  });
  afterEach(() => feed.dispose());

  async function refreshed(changed?: readonly string[]): Promise<void> {
    feed.refresh(changed);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  }

  it('looks at what the editor told once everything was looked at', async () => {
    await refreshed(['/a']);
    await refreshed(['/b']);
    await refreshed([]);
    await refreshed();
    await refreshed(['/c']);
    assert.deepEqual(asked, [null, ['/b'], [], null, ['/c']]);
  });

  it('looks once at all that came while it was looking', async () => {
    await refreshed();
    let go: () => void = () => undefined;
    answer = () => new Promise((resolve) => (go = () => resolve(status)));
    await refreshed(['/a']);
    await refreshed(['/b']);
    await refreshed(['/c', '/b']);
    answer = () => Promise.resolve(status);
    go();
    await refreshed(['/d']);
    assert.deepEqual(asked, [null, ['/a'], ['/b', '/c', '/d']]);
  });

  it('looks at everything again after a failure, after a session that works, and after one of another folder', async () => {
    await refreshed();
    answer = () => Promise.reject(new Error('no'));
    await refreshed(['/a']);
    answer = () => Promise.resolve(status);
    await refreshed(['/b']);
    shown = null;
    await refreshed(['/c']);
    shown = 'session';
    await refreshed(['/d']);
    answer = () => Promise.resolve(null);
    await refreshed(['/e']);
    await refreshed(['/f']);
    assert.deepEqual(asked, [null, ['/a'], null, null, ['/e'], null]);
  });
});
