import assert from 'node:assert/strict';
import type { Entry } from '../../../src/protocol/entries';
import { withTouchedHistories } from '../../../src/services/checkpoint/host/touchedHistories';

describe('Git histories in a restore plan', () => {
  const there = { root: '/w', path: '', isGone: false };
  const gone = { root: '/w', path: 'lib', isGone: true };

  const named = async (command: string, status: 'success' | 'error' | 'denied' = 'success') => {
    const entries = [
      { type: 'tool_call', data: { callId: 'c', name: 'run_terminal_command', input: { command } } },
      { type: 'tool_result', data: { callId: 'c', name: 'run_terminal_command', status } },
    ] as unknown as Entry[];
    const log = { read: () => Promise.resolve({ entries }) };
    const { histories } = await withTouchedHistories({ histories: [there, gone], gone: [], goneCount: 0 }, 's', log);
    return histories;
  };

  for (const command of [
    'git commit -am x',
    'npm test && git switch -c new',
    'cd lib; git reset --hard',
    'git -C lib --no-pager branch new',
  ])
    it(`are named after ${command}`, async () => assert.deepEqual(await named(command), [there, gone]));

  it('are named after a Git command that failed', async () =>
    assert.deepEqual(await named('git merge other', 'error'), [there, gone]));

  for (const command of ['git status', 'npm test', 'git log | head', 'git branch', 'git diff commit', 'npm test && git diff'])
    it(`are not named after ${command}, except deleted ones`, async () => assert.deepEqual(await named(command), [gone]));

  it('are not named after a declined command', async () => assert.deepEqual(await named('git commit -am x', 'denied'), [gone]));
});
