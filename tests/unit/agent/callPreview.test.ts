import assert from 'node:assert/strict';
import { CallPreview } from '../../../src/agent/callPreview';
import type { Activity } from '../../../src/protocol/webviewEvents';
import { systemClock } from '../../../src/utils/clock';
import { AgentBench } from './support/agentBench';

describe('an edit that a model prints', () => {
  it('is seen while it is written, and is a row when it is whole', async () => {
    const bench = await AgentBench.start();
    try {
      bench.double.script.push(
        [
          'I write it. ',
          '<tool_call>{"name":"write_file","arguments":{"path":"b.txt",',
          '"content":"one\\n',
          'two\\n"}}',
          '</tool_call>',
        ],
        'Done. [TASK_COMPLETE]',
      );
      const sessionId = await bench.ask('Go');
      const drafts = bench.states.flatMap(({ activity }) =>
        activity?.kind === 'preparing' && activity.draft ? [activity.draft] : [],
      );
      assert.deepEqual(drafts[0], { path: 'b.txt', lines: ['+one'], additions: 1, deletions: 0 });
      assert.ok((await bench.seen(sessionId)).includes('write_file b.txt [done] +2'));
    } finally {
      await bench.stop();
    }
  });

  it('is told of at intervals, and not at all for other calls or when it is very long', () => {
    let now = 1000;
    const said: Activity[] = [];
    const preview = new CallPreview({ ...systemClock, now: () => now }, (activity) => said.push(activity));
    const drafts = () => said.filter((one) => one.kind === 'preparing' && one.draft).length;
    preview.tell({ tool: 'run_terminal_command' });
    preview.follow(() => '{"content":"a');
    assert.equal(drafts(), 0);
    preview.tell({ tool: 'write_file' });
    preview.follow(() => '{"content":"a');
    preview.follow(() => '{"content":"ab');
    now += 200;
    preview.follow(() => '{"content":"abc');
    now += 200;
    preview.follow(() => `{"content":"${'x'.repeat(300_000)}`);
    assert.equal(drafts(), 2);
    preview.tell(null);
    preview.follow(() => '{"content":"abc');
    assert.equal(said.at(-1)?.kind, 'answering');
  });
});
