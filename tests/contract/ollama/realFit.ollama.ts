import assert from 'node:assert/strict';
import { RealServer } from '../../support/ollama/realServer';
import { FitBench } from '../../unit/model/support/fitBench';

const server = RealServer.named();
if (!server) throw new Error('OLLAMA_HOST names no server; `npm run test:ollama` starts one.');
const { baseUrl } = server;
const first = 'oc-chat:latest';
const second = 'oc-insert:latest';

/** Measurements of two tiny models on a real server without a GPU. */
describe('Hardware fit on a real Ollama', function () {
  // A tiny model on a busy machine can take a minute to read its first prompt.
  this.timeout(600_000);
  let bench: FitBench;
  beforeEach(() => {
    bench = new FitBench(baseUrl);
    bench.window = 8192;
  });
  afterEach(() => bench.stop());

  for (const model of [first, second])
    it(`measures ${model}: load, two lengths of prompts, memory, cache`, async () => {
      assert.equal(await bench.fit.measure(model), true);
      const { loadMs, short, long, memory, cache } = await bench.measured(model);
      assert.ok(loadMs !== null && loadMs > 0);
      assert.ok((short?.promptTokens ?? Infinity) < 2048 && (short?.promptRate ?? 0) > 0, JSON.stringify(short));
      assert.ok((long?.promptTokens ?? 0) >= 2048 && (long?.promptRate ?? 0) > 0, JSON.stringify(long));
      // A tiny model may end its answer after one word, which is too short to measure the speed.
      for (const { answerRate } of [short, long].filter((one) => one !== null)) assert.ok(answerRate === null || answerRate > 0);
      assert.ok(memory !== null && memory.size > 0 && memory.vram === 0 && memory.window === 8192, JSON.stringify(memory));
      // SmolLM2-135M has 30 layers, and 3 key and value heads of size 64.
      assert.deepEqual(cache, { bytesPerToken: 30 * 3 * (64 + 64) * 2, isUpperBound: false });
    });

  it('computes the memory of another window as the server reports it', async () => {
    const load = async (window: number) => {
      await bench.client.load({ model: first, options: { num_ctx: window }, keep_alive: '5m' });
      await bench.catalog.refreshLoaded();
      return (await bench.measured(first)).memory;
    };
    const small = await load(2048);
    const large = await load(8192);
    const { bytesPerToken = 0 } = (await bench.models.readCacheSize(await bench.models.get(first))) ?? {};
    const grown = (large?.size ?? 0) - (small?.size ?? 0);
    const computed = 6144 * bytesPerToken;
    assert.ok(Math.abs(grown - computed) < 0.5 * computed, `${grown} bytes more, ${computed} computed`);
  });

  it('claims no window, after two loads', async () => {
    assert.deepEqual(await bench.fit.findWindow(first), { tokens: null, loads: 2, hasGpu: false });
    assert.equal((await bench.measured(first)).largest, null);
  });

  it('plans both models and search, and unloads one', async () => {
    Object.assign(bench.settings, { 'embedding.model': 'oc-embed' });
    for (const mode of ['agent', 'plan', 'edit']) bench.settings[`${mode}Mode.model`] = second;
    bench.settings['askMode.model'] = first;
    await bench.catalog.refresh();
    await bench.client.load({ model: first, options: { num_ctx: 8192 }, keep_alive: '5m' });
    const { models, room } = await bench.planner.plan();
    assert.deepEqual(
      models.map(({ name, uses }) => [name, uses.join()]),
      [
        [second, 'agent,plan,edit'],
        [first, 'ask'],
        ['oc-embed:latest', 'embedding'],
      ],
    );
    const loaded = models[1];
    assert.deepEqual([loaded?.isLoaded, loaded?.certainty, room?.kind], [true, 'measured', 'computer']);
    await bench.actions.unload(first);
    assert.ok(!bench.catalog.loadedModels.some(({ name }) => name === first));
  });
});
