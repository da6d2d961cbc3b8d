import assert from 'node:assert/strict';
import { Settings } from '../../../src/config/settings';
import type { ModelManager } from '../../../src/services/model/catalogue/modelManager';
import { ModelCatalog } from '../../../src/services/model/catalogue/modelCatalog';
import { unknownCapabilities } from '../../../src/services/model/catalogue/modelCompatibility';
import type { ModelInfo, ModelList } from '../../../src/types/model';
import { silentLogger } from '../../../src/utils/logger';
import { until } from '../../support/until';
import { ManualClock } from '../database/support/manualClock';

const settings = new Settings({ get: () => undefined }, () => undefined);
const model: ModelInfo = {
  name: 'qwen3',
  digest: 'd',
  size: 1,
  modifiedAt: '',
  family: '',
  parameterSize: null,
  quantization: null,
  contextLength: 1,
  capabilities: { ...unknownCapabilities, chat: true },
  stop: [],
  enabled: true,
};

/** Returns a fake server with a model list. */
function server() {
  let list: ModelList = { models: [], stale: false, fetchedAt: null };
  const asked: number[] = [];
  const listeners: (() => void)[] = [];
  const models = {
    list: async () => Promise.resolve(list),
    running: async () => Promise.resolve([]),
    onDidChange: (listener: () => void) => {
      listeners.push(listener);
      return { dispose: () => undefined };
    },
    refresh: async () => {
      asked.push(list.models.length);
      return Promise.resolve(list);
    },
  };
  const pull = (pulled = model, isFirst = false) =>
    (list = { ...list, models: isFirst ? [pulled, ...list.models] : [...list.models, pulled] });
  return { models: models as unknown as ModelManager, asked, pull };
}

describe('ModelCatalog', () => {
  it('keeps the automatic model of the window when the order of the list changes', async () => {
    const { models, pull } = server();
    const values = new Map<string, string>();
    const own = new Settings({ get: (key) => values.get(key) }, () => undefined);
    const catalog = new ModelCatalog(models, own, new ManualClock(), silentLogger);
    const chosen = async () => (await catalog.state()).selected['agent'];
    const tooled = (name: string) => ({ ...model, name, digest: name, capabilities: { ...model.capabilities, tools: true } });
    pull(tooled('one:8b'));
    assert.equal(await chosen(), 'one:8b');
    pull(tooled('two:8b'), true);
    assert.equal(await chosen(), 'one:8b');
    values.set('chat.model', 'picked:4b');
    assert.equal(await chosen(), 'picked:4b');
    values.clear();
    assert.equal(await chosen(), 'two:8b');
  });

  it('announces a picked model before it is saved, and the former one if it cannot be saved', async () => {
    const { models } = server();
    const values = new Map([['chat.model', 'before:8b']]);
    const own = new Settings({ get: (key) => values.get(key) }, () => undefined);
    const catalog = new ModelCatalog(models, own, new ManualClock(), silentLogger);
    const announced: unknown[] = [];
    catalog.onDidChange(({ selected }) => announced.push(selected['ask']));
    let finish = (_isSaved: boolean): void => undefined;
    const pick = (model: string) =>
      catalog.pick('ask', model, async () => {
        if (!(await new Promise<boolean>((resolve) => (finish = resolve)))) throw new Error('read-only');
        values.set('chat.model', model);
      });
    const saved = pick('picked:4b');
    await until(() => announced.length === 1);
    assert.deepEqual([announced, own.readValue('chat.model')], [['picked:4b'], 'before:8b']);
    finish(true);
    await saved;
    const refused = pick('other:2b');
    await until(() => announced.length === 3);
    finish(false);
    await assert.rejects(refused, /read-only/);
    assert.deepEqual(announced, ['picked:4b', 'picked:4b', 'other:2b', 'picked:4b']);
  });

  it('asks a server without models again while somebody looks, until there is one', async () => {
    const { models, asked, pull } = server();
    const clock = new ManualClock();
    const catalog = new ModelCatalog(models, settings, clock, silentLogger);
    const shown: number[] = [];
    catalog.onDidChange((state) => shown.push(state.models.length));
    await clock.advance(10_000);
    assert.equal(asked.length, 0);
    const watch = catalog.watch();
    await clock.advance(3_000);
    await clock.advance(3_000);
    assert.deepEqual(
      [asked, shown],
      [
        [0, 0],
        [0, 0],
      ],
    );
    pull();
    await clock.advance(3_000);
    assert.deepEqual(shown, [0, 0, 1]);
    await clock.advance(60_000);
    assert.equal(asked.length, 3);
    void watch.dispose();
    catalog.dispose();
  });

  it('asks on while no model can chat: there are only others, or all that can are switched off', async () => {
    const { models, asked, pull } = server();
    const clock = new ManualClock();
    const catalog = new ModelCatalog(models, settings, clock, silentLogger);
    pull({ ...model, name: 'nomic-embed-text', capabilities: { ...model.capabilities, chat: false, embedding: true } });
    pull({ ...model, name: 'off', enabled: false });
    const watch = catalog.watch();
    await clock.advance(3_000);
    await clock.advance(3_000);
    assert.equal(asked.length, 2);
    pull();
    await clock.advance(3_000);
    await clock.advance(60_000);
    assert.equal(asked.length, 3);
    void watch.dispose();
    catalog.dispose();
  });

  it('asks nobody while the server does not answer, and not after the view is gone', async () => {
    const { models, asked } = server();
    const clock = new ManualClock();
    let isConnected = false;
    const catalog = new ModelCatalog(models, settings, clock, silentLogger, () => isConnected);
    const watch = catalog.watch();
    await clock.advance(9_000);
    assert.equal(asked.length, 0);
    isConnected = true;
    await clock.advance(3_000);
    assert.equal(asked.length, 1);
    void watch.dispose();
    await clock.advance(30_000);
    assert.equal(asked.length, 1);
    catalog.dispose();
  });

  it('knows the window with which a model that is partly on the processor would fit, and asks for what that takes', async () => {
    const { models } = server();
    const running = { name: 'qwen3', digest: 'd', size: 8e9, size_vram: 8e9 - 6000 * 131_072, context_length: 16_384 };
    const asked: string[] = [];
    Object.assign(models, {
      running: async () => Promise.resolve([running, { ...running, name: 'whole', size_vram: 8e9 }]),
      readCacheSize: async ({ name }: { name: string }) => {
        asked.push(name);
        return Promise.resolve({ bytesPerToken: 131_072, isUpperBound: false });
      },
    });
    const catalog = new ModelCatalog(models, settings, new ManualClock(), silentLogger);
    await catalog.refreshLoaded();
    assert.deepEqual([catalog.loaded('qwen3')?.fittingWindow, catalog.loaded('whole')?.fittingWindow], [10_240, null]);
    assert.deepEqual(asked, ['qwen3']);
    catalog.dispose();
  });
});
