import assert from 'node:assert/strict';
import { promptOrders } from '../../support/ollama/chatTemplates';
import type { ModelSpec } from '../../support/ollama/doubleModel';
import { ManualClock } from '../database/support/manualClock';
import { AgentBench } from './support/agentBench';

/** Conditions in the templates for mistral-nemo and llama3.1 from the Ollama library. */
const templates: Partial<Record<string, string>> = {
  mistral: '{{ if and $.Tools (le (len (slice $.Messages $i)) 2) }}[AVAILABLE_TOOLS]{{ end }}',
  llama3: '{{ $last := eq (len (slice $.Messages $i)) 1 }}{{ if and $.Tools $last }}{{ $.Tools }}{{ end }}',
  chatml: '{{ if or .System .Tools }}{{ end }}{{ $last := eq (len (slice $.Messages $i)) 1 }}{{ if not $last }}{{ end }}',
};

interface Counted {
  promptTokens: number;
  cachedTokens: number;
}

describe('a prompt that is read ahead', () => {
  let bench: AgentBench;
  let clock: ManualClock;
  afterEach(() => bench.stop());

  async function start(spec: Partial<ModelSpec>): Promise<void> {
    clock = new ManualClock();
    const capabilities = ['completion', 'tools', 'thinking'] as const;
    const worker = { name: 'worker', capabilities, contextLength: 16_384, countsCache: true, ...spec };
    bench = await AgentBench.start({ models: [worker], retryClock: clock });
  }
  async function prepare(sessionId: string): Promise<void> {
    const read = new Promise<void>((resolve) => bench.preparer.onDidPrepare(resolve));
    const { entries } = await bench.database.log.read(sessionId, 0);
    bench.double.script.push('.');
    bench.preparer.prepare({ sessionId, mode: 'agent', model: 'worker', entries });
    await clock.advance(400);
    await read;
  }
  async function lastAnswer(sessionId: string): Promise<Counted> {
    const { entries } = await bench.database.log.read(sessionId, 0);
    const answer = entries.findLast((entry) => entry.type === 'assistant_output');
    assert.ok(answer?.type === 'assistant_output' && answer.data.stats);
    const { promptTokens = 0, cachedTokens = 0 } = answer.data.stats;
    return { promptTokens, cachedTokens };
  }
  const answer = `${'It is this. '.repeat(200)}[TASK_COMPLETE]`;

  for (const promptOrder of promptOrders) {
    const template = templates[promptOrder];
    it(`is used by the next message with templates in the order of ${promptOrder}, at least nine tenths of it`, async () => {
      await start({ promptOrder, ...(template !== undefined && { template }) });
      bench.double.script.push(answer, 'Hello. '.repeat(300));
      const sessionId = await bench.ask('What is it?');
      // Another chat replaces the cache.
      await bench.ask('Go', { mode: 'ask' });
      await prepare(sessionId);
      bench.double.script.push('Done. [TASK_COMPLETE]');
      await bench.ask('And that?', { sessionId });
      const { promptTokens, cachedTokens } = await lastAnswer(sessionId);
      assert.ok(cachedTokens >= promptTokens * 0.9, `${cachedTokens} of ${promptTokens}`);
    });
  }

  for (const promptOrder of ['mistral', 'llama3'] as const) {
    it(`has the tools that ${promptOrder} moves to the new message, also in the chat that is in the cache`, async () => {
      const template = templates[promptOrder] ?? '';
      await start({ promptOrder, template });
      bench.double.script.push('Yes. [TASK_COMPLETE]', 'No. [TASK_COMPLETE]');
      const sessionId = await bench.ask('What is it?');
      await bench.ask('And this?', { sessionId });
      const without = await lastAnswer(sessionId);
      assert.ok(without.cachedTokens < without.promptTokens / 2, `${without.cachedTokens} of ${without.promptTokens}`);
      await prepare(sessionId);
      bench.double.script.push('Done. [TASK_COMPLETE]');
      await bench.ask('And that?', { sessionId });
      const { promptTokens, cachedTokens } = await lastAnswer(sessionId);
      assert.ok(cachedTokens >= promptTokens * 0.9, `${cachedTokens} of ${promptTokens}`);
    });
  }

  it('is not sent again where nothing moves and the chat is in the cache', async () => {
    await start({ promptOrder: 'chatml', template: templates['chatml'] ?? '' });
    bench.double.script.push('Yes. [TASK_COMPLETE]');
    const sessionId = await bench.ask('What is it?');
    const sent = bench.chats().length;
    const { entries } = await bench.database.log.read(sessionId, 0);
    bench.preparer.prepare({ sessionId, mode: 'agent', model: 'worker', entries });
    await clock.advance(400);
    await bench.double.until(() => bench.double.requestsTo('/api/show').length === 2);
    await bench.models.running();
    await bench.models.running();
    assert.equal(bench.chats().length, sent);
  });
});
