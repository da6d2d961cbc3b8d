import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import { AgentBench } from '../support/agentBench';
import { until } from '../../../support/until';

const models: ModelSpec[] = [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 32_768 }];

describe('search_codebase', () => {
  let bench: AgentBench;
  beforeEach(async () => {
    bench = await AgentBench.start({ models });
    await writeFile(bench.file('prices.py'), 'def total_price(items):\n    return sum(items)\n');
    await writeFile(bench.file('secret.py'), 'def price_key():\n    return 1\n');
  });
  afterEach(() => bench.stop());

  /** Runs one search and returns the result for the model. */
  async function search(query: string): Promise<string> {
    bench.double.script.push({ steps: [{ call: { name: 'search_codebase', arguments: { query } } }] }, 'Done. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Look');
    const { entries } = await bench.database.log.read(sessionId, 0);
    return entries.findLast(({ type }) => type === 'tool_result')?.content ?? '';
  }

  it('tells the model of pieces of code with their places', async () => {
    assert.match(await search('total price of items'), /^prices\.py:1-3 \(total_price\)\ndef total_price/);
  });

  it('finds what the agent has just written', async () => {
    await search('anything');
    bench.double.script.push(
      { steps: [{ call: { name: 'create_file', arguments: { path: 'new.py', content: 'def zebra_crossing():\n    pass\n' } } }] },
      'Done. [TASK_COMPLETE]',
    );
    await bench.ask('Write');
    assert.match(await search('zebra crossing'), /^new\.py:1-3/);
  });

  it('finds what somebody else has written between two messages, where nobody watches the files', async () => {
    await bench.stop();
    bench = await AgentBench.start({ models, hasCheckpoints: true });
    await search('anything');
    await writeFile(bench.file('other.py'), 'def yak_shaving():\n    pass\n');
    await search('anything');
    const found = async () => (await bench.codebase.find('yak shaving', 5, new AbortController().signal)).finds.length;
    await until(async () => (await found()) > 0);
    assert.match(await search('yak shaving'), /^other\.py:1-3/);
  });

  it('leaves out what a person has listed as sensitive', async () => {
    await bench.stop();
    bench = await AgentBench.start({ models, settings: { 'agent.sensitiveFilePatterns': { 'secret.py': false } } });
    await writeFile(bench.file('secret.py'), 'def price_key():\n    return 1\n');
    assert.equal(await search('price key'), 'Nothing found for price key.');
  });
});
