import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { AgentBench } from '../support/agentBench';

describe('the statistics of changed files', () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  const write = (content: string) => ({ call: { name: 'write_file', arguments: { path: 'a.txt', content } } });
  const counted = async () => (await bench.database.statistics(0)).edits;

  it('count the changes of a chat that names no model, such as an inline chat, by the model that made them', async () => {
    bench = await AgentBench.start({});
    await writeFile(bench.file('a.txt'), 'alpha\n');
    bench.double.script.push([write('beta\n')], 'Written.');
    const sessionId = await bench.ask('Write beta', { model: null });
    assert.deepEqual(await counted(), [{ model: 'worker:latest', kept: 0, undone: 0, pending: 1 }]);
    await bench.changes.keep(sessionId, null);
    assert.deepEqual(await counted(), [{ model: 'worker:latest', kept: 1, undone: 0, pending: 0 }]);
  });

  it('count the changes of one chat by the model of each message', async () => {
    bench = await AgentBench.start({ models: [{ name: 'worker' }, { name: 'other' }] });
    await writeFile(bench.file('a.txt'), 'alpha\n');
    bench.double.script.push([write('beta\n')], 'Written.', [write('gamma\n')], 'Written.');
    const sessionId = await bench.ask('Write beta');
    await bench.changes.keep(sessionId, null);
    await bench.ask('Write gamma', { model: 'other', sessionId });
    assert.deepEqual(
      new Set(await counted()),
      new Set([
        { model: 'worker', kept: 1, undone: 0, pending: 0 },
        { model: 'other', kept: 0, undone: 0, pending: 1 },
      ]),
    );
  });
});
