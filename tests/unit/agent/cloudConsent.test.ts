import assert from 'node:assert/strict';
import type { ModelSpec } from '../../support/ollama/doubleModel';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

const models: ModelSpec[] = [
  { name: 'big:120b-cloud', capabilities: ['completion', 'tools'] },
  { name: 'worker', capabilities: ['completion', 'tools'] },
];

describe('a model that runs on Ollama’s servers', () => {
  let bench: AgentBench;
  const asked: string[] = [];
  const start = async (isAgreed: boolean, options: BenchOptions = {}) => {
    asked.length = 0;
    bench = await AgentBench.start({
      models,
      askForCloud: async (model) => {
        asked.push(model);
        // Nothing is sent while the question is open.
        assert.deepEqual(bench.chats(), []);
        return isAgreed;
      },
      ...options,
    });
  };
  afterEach(() => bench.stop());

  it('is asked about once a session before anything goes out, and the log keeps the answer', async () => {
    await start(true);
    bench.double.script.push('One.', 'Two.');
    const sessionId = await bench.ask('Hello', { mode: 'ask', model: 'big:120b-cloud' });
    await bench.ask('And again', { mode: 'ask', model: 'big:120b-cloud', sessionId });
    assert.deepEqual(asked, ['big:120b-cloud']);
    assert.equal(bench.chats().length, 2);
    const seen = await bench.seen(sessionId);
    assert.equal(
      seen.filter((line) => line.includes('You agreed to send this chat to Ollama’s servers, where big:120b-cloud runs')).length,
      1,
    );
    assert.ok(!JSON.stringify(bench.chats()).includes('You agreed'), 'the model is not told');
  });

  it('gets nothing without a yes; the message is kept, with the ways on', async () => {
    await start(false);
    const sessionId = await bench.ask('A secret', { mode: 'ask', model: 'big:120b-cloud' });
    assert.deepEqual(bench.chats(), []);
    const seen = (await bench.seen(sessionId)).join('\n');
    assert.match(seen, /A secret/);
    assert.match(seen, /error cloudDeclined \{selectModel, retry\}: Nothing was sent/);
  });

  it('is asked about when a session changes to it', async () => {
    await start(false, { askForCloud: async (model) => asked.push(model) === 0 });
    bench.double.script.push('From here.');
    const sessionId = await bench.ask('Hello', { mode: 'ask', model: 'worker' });
    assert.deepEqual(asked, []);
    await bench.ask('And now you', { mode: 'ask', model: 'big:120b-cloud', sessionId });
    assert.deepEqual(asked, ['big:120b-cloud']);
    assert.equal(bench.chats().length, 1);
  });
});
