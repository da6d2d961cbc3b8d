import assert from 'node:assert/strict';
import type { WireMessage, WireTool } from '../../../src/types/ollama';
import { demoReply } from '../../support/demo/demoModel';
import type { Step } from '../../support/ollama/doubleReply';

const tool: WireTool = {
  type: 'function',
  function: { name: 'read_file', description: '', parameters: { type: 'object', properties: {} } },
};

describe('the demonstration model', () => {
  it('explains itself where there are no tools', () => {
    const text = textOf(demoReply({ messages: [{ role: 'user', content: 'Hi' }], tools: [], think: false }));
    assert.match(text, /demonstration model/);
  });

  it('thinks aloud only when asked to', () => {
    const thoughts = (think: boolean): number =>
      demoReply({ messages: [], tools: [], think }).filter((step) => typeof step === 'object' && 'thinking' in step).length;
    assert.deepEqual([thoughts(true) > 0, thoughts(false)], [true, 0]);
  });

  it('reads, creates, runs, and ends, one step for each result that it is sent', () => {
    const messages: WireMessage[] = [{ role: 'user', content: 'Do something' }];
    const calls: (string | undefined)[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const steps = demoReply({ messages, tools: [tool], think: true });
      calls.push(steps.map((step) => (typeof step === 'object' && 'call' in step ? step.call.name : undefined)).find(Boolean));
      if (turn === 3) assert.match(textOf(steps), /one fails.*\[TASK_COMPLETE\]$/s);
      messages.push({ role: 'tool', content: turn === 2 ? 'ℹ fail 1' : 'done' });
    }
    assert.deepEqual(calls, ['read_file', 'create_file', 'run_terminal_command', undefined]);
  });
});

function textOf(steps: readonly Step[]): string {
  return steps.filter((step) => typeof step === 'string').join('');
}
