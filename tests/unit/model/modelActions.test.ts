import assert from 'node:assert/strict';
import type { PullState } from '../../../src/protocol/webviewEvents';
import { ModelActions } from '../../../src/services/model/catalogue/modelActions';
import { OllamaClient } from '../../../src/services/model/client/ollamaClient';
import { PullMeter } from '../../../src/services/model/catalogue/pullMeter';
import { isOnThisMachine } from '../../../src/types/httpAddress';
import { suggestionsAsOf, suggestModels } from '../../../src/services/model/catalogue/suggestedModels';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { OllamaDouble } from '../../support/ollama/double';

describe('what changes the models of a server', () => {
  let double: OllamaDouble;
  let client: OllamaClient;
  let actions: ModelActions;
  let refreshes: number;
  let heard: PullState[][];

  beforeEach(async () => {
    double = await OllamaDouble.start({ models: [{ name: 'here:1b' }], pullable: [{ name: 'new:1b' }], pullDelayMs: 60 });
    const { url } = double;
    client = new OllamaClient({
      baseUrl: () => url,
      token: () => Promise.resolve(undefined),
      clock: { ...systemClock, sleep: () => Promise.resolve() },
      logger: silentLogger,
    });
    refreshes = 0;
    heard = [];
    const refresh = () => Promise.resolve(void (refreshes += 1));
    actions = new ModelActions(client, refresh, systemClock, silentLogger);
    actions.onDidChange((pulls) => heard.push(pulls));
  });

  afterEach(async () => {
    actions.dispose();
    client.dispose();
    await double.close();
  });

  const names = async () => (await client.listModels()).map(({ name }) => name).sort();

  it('pull a model, tell how far it is, and have the list asked again', async () => {
    const end = await actions.pull(' ollama pull new:1b ');
    assert.deepEqual([end.name, end.status, end.message], ['new:1b', 'done', null]);
    assert.ok(end.total !== null && end.completed === end.total);
    const states = heard.flat().map(({ status }) => status);
    assert.ok(states.includes('starting') && states.includes('pulling'));
    assert.deepEqual([actions.state, heard.at(-1), refreshes], [[], [], 1]);
    assert.deepEqual(await names(), ['here:1b', 'new:1b']);
  });

  it('tell at once that a model is coming, however slowly it comes then', async () => {
    double.intercept((request, response) => {
      if (request.url !== '/api/pull') return false;
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write('{"status":"pulling abc","digest":"sha256:abc","total":1000,"completed":420}\n');
      return true;
    });
    const told = new Promise<PullState | undefined>((resolve) =>
      actions.onDidChange(([pull]) => pull?.status === 'pulling' && resolve(pull)),
    );
    const end = actions.pull('new:1b');
    const pull = await told;
    assert.deepEqual([pull?.completed, pull?.total], [420, 1000]);
    actions.cancel('new:1b');
    assert.equal((await end).status, 'cancelled');
  });

  it('share one pull of one model', async () => {
    const [one, two] = await Promise.all([actions.pull('new:1b'), actions.pull('new:1b')]);
    assert.equal(one, two);
    assert.equal(double.requestsTo('/api/pull').length, 1);
  });

  it('cancel a pull by closing its connection', async () => {
    double.intercept(({ url }) => url === '/api/pull');
    const pull = actions.pull('new:1b');
    await double.until(() => double.requestsTo('/api/pull').length === 1);
    actions.cancel('new:1b');
    assert.equal((await pull).status, 'cancelled');
    await double.until(() => double.openStreams === 0);
    assert.equal(double.requestsTo('/api/pull')[0]?.aborted, true);
    assert.deepEqual([actions.state, refreshes, await names()], [[], 0, ['here:1b']]);
  });

  it('keep a failed pull with its reason until it is tried again or dismissed', async () => {
    const end = await actions.pull('nobody/knows:it');
    assert.deepEqual([end.status, end.message], ['failed', 'The model “nobody/knows:it” was not found. Check the name.']);
    assert.deepEqual(actions.state, [end]);
    assert.equal((await actions.pull('nobody/knows:it')).status, 'failed');
    assert.equal(double.requestsTo('/api/pull').length, 2);
    actions.cancel('nobody/knows:it');
    assert.deepEqual(actions.state, []);
  });

  it('say when the server is gone', async () => {
    await double.close();
    const end = await actions.pull('new:1b');
    assert.equal(end.status, 'failed');
    assert.match(end.message ?? '', /did not answer|not be reached|Start/i);
  });

  it('refuse what cannot be a name', async () => {
    for (const text of ['', ' ', '-x', 'a b', 'x;rm', '../x\u0000', 'a'.repeat(300)]) {
      await assert.rejects(actions.pull(text), { code: 'modelName' });
    }
    assert.equal(double.requests.length, 0);
  });

  it('delete and unload', async () => {
    await client.load({ model: 'here:1b', options: { num_ctx: 2048 }, keep_alive: '5m' });
    assert.equal((await client.getRunningModels()).length, 1);
    await actions.unload('here:1b');
    assert.deepEqual(await client.getRunningModels(), []);
    await actions.delete('here:1b');
    assert.deepEqual([await names(), refreshes], [[], 2]);
    await assert.rejects(actions.delete('here:1b'), { code: 'modelNotFound' });
  });
});

describe('PullMeter', () => {
  it('adds up the layers, and tells a rate after a second', () => {
    const meter = new PullMeter();
    assert.deepEqual(meter.take({ status: 'pulling manifest' }, 0), { completed: 0, total: null, bytesPerSecond: null });
    meter.take({ status: 'pulling a', digest: 'a', total: 100, completed: 50 }, 0);
    meter.take({ status: 'pulling b', digest: 'b', total: 300 }, 500);
    assert.deepEqual(meter.take({ status: 'pulling b', digest: 'b', total: 300, completed: 150 }, 2000), {
      completed: 200,
      total: 400,
      bytesPerSecond: 100,
    });
  });
});

describe('suggested models', () => {
  it('fit the memory, the most able first', () => {
    const cases: [number | null, string[]][] = [
      [1e9, ['qwen3:0.6b']],
      [8e9, ['qwen3:8b', 'qwen3:4b', 'qwen3:1.7b']],
      [null, ['qwen3:14b', 'qwen3:8b', 'qwen3:4b']],
      [128e9, ['gpt-oss:120b', 'qwen3-coder:30b', 'qwen3:14b']],
    ];
    for (const [memory, expected] of cases) {
      assert.deepEqual(
        suggestModels(memory).map(({ name }) => name),
        expected,
      );
    }
  });

  it('fit the measured memory of the GPU, which nothing else needs', () => {
    const names = (...asked: Parameters<typeof suggestModels>) => suggestModels(...asked).map(({ name }) => name);
    assert.deepEqual(names(7.5e9, 'gpu'), ['qwen3:8b', 'qwen3:4b', 'qwen3:1.7b']);
    assert.deepEqual(names(7.5e9, 'computer'), ['qwen3:4b', 'qwen3:1.7b', 'qwen3:0.6b']);
    assert.match(suggestionsAsOf, /^20\d\d-(0[1-9]|1[0-2])$/);
  });

  it('are for this machine only where the server is on it', () => {
    for (const address of ['http://localhost:11434', 'http://127.0.0.1:1', 'http://[::1]:1/', 'http://0.0.0.0:11434'])
      assert.equal(isOnThisMachine(address), true, address);
    for (const address of ['http://192.168.0.2:11434', 'https://localhost.example.org', 'nonsense'])
      assert.equal(isOnThisMachine(address), false, address);
  });
});
