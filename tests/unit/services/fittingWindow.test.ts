import assert from 'node:assert/strict';
import { computeCacheSize, lacksHeads } from '../../../src/services/model/context/cacheSize';
import { fittingWindow } from '../../../src/services/model/context/fittingWindow';

const llama = {
  'general.architecture': 'llama',
  'llama.block_count': 32,
  'llama.embedding_length': 4096,
  'llama.attention.head_count': 32,
  'llama.attention.head_count_kv': 8,
};

describe('The window that fits on the graphics card', () => {
  it('goes by the bytes of a token in the cache', () => {
    assert.deepEqual(computeCacheSize({ model_info: llama }), { bytesPerToken: 32 * 8 * (128 + 128) * 2, isUpperBound: false });
    const lengths = { 'llama.attention.key_length': 64, 'llama.attention.value_length': 192 };
    assert.deepEqual(computeCacheSize({ model_info: { ...llama, ...lengths } }), {
      bytesPerToken: 32 * 8 * 256 * 2,
      isUpperBound: false,
    });
    const each = { 'llama.block_count': 3, 'llama.attention.head_count_kv': [0, 4, 8] };
    assert.deepEqual(computeCacheSize({ model_info: { ...llama, ...each } }), {
      bytesPerToken: 12 * 256 * 2,
      isUpperBound: false,
    });
    assert.deepEqual(computeCacheSize({ model_info: { 'general.architecture': 'llama' } }), null);
  });

  it('counts every layer of a model with layers that keep fewer tokens, and says so', () => {
    const bytesPerToken = 32 * 8 * 256 * 2;
    for (const more of [{ 'llama.attention.sliding_window': 1024 }, { 'llama.ssm.state_size': 128 }])
      assert.deepEqual(computeCacheSize({ model_info: { ...llama, ...more } }), { bytesPerToken, isUpperBound: true });
    const off = { 'llama.attention.sliding_window': 0 };
    assert.deepEqual(computeCacheSize({ model_info: { ...llama, ...off } }), { bytesPerToken, isUpperBound: false });
  });

  it('is not known from a list of heads that the server left out', () => {
    const short = { ...llama, 'llama.attention.head_count_kv': [] };
    assert.deepEqual([lacksHeads({ model_info: short }), computeCacheSize({ model_info: short })], [true, null]);
    assert.equal(lacksHeads({ model_info: llama }), false);
  });

  it('is smaller by what is not on the card, and null where none of use would fit', () => {
    const token = 131_072;
    const size = 8e9;
    const spilt = (tokens: number) => ({ size, size_vram: size - tokens * token, context_length: 16_384 });
    assert.equal(fittingWindow(spilt(6000), token), 10_240);
    assert.equal(fittingWindow(spilt(15_000), token), null);
    assert.equal(fittingWindow({ size, size_vram: size, context_length: 16_384 }, token), null);
    assert.equal(fittingWindow({ size, size_vram: 0, context_length: 16_384 }, token), null);
  });
});
