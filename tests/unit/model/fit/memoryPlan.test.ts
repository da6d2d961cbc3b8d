import assert from 'node:assert/strict';
import { measuredRoom, memoryPlan, type UsedModel } from '../../../../src/services/model/fit/memoryPlan';

const cache = { bytesPerToken: 100_000, isUpperBound: false };
const used = (name: string, uses: UsedModel['uses'], more: Partial<UsedModel> = {}): UsedModel => ({
  name,
  uses,
  size: 5e9,
  window: 10_000,
  figures: { memory: null, cache: null },
  isLoaded: false,
  ...more,
});
const measured = (size: number, window = 10_000) => ({ memory: { size, vram: size, window }, cache });
const gpu = (bytes: number) => ({ bytes, kind: 'gpu' as const });

describe('The memory plan', () => {
  it('takes what was measured with the same window, computes from it with another, and says what is a lower bound', () => {
    const { models, total, isComplete } = memoryPlan(
      [
        used('same', ['agent'], { figures: measured(6e9) }),
        used('other', ['ask'], { figures: measured(6e9, 20_000) }),
        used('never', ['completion'], { figures: { memory: null, cache } }),
        used('unknown', ['embedding']),
      ],
      null,
    );
    assert.deepEqual(
      models.map(({ name, bytes, certainty }) => [name, bytes, certainty]),
      [
        ['same', 6e9, 'measured'],
        ['other', 5e9, 'estimated'],
        ['never', 6e9, 'estimated'],
        ['unknown', 5e9, 'atLeast'],
      ],
    );
    assert.deepEqual([total, isComplete], [22e9, false]);
  });

  it('evicts embeddings first and the chat model never', () => {
    const models = [
      used('chat', ['agent', 'ask'], { figures: measured(6e9) }),
      used('fim', ['completion'], { figures: measured(2e9) }),
      used('embed', ['embedding'], { figures: measured(1e9) }),
    ];
    const evicted = (bytes: number) => memoryPlan(models, gpu(bytes)).evicted;
    assert.deepEqual([evicted(9e9), evicted(8.5e9), evicted(6.5e9)], [[], ['embed'], ['embed', 'fim']]);
    const small = memoryPlan(models, gpu(4e9));
    assert.deepEqual([small.evicted, small.isTooLarge], [['embed', 'fim'], true]);
    assert.deepEqual(memoryPlan(models, null).evicted, []);
    assert.deepEqual(memoryPlan([], gpu(1)), {
      models: [],
      total: 0,
      isComplete: true,
      room: gpu(1),
      evicted: [],
      isTooLarge: false,
    });
  });

  it('keeps a model that chats and suggests', () => {
    const models = [
      used('both', ['completion', 'agent'], { figures: measured(6e9) }),
      used('ask', ['ask'], { figures: measured(3e9) }),
    ];
    assert.deepEqual(memoryPlan(models, gpu(7e9)).evicted, ['ask']);
  });

  it('knows the room of a GPU from models that filled it only', () => {
    const memory = (size: number, vram: number) => ({ memory: { size, vram, window: 1 } });
    assert.equal(measuredRoom([memory(4e9, 4e9), memory(3e9, 0), { memory: null }], 4e9), null);
    assert.equal(measuredRoom([memory(9e9, 7e9), memory(20e9, 7.5e9)], 0), 7.5e9);
    assert.equal(measuredRoom([memory(9e9, 7e9)], 7.8e9), 7.8e9);
  });
});
