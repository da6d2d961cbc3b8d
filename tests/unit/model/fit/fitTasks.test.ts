import assert from 'node:assert/strict';
import type { FitState } from '../../../../src/protocol/requests/fitRequests';
import { noFigures } from '../../../../src/types/modelFigures';
import type { AppError } from '../../../../src/utils/errors';
import { OllamaDouble } from '../../../support/ollama/double';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import { rejection } from '../support/client';
import { FitBench } from '../support/fitBench';

const perToken = 131_072;
const llama = {
  'llama.block_count': 32,
  'llama.attention.head_count': 32,
  'llama.attention.head_count_kv': 8,
  'llama.attention.key_length': 128,
  'llama.attention.value_length': 128,
};
/** Model with room for 20,000 tokens in GPU memory. */
const spec: ModelSpec = {
  name: 'm',
  size: 5e9,
  contextLength: 131_072,
  modelInfo: llama,
  memoryAt: (window) => ({
    size: 5e9 + window * perToken,
    vram: Math.min(5e9 + window * perToken, 5e9 + 20_000 * perToken),
  }),
};

describe('Measuring a model', () => {
  let double: OllamaDouble;
  let bench: FitBench;

  const start = async (more: Partial<ModelSpec> = {}) => {
    double = await OllamaDouble.start({
      models: [
        { ...spec, ...more },
        { name: 'embed', capabilities: ['embedding'] },
      ],
    });
    double.onChat(() => 'word '.repeat(40));
    bench = new FitBench(double.url);
  };
  afterEach(async () => {
    bench.stop();
    await double.close();
  });

  it('loads it anew, and lets it answer a short and a long prompt that no cache has', async () => {
    await start();
    await bench.client.load({ model: 'm', options: { num_ctx: 2048 }, keep_alive: '5m' });
    const steps: (FitState | null)[] = [];
    bench.fit.onDidChange((state) => steps.push(state));
    assert.equal(await bench.fit.measure('m'), true);
    const { loadMs, short, long, memory, cache } = await bench.measured('m');
    assert.ok(loadMs !== null);
    assert.ok((short?.promptRate ?? 0) > 0 && (short?.answerRate ?? 0) > 0 && (short?.promptTokens ?? 0) < 2048);
    assert.ok((long?.promptRate ?? 0) > 0 && (long?.answerRate ?? 0) > 0 && (long?.promptTokens ?? 0) >= 2048);
    assert.deepEqual(memory, { size: 5e9 + 16_384 * perToken, vram: 5e9 + 16_384 * perToken, window: 16_384 });
    assert.deepEqual(cache, { bytesPerToken: perToken, isUpperBound: false });
    assert.deepEqual(
      double.loads.map(({ contextLength }) => contextLength),
      [2048, 16_384],
    );
    const prompts = double.requestsTo('/api/chat').flatMap(({ body }) => (body as { messages: { content: string }[] }).messages);
    assert.equal(new Set(prompts.map(({ content }) => content.slice(0, 36))).size, prompts.length);
    assert.deepEqual(steps.at(-1), null);
    assert.deepEqual(steps.at(-2), { model: 'm', kind: 'measure', step: 3, of: 3 });
  });

  it('finds the largest window in at most five loads, and keeps it', async () => {
    await start();
    const found = await bench.fit.findWindow('m');
    assert.ok(found?.tokens != null && found.tokens <= 20_000 && found.tokens >= 18_000, String(found?.tokens));
    assert.ok(double.loads.length === found.loads && found.loads <= 5);
    assert.deepEqual((await bench.measured('m')).largest, { tokens: found.tokens });
  });

  it('claims no window where the server has no GPU', async () => {
    await start({ memoryAt: () => ({ size: 6e9, vram: 0 }) });
    assert.deepEqual(await bench.fit.findWindow('m'), { tokens: null, loads: 2, hasGpu: false });
    assert.equal((await bench.measured('m')).largest, null);
  });

  it('is cancelled in the middle of a load, which the server drops', async () => {
    await start({ loadDelayMs: 600_000 });
    const finding = bench.fit.findWindow('m');
    await double.until(() => double.requestsTo('/api/chat').length === 1);
    bench.fit.cancel();
    assert.equal(await finding, null);
    assert.equal(bench.fit.state, null);
    await double.until(() => double.aborted.length === 1);
    assert.deepEqual([double.loads, (await bench.measured('m')).largest], [[], null]);
  });

  it('does not begin beside a chat or another measurement, nor with a model that cannot chat', async () => {
    await start({ loadDelayMs: 600_000 });
    bench.arbiter.trackRun({ sessionId: 's', state: 'running' }, () => Promise.resolve('m'));
    assert.match(((await rejection(bench.fit.measure('m'))) as AppError).userMessage, /^A chat is using the server/);
    bench.arbiter.trackRun({ sessionId: 's', state: 'idle' }, () => Promise.resolve('m'));
    assert.match(((await rejection(bench.fit.measure('embed'))) as AppError).userMessage, /cannot be measured/);
    const going = bench.fit.measure('m');
    assert.match(((await rejection(bench.fit.findWindow('m'))) as AppError).userMessage, /^Another measurement is running/);
    bench.fit.cancel();
    assert.equal(await going, false);
  });

  it('sets a window for one model, which is loaded by nothing', async () => {
    await start();
    await bench.fit.setWindow('m', 18_432);
    assert.deepEqual([bench.own, await bench.measured('m')], [[18_432], { ...noFigures, ownWindow: 18_432 }]);
    await bench.fit.setWindow('m', null);
    assert.deepEqual([bench.own, (await bench.measured('m')).ownWindow, double.loads], [[18_432, null], null, []]);
  });

  it('plans what chat, suggestions and search need together, and unloads a model', async () => {
    const fim: ModelSpec = { name: 'fim', size: 1e9, capabilities: ['completion', 'insert'], modelInfo: llama };
    const embed: ModelSpec = { name: 'embed', size: 3e8, capabilities: ['embedding'] };
    double = await OllamaDouble.start({ models: [{ ...spec, capabilities: ['completion', 'tools'] }, fim, embed] });
    bench = new FitBench(double.url);
    Object.assign(bench.settings, { 'completionMode.model': 'fim', 'embedding.model': 'embed' });
    for (const mode of ['agent', 'plan', 'ask', 'edit']) bench.settings[`${mode}Mode.model`] = 'm';
    await bench.catalog.refresh();
    const { loads } = double;
    assert.deepEqual(
      (await bench.planner.plan()).models.map(({ name, uses, bytes, certainty, isLoaded }) => [
        ...[name, uses.join(), bytes, certainty, isLoaded],
      ]),
      [
        ['m:latest', 'agent,plan,ask,edit', 5e9 + 16_384 * perToken, 'estimated', false],
        ['fim:latest', 'completion', 1e9 + 8192 * perToken, 'estimated', false],
        ['embed:latest', 'embedding', 3e8, 'atLeast', false],
      ],
    );
    assert.deepEqual([...loads], [], 'a plan loads nothing');
    // Fills the GPU memory, so that its size is known.
    await bench.client.load({ model: 'm', options: { num_ctx: 32_768 }, keep_alive: '5m' });
    bench.window = 32_768;
    const { models, room, evicted, isTooLarge } = await bench.planner.plan();
    assert.deepEqual(models[0], {
      name: 'm:latest',
      uses: ['agent', 'plan', 'ask', 'edit'],
      isLoaded: true,
      bytes: 5e9 + 32_768 * perToken,
      certainty: 'measured',
    });
    assert.deepEqual(room, { bytes: 5e9 + 20_000 * perToken, kind: 'gpu' });
    assert.deepEqual([evicted, isTooLarge], [['embed:latest', 'fim:latest'], true]);
    await bench.actions.unload('m:latest');
    assert.deepEqual([double.registry.running(), (await bench.planner.plan()).models[0]?.isLoaded], [[], false]);
  });
});
