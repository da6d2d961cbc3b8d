import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { CallPreview } from '../../../src/agent/stream/callPreview';
import type { Activity, EditDraft } from '../../../src/protocol/webviewEvents';
import { systemClock } from '../../../src/utils/clock';
import { hold } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';

/** Resolves with the first reported draft of an edit. */
async function firstDraft(bench: AgentBench): Promise<EditDraft> {
  for (;;) {
    for (const { activity } of bench.states) if (activity?.kind === 'preparing' && activity.draft) return activity.draft;
    await setTimeout(5);
  }
}

describe('an edit that a model prints', () => {
  it('is seen while it is written, and is a row when it is whole', async () => {
    const bench = await AgentBench.start();
    try {
      const held = hold();
      const begun = 'I write it. <tool_call>{"name":"write_file","arguments":{"path":"b.txt","content":"one\\n';
      bench.double.script.push([begun, held.step, 'two\\n"}}</tool_call>'], 'Done. [TASK_COMPLETE]');
      const sessionId = await bench.send('Go');
      const draft = { path: 'b.txt', lines: ['+one'], additions: 1, deletions: 0 };
      assert.deepEqual(await firstDraft(bench), draft);
      held.release();
      await bench.over(sessionId);
      assert.ok((await bench.seen(sessionId)).includes('write_file b.txt [done] +2'));
    } finally {
      await bench.stop();
    }
  });

  it('shows what of a file it takes away', async () => {
    const bench = await AgentBench.start();
    try {
      await writeFile(bench.file('b.txt'), 'one\ntwo\nthree\n');
      const held = hold();
      const begun = '<tool_call>{"name":"write_file","arguments":{"path":"b.txt","content":"one\\n2\\nthree\\n';
      bench.double.script.push([begun, held.step, '"}}</tool_call>'], 'Done. [TASK_COMPLETE]');
      const sessionId = await bench.send('Go');
      const draft = { path: 'b.txt', lines: [' one', '-two', '+2', ' three'], additions: 1, deletions: 1 };
      assert.deepEqual(await firstDraft(bench), draft);
      held.release();
      await bench.over(sessionId);
      assert.equal(await readFile(bench.file('b.txt'), 'utf8'), 'one\n2\nthree\n');
    } finally {
      await bench.stop();
    }
  });

  it('is told of at intervals, and not at all for other calls or when it is very long', () => {
    let now = 1000;
    const said: Activity[] = [];
    const preview = new CallPreview(
      { ...systemClock, now: () => now },
      (activity) => said.push(activity),
      async () => null,
    );
    const drafts = () => said.filter((one) => one.kind === 'preparing' && one.draft).length;
    preview.setCall({ tool: 'run_terminal_command', family: 'command' });
    preview.follow(() => '{"content":"a');
    assert.equal(drafts(), 0);
    preview.setCall({ tool: 'write_file', family: 'edit' });
    preview.follow(() => '{"content":"a');
    preview.follow(() => '{"content":"ab');
    now += 200;
    preview.follow(() => '{"content":"abc');
    now += 200;
    preview.follow(() => `{"content":"${'x'.repeat(300_000)}`);
    assert.equal(drafts(), 2);
    preview.setCall(null);
    preview.follow(() => '{"content":"abc');
    assert.equal(said.at(-1)?.kind, 'answering');
  });
});
