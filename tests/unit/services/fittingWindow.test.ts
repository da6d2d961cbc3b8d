import assert from 'node:assert/strict';
import { cacheBytesPerToken, fittingWindow } from '../../../src/services/model/context/fittingWindow';

const llama = {
  'general.architecture': 'llama',
  'llama.block_count': 32,
  'llama.embedding_length': 4096,
  'llama.attention.head_count': 32,
  'llama.attention.head_count_kv': 8,
};

describe('The window that fits on the graphics card', () => {
  it('goes by the bytes of a token in the cache', () => {
    assert.equal(cacheBytesPerToken({ model_info: llama }), 32 * 8 * (128 + 128) * 2);
    const lengths = { 'llama.attention.key_length': 64, 'llama.attention.value_length': 192 };
    assert.equal(cacheBytesPerToken({ model_info: { ...llama, ...lengths } }), 32 * 8 * 256 * 2);
    const each = { 'llama.block_count': 3, 'llama.attention.head_count_kv': [0, 4, 8] };
    assert.equal(cacheBytesPerToken({ model_info: { ...llama, ...each } }), 12 * 256 * 2);
    assert.equal(cacheBytesPerToken({ model_info: { 'general.architecture': 'llama' } }), null);
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
