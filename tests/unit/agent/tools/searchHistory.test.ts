import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { AgentBench } from '../support/agentBench';

describe('search_history', () => {
  let bench: AgentBench;
  beforeEach(async () => {
    const models = [
      { name: 'worker', capabilities: ['completion', 'tools'] as const, contextLength: 32_768 },
      { name: 'all-minilm', capabilities: ['embedding'] as const },
    ];
    bench = await AgentBench.start({ models, settings: { 'embedding.model': 'all-minilm' } });
  });
  afterEach(() => bench.stop());

  /** The model asks once, and what it is told comes back. */
  async function search(query: string): Promise<string> {
    bench.double.script.push({ steps: [{ call: { name: 'search_history', arguments: { query } } }] }, 'Done. [TASK_COMPLETE]');
    const sessionId = await bench.ask('Look');
    const { entries } = await bench.database.log.read(sessionId, 0);
    return entries.findLast(({ type }) => type === 'tool_result')?.content ?? '';
  }

  it('is made ready, as the index of the workspace is, when the server has told of its models', async () => {
    await writeFile(bench.file('prices.py'), 'def total_price(items):\n    return sum(items)\n');
    const { id } = await bench.database.sessions.create({ title: '', mode: 'ask', model: null, projectPath: null });
    await bench.database.log.append(id, {
      type: 'user_input',
      content: 'Where is the sum?',
      data: { mode: 'ask', attachments: [] },
    });
    bench.codebase.begin();
    bench.messages.startInit();
    await bench.codebase.settled();
    await bench.codebase.embed();
    await bench.messages.indexMessages();
    assert.equal((await bench.codebase.status()).vectors, 0, 'nobody knows yet which models there are');
    bench.codebase.pause(true);
    await bench.models.refresh();
    await setTimeout(200);
    assert.deepEqual(
      await Promise.all([bench.codebase.status(), bench.messages.state()]).then((all) => all.map(({ vectors }) => vectors)),
      [0, 0],
    );
    bench.codebase.pause(false);
    const vectors = async () => [(await bench.codebase.status()).vectors, (await bench.messages.state()).vectors];
    for (let tries = 0; tries < 100 && (await vectors()).includes(0); tries += 1) await setTimeout(50);
    assert.deepEqual(await vectors(), [1, 1]);
  });

  it('tells the model what was said in other conversations, and nothing of deleted ones', async () => {
    bench.double.script.push('Use port 4711. [TASK_COMPLETE]');
    const earlier = await bench.ask('Which port does the staging server have?');
    await bench.messages.indexMessages();
    const told = await search('port of staging');
    assert.match(told, /^In “Which port does the staging server have\?”: /m);
    assert.match(told, /Use port 4711/);
    await bench.database.sessions.delete(earlier);
    assert.doesNotMatch(await search('port of staging'), /4711/);
  });
});
