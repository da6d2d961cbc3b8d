import assert from 'node:assert/strict';
import { factualSummary } from '../../../src/agent/context/factualSummary';
import { collectMemory } from '../../../src/agent/context/sessionMemory';
import type { EntryInput } from '../../../src/protocol/entries';
import { entries } from '../../support/entries';
import { AgentBench } from './support/agentBench';

const user = (content: string): EntryInput => ({ type: 'user_input', content, data: { mode: 'agent', attachments: [] } });

describe('The memory of a chat', () => {
  let bench: AgentBench;
  afterEach(() => bench?.stop());

  const systemOf = (index: number) =>
    bench.double
      .requestsTo('/api/chat')
      .map(({ body }) => (body as { messages: { content: string }[] }).messages[0]?.content)
      .filter((content) => content !== undefined)[index] ?? '';

  it('quotes what a person decided and said with its entry, and tells what was changed and what failed', () => {
    const log = entries(
      user('Add a parser. Never use tabs. The port is 8123.'),
      { type: 'tool_call', data: { callId: 'c', name: 'read_file', input: { path: 'a.ts' } } },
      {
        type: 'tool_result',
        content: 'There is no a.ts.\nLook elsewhere.',
        data: { callId: 'c', name: 'read_file', status: 'error' },
      },
      user('Never use tabs.'),
    );
    const lines = collectMemory(log, { own: ['Tests run with make'], forgotten: ['The port is 8123.'] });
    assert.deepEqual(lines, [
      { kind: 'own', text: 'Tests run with make', seq: null, isForgotten: false },
      { kind: 'rule', text: 'Never use tabs.', seq: 4, isForgotten: false },
      { kind: 'said', text: 'The port is 8123.', seq: 1, isForgotten: true },
      { kind: 'failed', text: 'There is no a.ts.', seq: 3, isForgotten: false },
    ]);
  });

  it('leaves what was forgotten out of a summary', () => {
    const log = entries(user('Never use tabs. Never use semicolons.'));
    const summary = factualSummary(log, 4000, undefined, new Set(['Never use tabs.']));
    assert.equal(summary.includes('Never use tabs.'), false);
    assert.match(summary, /Never use semicolons\./);
  });

  it('is in each request from then on, at the end of the system prompt, after a restart too', async () => {
    bench = await AgentBench.start();
    bench.double.script.push('One.', 'Two.', 'Three.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    const before = systemOf(0);
    await bench.memory.add(sessionId, ' Tests run\n with make ');
    await bench.ask('On', { mode: 'ask', sessionId });
    assert.equal(systemOf(1), `${before}\n\n# Keep in mind\n- Tests run with make`);
    const { entries: log } = await bench.database.log.read(sessionId, 0);
    const use = await bench.meter.use({ sessionId, mode: 'ask', model: 'worker', entries: log, loaded: () => null });
    assert.equal((use?.parts.find(({ kind }) => kind === 'memory')?.tokens ?? 0) > 0, true);
    assert.deepEqual(
      (await bench.memory.list(sessionId)).filter(({ kind }) => kind === 'own').map(({ text }) => text),
      ['Tests run with make'],
    );
    await bench.memory.forget(sessionId, 'Tests run with make', true);
    await bench.ask('On', { mode: 'ask', sessionId });
    assert.equal(systemOf(2), before);
  });

  it('has room for a thousand characters, and says so', async () => {
    bench = await AgentBench.start();
    bench.double.script.push('One.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    await bench.memory.add(sessionId, 'x'.repeat(600));
    await assert.rejects(bench.memory.add(sessionId, 'y'.repeat(600)), { code: 'memoryFull' });
    assert.deepEqual((await bench.memory.readEdits(sessionId)).own, ['x'.repeat(600)]);
  });

  it('forgets a sentence and keeps it again', async () => {
    bench = await AgentBench.start();
    bench.double.script.push('One.');
    const sessionId = await bench.ask('Never use tabs.', { mode: 'ask' });
    const rule = async () => (await bench.memory.list(sessionId)).find(({ kind }) => kind === 'rule')?.isForgotten;
    assert.equal(await rule(), false);
    await bench.memory.forget(sessionId, 'Never use tabs.', true);
    assert.equal(await rule(), true);
    await bench.memory.forget(sessionId, 'Never use tabs.', false);
    assert.equal(await rule(), false);
  });
});
