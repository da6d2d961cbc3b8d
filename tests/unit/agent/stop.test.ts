import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import { isProcessGone } from '../../../src/utils/processes';
import { AgentBench } from './support/agentBench';
import { until } from '../../support/until';

/** Without Stop, nothing here ends. A failure therefore hangs the test. */
describe('Stop', () => {
  let bench: AgentBench;
  beforeEach(async () => void (bench = await AgentBench.start()));
  afterEach(() => bench.stop());

  it('ends a command that refuses to end, and what that has started, before the run is over', async () => {
    const command =
      'trap "" TERM INT HUP; (trap "" TERM INT HUP; sleep 100000) & echo "$$ $!" > new; mv new pids; while :; do sleep 0.05; done';
    bench.double.script.push([{ call: { name: 'run_terminal_command', arguments: { command } } }]);
    const sessionId = await bench.send('Go');
    await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, true);
    await until(() => existsSync(bench.file('pids')));
    const [shell = 0, started = 0] = readFileSync(bench.file('pids'), 'utf8').split(' ').map(Number);
    assert.deepEqual([isProcessGone(shell), isProcessGone(started)], [false, false]);

    const told: boolean[] = [];
    bench.controller.onDidChangeRunState(({ state }) => {
      if (state === 'idle') told.push(isProcessGone(shell));
    });
    await bench.controller.stop(sessionId);
    assert.deepEqual(told, [true], 'the command has ended when the run is told to be over');
    // The process that adopts orphans may need a moment to reap this one.
    await until(() => isProcessGone(started));
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      `run_terminal_command ${command} [cancelled] stopped`,
      `approve command ${command} [approved] medium`,
      '= stopped',
    ]);
    assert.equal(bench.chats().length, 1);
  });

  it('ends a search that would go on for ever, with the thread that it runs in', async () => {
    await writeFile(bench.file('a.txt'), `${'a'.repeat(60)}!\n`);
    const search = (query: string) => [{ call: { name: 'search_workspace', arguments: { query, isRegex: true } } }];
    bench.double.script.push(search('b+'), 'Good.', search('(a+)+$'));
    // The first run lets other code start its threads.
    const sessionId = await bench.ask('Go');
    const threads: Worker[] = [];
    const note = (worker: Worker): void => void threads.push(worker);
    process.on('worker', note);
    try {
      await bench.send('Go', { sessionId });
      await until(() => threads.length > 0);
      const ended = Promise.all(threads.map((worker) => new Promise((resolve) => worker.once('exit', resolve))));
      await bench.controller.stop(sessionId);
      await ended;
      const seen = await bench.seen(sessionId);
      assert.deepEqual(seen.slice(-3), ['you: Go', 'search_workspace “(a+)+$” [cancelled]', '= stopped']);
      assert.deepEqual([threads.length, bench.chats().length], [1, 3]);
    } finally {
      process.off('worker', note);
    }
  });
});
