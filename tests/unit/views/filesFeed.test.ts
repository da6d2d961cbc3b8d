import { editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Emitter } from '../../../src/utils/emitter';
import { silentLogger } from '../../../src/utils/logger';
import { FilesFeed, type FeedServices } from '../../../src/views/feeds/filesFeed';

describe('What the editor is told of changed files', () => {
  const fail = (error: unknown) => assert.fail(String(error));
  let runStates: Emitter<{ sessionId: string; state: string }>;
  let pending: Emitter<{ sessionId: string }>;
  let shown: string | null;
  let differing: number;
  let feed: FilesFeed;
  beforeEach(() => {
    editorCalls.length = 0;
    shown = 'session';
    differing = 0;
    runStates = new Emitter(fail);
    pending = new Emitter(fail);
    const change = { file: '/a', shown: 'a', status: 'modified', lines: null, before: null };
    const services = {
      changes: { list: async () => [], revertible: async () => [], onDidChange: pending.event },
      review: { session: undefined, onDidChangePosition: pending.event, onDidUpdateHunkStats: pending.event },
      workSessions: {
        status: async () => ({
          workSession: 'session_1',
          approvedCheckpointId: 'one',
          lastApprovedAt: null,
          earlier: [],
          changes: Array.from({ length: differing }, () => change),
        }),
      },
      controller: { runState: async () => ({ state: 'idle' }), onDidChangeRunState: runStates.event },
    };
    feed = new FilesFeed(services as unknown as FeedServices, () => shown, { emit: () => undefined }, silentLogger);
  });
  afterEach(() => feed.dispose());

  /** Returns the current value of a `when` condition in the manifest. */
  async function context(key: string): Promise<unknown> {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    const set = editorCalls.filter(({ name, args }) => name === 'executeCommand' && args[0] === 'setContext' && args[1] === key);
    return set.at(-1)?.args[2];
  }

  it('offers to approve and to reset as long as the session in front has something unapproved', async () => {
    const { contributes } = JSON.parse(readFileSync(path.join(__dirname, '../../../../package.json'), 'utf8')) as {
      contributes: { menus: { commandPalette: { command: string; when: string }[] } };
    };
    const conditions = contributes.menus.commandPalette.filter(({ command }) => /\.(approve|reset)Session$/.test(command));
    assert.equal(conditions.length, 2);
    const [key = ''] = new Set(conditions.map(({ when }) => when));
    assert.deepEqual([...new Set(conditions.map(({ when }) => when))], [key]);

    feed.refresh();
    assert.equal(await context(key), false);
    differing = 1;
    runStates.fire({ sessionId: 'another', state: 'idle' });
    assert.equal(await context(key), false);
    runStates.fire({ sessionId: 'session', state: 'idle' });
    assert.equal(await context(key), true);
    assert.equal(await context('ollamaCopilot.hasChanges'), false);
    shown = null;
    feed.refresh();
    assert.equal(await context(key), false);
  });
});
