import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { isProcessGone } from '../../../src/utils/processes';
import { until } from '../../support/until';
import { exitOf } from '../database/processes/child';

describe('a shell in a terminal that runs a command', () => {
  it('ends with a window that is killed, even if it ignores signals, but not once the command has ended', async () => {
    const child = fork(path.join(__dirname, 'processes/shells.js'), [], { execArgv: [] });
    const [pids] = (await once(child, 'message')) as [number[]];
    const [watched = 0, released = 0, ended = 0] = pids;
    try {
      await until(() => isProcessGone(ended));
      assert.deepEqual([watched, released].map(isProcessGone), [false, false]);
      child.kill('SIGKILL');
      assert.equal(await exitOf(child), 'SIGKILL');
      await until(() => isProcessGone(watched));
      assert.equal(isProcessGone(released), false);
    } finally {
      for (const pid of pids) if (!isProcessGone(pid)) process.kill(pid, 'SIGKILL');
    }
  });
});
