import assert from 'node:assert/strict';
import type { ModelInfo } from '../../../src/types/model';
import { Workbench } from './support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

describe('ModelRepository', () => {
  it('has nothing before the first list, and knows when an empty list was fetched', async () => {
    const { models } = await bench.service(bench.folder());
    assert.deepEqual(await models.load(), { models: [], fetchedAt: null });
    await models.save([], 5_000);
    assert.deepEqual(await models.load(), { models: [], fetchedAt: 5_000 });
  });

  it('replaces the list in the order given and keeps what a person disabled and chose', async () => {
    const directory = bench.folder();
    const first = await bench.service(directory);
    await first.models.save([model('b'), model('a'), model('gone')], 1_000);
    await first.models.setEnabled('a', false);
    await first.models.setEnabled('nowhere', false);
    await first.models.setThink('b', false);
    await first.models.save([model('c'), model('a', { size: 7 }), model('b')], 2_000);
    const second = await bench.service(directory);
    assert.deepEqual(await second.models.load(), {
      models: [model('c'), model('a', { size: 7, enabled: false }), model('b', { think: false })],
      fetchedAt: 2_000,
    });
  });

  function model(name: string, rest: Partial<ModelInfo> = {}): ModelInfo {
    return {
      name,
      digest: `digest of ${name}`,
      size: 5_200_000_000,
      family: 'qwen3',
      parameterSize: '8.2B',
      quantization: null,
      capabilities: { chat: true, fim: name === 'b', tools: true, vision: false, embedding: false, thinking: true },
      contextLength: 40_960,
      stop: ['<|im_end|>', '"quoted"'],
      enabled: true,
      thinking: { values: ['low', false], default: 'low' },
      think: null,
      families: ['qwen3'],
      modifiedAt: null,
      ownOptions: name === 'c' ? null : ['stop', 'top_k'],
      ...rest,
    };
  }
});
