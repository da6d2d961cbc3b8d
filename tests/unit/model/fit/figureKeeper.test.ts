import assert from 'node:assert/strict';
import { ModelCatalog } from '../../../../src/services/model/catalogue/modelCatalog';
import { ModelManager } from '../../../../src/services/model/catalogue/modelManager';
import type { OllamaClient } from '../../../../src/services/model/client/ollamaClient';
import { FigureKeeper, type FigureStore } from '../../../../src/services/model/fit/figureKeeper';
import { Settings } from '../../../../src/config/settings';
import { noFigures, type ModelFigures } from '../../../../src/types/modelFigures';
import { silentLogger } from '../../../../src/utils/logger';
import { OllamaDouble } from '../../../support/ollama/double';
import { chatRequest, collect, makeClient } from '../support/client';
import { MemoryModelStore } from '../support/memoryModelStore';
import type { RecordingClock } from '../support/recordingClock';

/** In-memory store for figures. */
class MemoryFigures implements FigureStore {
  readonly kept = new Map<string, ModelFigures>();
  isOpen = true;

  all(machine: string): Promise<Map<string, ModelFigures> | null> {
    const own = [...this.kept].filter(([key]) => key.startsWith(`${machine} `));
    return Promise.resolve(this.isOpen ? new Map(own.map(([key, value]) => [key.slice(machine.length + 1), value])) : null);
  }

  keep(machine: string, digest: string, figures: ModelFigures): Promise<void> {
    this.kept.set(`${machine} ${digest}`, figures);
    return Promise.resolve();
  }
}

describe('The figures of models', () => {
  let double: OllamaDouble;
  let client: OllamaClient;
  let clock: RecordingClock;
  let store: MemoryFigures;
  let keeper: FigureKeeper;
  let catalog: ModelCatalog;
  let machine: string;
  const notes: Promise<void>[] = [];

  const start = async (countsCache: boolean) => {
    const model = { name: 'm', digest: 'd'.repeat(64), size: 4e9, sizeVram: 8e9, countsCache };
    double = await OllamaDouble.start({ models: [model] });
    ({ client, clock } = makeClient(double.url));
    const models = new ModelManager(client, new MemoryModelStore(), clock, silentLogger);
    store = new MemoryFigures();
    machine = 'here';
    keeper = new FigureKeeper(store, models, () => machine, silentLogger);
    const settings = new Settings({ get: () => undefined }, () => undefined);
    catalog = new ModelCatalog(models, settings, clock, silentLogger, () => true, keeper);
    client.onDidExchange((exchange) => notes.push(keeper.note(exchange, catalog.loadedModels)));
    await models.refresh();
  };
  afterEach(async () => {
    keeper.dispose();
    catalog.dispose();
    client.dispose();
    await double.close();
  });

  const load = (window: number) => client.load({ model: 'm', options: { num_ctx: window }, keep_alive: '5m' });
  const ask = (prompt: string, answer: string) => {
    double.script.push(answer);
    return collect(client.chat({ ...chatRequest, options: { num_ctx: 8192 }, messages: [{ role: 'user', content: prompt }] }));
  };
  const figures = async () => {
    await Promise.all(notes);
    return (await catalog.state()).models[0]?.figures;
  };
  const words = (count: number) => 'four'.repeat(count);

  it('are absent until something was measured', async () => {
    await start(true);
    assert.equal(await figures(), undefined);
  });

  it('are the memory as ps reports it, and the time of a load', async () => {
    await start(true);
    await load(4096);
    const { loadMs } = (await figures()) ?? noFigures;
    assert.ok(loadMs !== null && loadMs >= 0);
    await catalog.refreshLoaded();
    assert.deepEqual((await figures())?.memory, { size: 8e9, vram: 8e9, window: 4096 });
    const before = await figures();
    clock.time += 60_000;
    await load(4096);
    assert.deepEqual(await figures(), before, 'the model was loaded already');
  });

  it('are the speeds at two lengths, of a prompt only without what came from the cache', async () => {
    await start(true);
    await ask(words(300), words(40));
    assert.equal((await figures())?.short?.promptRate, null, 'the server has not counted its cache yet');
    await ask(`${words(300)} and ${words(200)}`, words(40));
    const { short, long } = (await figures()) ?? noFigures;
    assert.equal(long, null);
    assert.ok((short?.promptRate ?? 0) > 0 && (short?.answerRate ?? 0) > 0);
    await ask(words(2500), words(40));
    const after = (await figures()) ?? noFigures;
    assert.deepEqual(after.short, short);
    assert.ok((after.long?.promptTokens ?? 0) >= 2500 && (after.long?.answerRate ?? 0) > 0);
  });

  it('have no speed of a prompt where the server does not say what came from its cache, nor of a word', async () => {
    await start(false);
    await ask(words(300), words(40));
    const { short } = (await figures()) ?? noFigures;
    assert.deepEqual([short?.promptRate, (short?.answerRate ?? 0) > 0], [null, true]);
    await ask(words(300), 'Yes');
    assert.deepEqual((await figures())?.short, short);
  });

  it('keep every change of several at once', async () => {
    await start(true);
    const [model] = (await catalog.state()).models;
    const named = { name: model?.name ?? '', digest: 'd'.repeat(64) };
    await Promise.all([
      keeper.update(named, { loadMs: 7 }),
      keeper.update(named, { cache: { bytesPerToken: 1, isUpperBound: false } }),
    ]);
    const { loadMs, cache } = (await figures()) ?? noFigures;
    assert.deepEqual([loadMs, cache?.bytesPerToken], [7, 1]);
  });

  it('belong to a digest and a machine, and are there again in the next window', async () => {
    await start(true);
    await load(4096);
    const before = await figures();
    assert.deepEqual([...store.kept.keys()], [`here ${'d'.repeat(64)}`]);
    machine = 'elsewhere';
    assert.equal(await figures(), undefined);
    const later = new FigureKeeper(store, { list: () => assert.fail('not needed') }, () => 'here', silentLogger);
    assert.deepEqual(await later.readFigures({ name: 'm', digest: 'd'.repeat(64) }), before);
  });

  it('are read once the storage has opened', async () => {
    await start(true);
    const stored = { ...noFigures, loadMs: 7 };
    await store.keep('here', 'd'.repeat(64), stored);
    const later = new FigureKeeper(store, { list: () => assert.fail('not needed') }, () => 'here', silentLogger);
    store.isOpen = false;
    assert.deepEqual([...(await later.all())], []);
    store.isOpen = true;
    assert.deepEqual([...(await later.all())], [['d'.repeat(64), stored]]);
  });
});
