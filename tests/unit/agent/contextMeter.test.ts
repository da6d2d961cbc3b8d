import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { AgentBench, type BenchOptions } from './support/agentBench';

describe('the context meter', () => {
  let bench: AgentBench;
  const start = async (options?: BenchOptions) => (bench = await AgentBench.start(options));
  afterEach(() => bench?.stop());

  const use = async (sessionId: string | null, mode: 'agent' | 'ask' = 'agent', model = 'worker') => {
    const { entries } = sessionId === null ? { entries: [] } : await bench.database.log.read(sessionId, 0);
    return bench.meter.use({ sessionId, mode, model, entries, loaded: () => ({ window: 4096, gpuShare: 1 }) });
  };

  it('estimates a chat that has not begun: system prompt and tools, tools only where they are offered', async () => {
    await start({
      models: [
        { name: 'worker', capabilities: ['completion', 'tools'] },
        { name: 'talker', capabilities: ['completion'] },
      ],
    });
    bench.double.script.push('Hello.');
    await bench.ask('Go', { mode: 'ask' });
    const [agent, ask] = [await use(null), await use(null, 'ask')];
    assert.deepEqual([agent?.window, agent?.loaded?.window, agent?.isMeasured], [8192, 4096, false]);
    assert.equal((agent?.used ?? 0) > (ask?.used ?? 0), true);
    assert.equal((ask?.used ?? 0) > 2 * ((await use(null, 'ask', 'talker'))?.used ?? 0), true);
    assert.deepEqual(await use(null, 'ask', 'nobody'), null);
  });

  it('shows what the server measured once it has answered, and again after a restart', async () => {
    await start();
    bench.double.script.push({ steps: ['Hello.'], metrics: { prompt_eval_count: 700, eval_count: 40 } });
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    const shown = await use(sessionId, 'ask');
    assert.deepEqual([shown?.used, shown?.isMeasured], [740, true]);
    const { entries } = await bench.database.log.read(sessionId, 0);
    assert.equal(
      entries.some(({ type, data }) => type === 'assistant_output' && JSON.stringify(data).includes('700')),
      true,
    );
  });

  it('is measured after each answer of an agent too, also one without text, and tells so', async () => {
    await start();
    await writeFile(bench.file('a.txt'), 'alpha\n'.repeat(50));
    const readIt = { call: { name: 'read_file', arguments: { path: 'a.txt' } } };
    bench.double.script.push(
      { steps: [readIt], metrics: { prompt_eval_count: 900, eval_count: 20 } },
      { steps: ['Good.'], metrics: { prompt_eval_count: 1300, eval_count: 10 } },
    );
    const told: string[] = [];
    bench.meter.onDidMeasure(({ sessionId }) => told.push(sessionId));
    const sessionId = await bench.ask('Go');
    assert.deepEqual(told, [sessionId, sessionId]);
    const shown = await use(sessionId);
    assert.deepEqual([shown?.used, shown?.isMeasured], [1310, true]);
    assert.equal(
      shown?.parts.some(({ kind, tokens }) => kind === 'toolResults' && tokens > 0),
      true,
    );
  });

  it('never lets what the server has loaded change what is asked for', async () => {
    await start();
    bench.double.script.push('One.');
    const sessionId = await bench.ask('Go', { mode: 'ask' });
    assert.equal((await use(sessionId, 'ask'))?.loaded?.window, 4096);
    bench.double.script.push('Two.');
    await bench.ask('Go on', { mode: 'ask', sessionId });
    assert.deepEqual(
      bench.chats().map(({ options }) => (options as { num_ctx: number }).num_ctx),
      [8192, 8192],
    );
  });
});
