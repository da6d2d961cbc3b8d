import assert from 'node:assert/strict';
import { ModelManager } from '../../../src/services/model/catalogue/modelManager';
import type { OllamaClient } from '../../../src/services/model/client/ollamaClient';
import { ConnectionError, ModelNotFoundError, OllamaError } from '../../../src/services/model/client/ollamaErrors';
import type { ModelInfo, ModelList } from '../../../src/types/model';
import { CancelledError } from '../../../src/utils/errors';
import { silentLogger } from '../../../src/utils/logger';
import { makeClient, rejection } from './support/client';
import { Gate } from './support/gate';
import { MemoryModelStore } from './support/memoryModelStore';
import { ModelServer, type ServedModel } from './support/modelServer';
import { RecordingClock } from './support/recordingClock';

const noCapabilities = { chat: false, fim: false, tools: false, vision: false, embedding: false, thinking: false };
const chatOnly = { ...noCapabilities, chat: true };

describe('ModelManager', () => {
  let server: ModelServer;
  let store: MemoryModelStore;
  let client: OllamaClient;
  let clock: RecordingClock;
  let manager: ModelManager;

  const serve = async (models: Record<string, ServedModel>) => {
    server = new ModelServer(models);
    ({ client } = makeClient(await server.start()));
    store = new MemoryModelStore();
    clock = new RecordingClock();
    manager = restarted();
  };
  /** Returns a manager as in a later session, with the same store and server. */
  const restarted = () => new ModelManager(client, store, clock, silentLogger);
  const names = (list: ModelList) => list.models.map((model) => model.name);

  afterEach(async () => {
    client.dispose();
    await server.stop();
  });

  it('tells what list and show say together, show being right about capabilities', async () => {
    await serve({
      'qwen3:8b': {
        digest: 'd1',
        capabilities: ['completion', 'tools'],
        contextLength: 40960,
        parameters: 'stop      "<|im_end|>"',
      },
    });
    const expected: ModelInfo = {
      name: 'qwen3:8b',
      digest: 'd1',
      size: 5,
      family: 'llama',
      parameterSize: '8B',
      quantization: 'Q4_0',
      capabilities: { ...chatOnly, tools: true },
      contextLength: 40960,
      stop: ['<|im_end|>'],
      ownOptions: ['stop'],
      enabled: true,
      thinking: null,
      think: null,
      families: [],
      modifiedAt: 'x',
    };
    assert.deepEqual(await manager.refresh(), { models: [expected], stale: false, fetchedAt: 1000 });
    assert.deepEqual(store.models, [expected]);
    assert.equal(manager.lastError, null);
  });

  it('keeps at most four show calls in flight, and reaches four', async () => {
    await serve(Object.fromEntries(Array.from({ length: 13 }, (_, i) => [`m${i}`, { digest: `d${i}` }])));
    const four = new Gate();
    server.beforeShow = async () => {
      if (server.mostShowsAtOnce === 4) four.open();
      await four.opened;
      // Allows time for a fifth request, which must not arrive.
      await new Promise((resolve) => setTimeout(resolve, 10));
    };
    assert.equal((await manager.refresh()).models.length, 13);
    assert.equal(server.shown.length, 13);
    assert.equal(server.mostShowsAtOnce, 4);
  });

  it('shows only digests it does not know, in later sessions too', async () => {
    await serve({ a: { digest: 'd1', capabilities: ['completion', 'vision'] }, b: { digest: 'd2' } });
    await manager.refresh();
    await manager.refresh();
    assert.deepEqual(server.shown.toSorted(), ['a', 'b']);
    server.models['b'] = { digest: 'd3', capabilities: ['embedding'] };
    const list = await restarted().refresh();
    assert.deepEqual(server.shown.toSorted(), ['a', 'b', 'b']);
    assert.deepEqual(
      list.models.map((model) => model.capabilities),
      [
        { ...chatOnly, vision: true },
        { ...noCapabilities, embedding: true },
      ],
    );
  });

  it('asks once more for a model of which an earlier version did not store what options it sets', async () => {
    await serve({ a: { digest: 'd1', parameters: 'repeat_penalty                 1.2\nstop                           "x"' } });
    await manager.refresh();
    for (const model of store.models) model.ownOptions = null;
    manager = restarted();
    assert.deepEqual((await manager.get('a')).ownOptions, ['repeat_penalty', 'stop']);
    await manager.refresh();
    assert.equal(server.shown.length, 2);
  });

  it('shows one digest once for all its names', async () => {
    await serve({ a: { digest: 'same', contextLength: 7 }, b: { digest: 'same', contextLength: 7 } });
    assert.deepEqual(
      (await manager.refresh()).models.map((model) => model.contextLength),
      [7, 7],
    );
    assert.equal(server.shown.length, 1);
  });

  it('drops models that the server no longer has', async () => {
    await serve({ a: { digest: 'd1' }, b: { digest: 'd2' } });
    await manager.refresh();
    delete server.models['a'];
    assert.deepEqual(names(await manager.refresh()), ['b']);
    assert.deepEqual(
      store.models.map((model) => model.name),
      ['b'],
    );
  });

  describe('when one model cannot be shown', () => {
    it('keeps the list, with chat only for a model never shown', async () => {
      await serve({ a: { digest: 'd1', showStatus: 400 }, b: { digest: 'd2', capabilities: ['completion', 'tools'] } });
      const list = await manager.refresh();
      assert.deepEqual(
        list.models.map((model) => [model.name, model.digest, model.capabilities]),
        [
          ['a', 'd1', chatOnly],
          ['b', 'd2', { ...chatOnly, tools: true }],
        ],
      );
      assert.deepEqual([list.stale, manager.lastError], [false, null]);
    });

    it('never passes for one that can do nothing: it is asked for again, and why it could not be is told', async () => {
      await serve({ a: { digest: 'd1', showStatus: 400 } });
      await manager.refresh();
      assert.equal((await rejection(manager.get('a'))) instanceof OllamaError, true);
      server.models['a'] = { digest: 'd1', capabilities: ['completion', 'tools'], contextLength: 9 };
      const model = await manager.get('a');
      assert.deepEqual([model.capabilities.tools, model.contextLength, server.shown.length], [true, 9, 3]);
    });

    it('keeps what was known of an earlier digest', async () => {
      await serve({ a: { digest: 'd1', capabilities: ['completion', 'tools'], contextLength: 9 } });
      await manager.refresh();
      server.models['a'] = { digest: 'd2', showStatus: 400 };
      const [model] = (await manager.refresh()).models;
      assert.deepEqual([model?.digest, model?.capabilities.tools, model?.contextLength], ['d2', true, 9]);
    });

    it('asks again at the next refresh, also in a later session', async () => {
      await serve({ a: { digest: 'd1', showStatus: 400 } });
      await manager.refresh();
      await manager.refresh();
      assert.equal(server.shown.length, 2);
      server.models['a'] = { digest: 'd1', capabilities: ['completion', 'tools'] };
      const [model] = (await restarted().refresh()).models;
      assert.deepEqual([model?.digest, model?.capabilities.tools], ['d1', true]);
    });

    it('does not ask for the others in vain when the token is refused', async () => {
      await serve(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`m${i}`, { digest: `d${i}`, showStatus: 401 }])));
      assert.equal((await manager.refresh()).models.length, 9);
      assert.equal(server.shown.length, 4);
    });
  });

  describe('when the server does not answer', () => {
    it('gives the last list as stale, with the reason', async () => {
      await serve({ a: { digest: 'd1' } });
      await manager.refresh();
      await server.stop();
      const list = await manager.refresh();
      assert.deepEqual([names(list), list.stale, list.fetchedAt], [['a'], true, 1000]);
      assert.ok(manager.lastError instanceof ConnectionError);
    });

    it('gives the list of an earlier session as stale', async () => {
      await serve({ a: { digest: 'd1' } });
      await manager.refresh();
      await server.stop();
      const list = await restarted().refresh();
      assert.deepEqual([names(list), list.stale, list.fetchedAt], [['a'], true, 1000]);
    });

    it('gives a fresh list once it answers again', async () => {
      await serve({ a: { digest: 'd1' } });
      const { port } = server;
      await server.stop();
      assert.deepEqual(await manager.refresh(), { models: [], stale: true, fetchedAt: null });
      await server.start(port);
      assert.deepEqual([names(await manager.refresh()), (await manager.list()).stale, manager.lastError], [['a'], false, null]);
    });
  });

  it('lists without asking the server: from memory, else the stored list as stale', async () => {
    await serve({ a: { digest: 'd1' } });
    assert.deepEqual(await manager.list(), { models: [], stale: true, fetchedAt: null });
    await manager.refresh();
    const { lists } = server;
    assert.equal((await manager.list()).stale, false);
    assert.deepEqual([names(await restarted().list()), (await restarted().list()).stale], [['a'], true]);
    assert.equal(server.lists, lists);
  });

  it('shares one question between refreshes that overlap', async () => {
    await serve({ a: { digest: 'd1' } });
    const [first, second] = await Promise.all([manager.refresh(), manager.refresh()]);
    assert.equal(first, second);
    assert.equal(server.lists, 1);
    await manager.refresh();
    assert.equal(server.lists, 2);
  });

  it('ends the wait of a cancelled caller and not that of the others', async () => {
    await serve({ a: { digest: 'd1' } });
    const asked = new Gate();
    const answer = new Gate();
    server.beforeList = () => {
      asked.open();
      return answer.opened;
    };
    const abort = new AbortController();
    const cancelled = rejection(manager.refresh(abort.signal));
    const other = manager.refresh();
    await asked.opened;
    abort.abort();
    assert.ok((await cancelled) instanceof CancelledError);
    answer.open();
    assert.deepEqual(names(await other), ['a']);
  });

  it('cancels the question when all who waited are gone, and leaves the list as it was', async () => {
    await serve({ a: { digest: 'd1' } });
    await manager.refresh();
    const asked = new Gate();
    const never = new Gate();
    server.beforeList = () => {
      asked.open();
      return never.opened;
    };
    const abort = new AbortController();
    const cancelled = rejection(manager.refresh(abort.signal));
    await asked.opened;
    abort.abort();
    assert.ok((await cancelled) instanceof CancelledError);
    assert.equal(await server.lastEnded(), false);
    assert.deepEqual([(await manager.list()).stale, manager.lastError], [false, null]);
    server.beforeList = () => Promise.resolve();
    assert.deepEqual(names(await manager.refresh()), ['a']);
  });

  describe('enabled', () => {
    const enabledOf = (list: ModelList) => Object.fromEntries(list.models.map((model) => [model.name, model.enabled]));

    it('is kept over refreshes, new digests and sessions', async () => {
      await serve({ 'a:latest': { digest: 'd1' }, b: { digest: 'd2' } });
      await manager.refresh();
      await manager.setEnabled('A', false);
      assert.deepEqual(enabledOf(await manager.list()), { 'a:latest': false, b: true });
      server.models['a:latest'] = { digest: 'd3' };
      assert.deepEqual(enabledOf(await manager.refresh()), { 'a:latest': false, b: true });
      assert.deepEqual(enabledOf(await restarted().refresh()), { 'a:latest': false, b: true });
    });

    it('is kept when it changes while the server is asked', async () => {
      await serve({ a: { digest: 'd1' } });
      await manager.refresh();
      const asked = new Gate();
      const answer = new Gate();
      server.beforeList = () => {
        asked.open();
        return answer.opened;
      };
      const refreshing = manager.refresh();
      await asked.opened;
      await manager.setEnabled('a', false);
      answer.open();
      assert.deepEqual(enabledOf(await refreshing), { a: false });
      assert.equal(store.models[0]?.enabled, false);
    });

    it('rejects when it could not be stored', async () => {
      await serve({ a: { digest: 'd1' } });
      await manager.refresh();
      store.failure = new Error('disk full');
      assert.equal(await rejection(manager.setEnabled('a', false)), store.failure);
    });
  });

  it('goes on without a store that fails', async () => {
    await serve({ a: { digest: 'd1' } });
    store.failure = new Error('database is corrupt');
    assert.deepEqual((await manager.list()).models, []);
    assert.deepEqual(names(await manager.refresh()), ['a']);
  });

  it('announces each change as a whole list', async () => {
    await serve({ a: { digest: 'd1' } });
    const heard: ModelList[] = [];
    manager.onDidChange((list) => void heard.push(list));
    await manager.refresh();
    await manager.setEnabled('a', false);
    await server.stop();
    await manager.refresh();
    assert.deepEqual(
      heard.map((list) => [list.stale, list.models[0]?.enabled]),
      [
        [false, true],
        [false, false],
        [true, false],
      ],
    );
  });

  describe('get', () => {
    it('finds a model in any letter case, with or without the default tag, host and namespace', async () => {
      await serve({ 'Llama3:latest': { digest: 'd1' }, 'me/own:Q4': { digest: 'd2' } });
      for (const name of ['llama3', 'LLAMA3:Latest', 'library/llama3', 'registry.ollama.ai/library/llama3:latest']) {
        assert.equal((await manager.get(name)).name, 'Llama3:latest');
      }
      assert.equal((await manager.get('ME/own:q4')).name, 'me/own:Q4');
      assert.equal(server.lists, 1);
    });

    it('asks the server once for a model it does not know', async () => {
      await serve({ a: { digest: 'd1' } });
      await manager.refresh();
      server.models['new'] = { digest: 'd2' };
      assert.equal((await manager.get('new')).digest, 'd2');
      const error = await rejection(manager.get('a:7b'));
      assert.ok(error instanceof ModelNotFoundError);
      assert.equal(error.model, 'a:7b');
      assert.equal(server.lists, 3);
    });

    it('says that the server does not answer rather than that the model is missing', async () => {
      await serve({ a: { digest: 'd1' } });
      await manager.refresh();
      await server.stop();
      assert.equal((await manager.get('a')).digest, 'd1');
      assert.ok((await rejection(manager.get('b'))) instanceof ConnectionError);
    });

    it('reads a model again whose digest has changed since an earlier session', async () => {
      await serve({ a: { digest: 'd1' } });
      await manager.refresh();
      server.models['a'] = { digest: 'd2', capabilities: ['completion', 'tools'], contextLength: 9 };
      manager = restarted();
      const model = await manager.get('a');
      assert.deepEqual([model.digest, model.capabilities.tools, model.contextLength], ['d2', true, 9]);
      const { lists } = server;
      assert.equal((await manager.get('a')).digest, 'd2');
      assert.deepEqual([server.lists, server.shown.length], [lists, 2]);
    });

    it('compares digests again with a list that is older than a minute', async () => {
      await serve({ a: { digest: 'd1' } });
      await manager.get('a');
      server.models['a'] = { digest: 'd2', capabilities: ['completion', 'tools'] };
      assert.equal((await manager.get('a')).digest, 'd1');
      clock.time += 60_001;
      const model = await manager.get('a');
      assert.deepEqual([model.digest, model.capabilities.tools], ['d2', true]);
    });

    it('returns what an earlier session knew where the server does not answer, without waiting for it', async () => {
      await serve({ a: { digest: 'd1', capabilities: ['completion', 'tools'] } });
      await manager.refresh();
      await server.stop();
      const { client: other, clock: waited } = makeClient(server.url);
      const model = await new ModelManager(other, store, clock, silentLogger).get('a');
      assert.deepEqual([model.capabilities.tools, waited.sleeps], [true, []]);
    });
  });

  it('tells the running models as the server does', async () => {
    await serve({});
    assert.deepEqual(
      (await manager.running()).map((model) => [model.name, model.context_length]),
      [['a:latest', 4096]],
    );
  });

  it('asks a changed address anew, and everybody hears of the new server alone', async () => {
    await serve({ old: { digest: 'd1' } });
    const other = new ModelServer({ new: { digest: 'd2' } });
    const addresses = { old: server.url, new: await other.start() };
    let address = addresses.old;
    ({ client } = makeClient(() => address));
    const heard: string[][] = [];
    manager = new ModelManager(client, store, clock, silentLogger, () => address);
    manager.onDidChange((list) => heard.push(names(list)));
    const asked = new Gate();
    const held = new Gate();
    server.beforeList = () => {
      asked.open();
      return held.opened;
    };
    const first = manager.refresh();
    await asked.opened;
    address = addresses.new;
    const second = await manager.refresh();
    held.open();
    assert.deepEqual([names(second), names(await first)], [['new'], ['new']]);
    assert.deepEqual([...new Set(heard.map((list) => list.join()))], ['new']);
    await other.stop();
  });

  it('cancels a refresh when disposed', async () => {
    await serve({ a: { digest: 'd1' } });
    const asked = new Gate();
    const never = new Gate();
    server.beforeList = () => {
      asked.open();
      return never.opened;
    };
    const refreshing = rejection(manager.refresh());
    await asked.opened;
    manager.dispose();
    assert.ok((await refreshing) instanceof CancelledError);
  });
});
