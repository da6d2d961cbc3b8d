import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import type { WireTool } from '../../../src/types/ollama';
import { demoModel, demoReply } from '../../support/demo/demoModel';
import type { Step } from '../../support/ollama/doubleReply';
import { AgentBench } from '../agent/support/agentBench';

const tool = (name: string): WireTool => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object', properties: {} } },
});
const allTools = ['read_file', 'replace_in_file'].map(tool);

describe('the demonstration model', () => {
  it('explains itself where there are no tools', () => {
    const text = textOf(demoReply({ messages: [{ role: 'user', content: 'Hi' }], tools: [], think: false }));
    assert.match(text, /demonstration model/);
  });

  it('thinks aloud only when asked to', () => {
    const thoughts = (think: boolean): number =>
      demoReply({ messages: [], tools: allTools, think }).filter((step) => typeof step === 'object' && 'thinking' in step).length;
    assert.deepEqual([thoughts(true) > 0, thoughts(false)], [true, 0]);
  });

  it('explains itself where it may only read', () => {
    assert.match(
      textOf(demoReply({ messages: [{ role: 'user', content: 'Hi' }], tools: [tool('read_file')], think: false })),
      /Agent/,
    );
  });

  it('plays the whole story on the sample project: reads, edits, creates, runs, and the changes wait for an answer', async () => {
    const bench = await AgentBench.start({ models: [{ ...demoModel, name: 'worker' }] });
    try {
      await cp('resources/sample-workspace', bench.file('.'), { recursive: true });
      bench.double.onChat((request) => demoReply(request).filter((step) => typeof step !== 'object' || !('wait' in step)));
      const sessionId = await bench.send('Whatever');
      await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, true);
      await bench.over(sessionId);
      const seen = (await bench.seen(sessionId)).map((line) => line.replace(/notes\/\S+/, 'notes/N.md'));
      assert.deepEqual(
        seen.filter((line) => !/^(text|thinking|you)/.test(line)),
        [
          'read_file src/discount.js [done] 4 lines',
          'read_file tests/shoppingList.test.js [done] 23 lines',
          'replace_in_file src/discount.js [done] +1 −1',
          '  modify src/discount.js +1 -1',
          'create_file notes/N.md [done] +4',
          '  create notes/N.md +4 -0',
          'run_terminal_command node --test [done] exit code 0',
          'approve command node --test [approved] medium',
          '= done',
        ],
      );
      assert.match(seen.at(-2) ?? '', /The tests pass\./);
      const changed = await bench.changes.list(sessionId);
      assert.deepEqual(changed.map(({ status }) => status).join(), 'modified,created');

      const again = await bench.send('Once more', { sessionId: null });
      await bench.controller.decideApproval(again, (await bench.question(again)).data.approvalId, false);
      await bench.over(again);
      const told = await bench.seen(again);
      assert.ok(
        told.some((line) => line.includes('The discount is already correct')),
        'the second time there is nothing to fix',
      );
      assert.match(told.at(-2) ?? '', /The tests did not run/);
    } finally {
      await bench.stop();
    }
  });
});

function textOf(steps: readonly Step[]): string {
  return steps.filter((step) => typeof step === 'string').join('');
}
