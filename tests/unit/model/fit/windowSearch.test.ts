import assert from 'node:assert/strict';
import { largestWindow, maxLoads, type WindowRange } from '../../../../src/services/model/fit/windowSearch';

const weights = 5e9;
const perToken = 131_072;

/** GPU with `room` bytes of memory. The rest of a model runs on the CPU. */
function card(room: number, { extra = 0 } = {}) {
  const tried: number[] = [];
  const load = async (tokens: number) => {
    tried.push(tokens);
    const size = weights + tokens * (perToken + extra);
    return Promise.resolve({ size, size_vram: room === 0 ? 0 : Math.min(size, room), context_length: tokens });
  };
  return { load, tried };
}

const range = (more: Partial<WindowRange> = {}): WindowRange => ({ start: 8192, max: 131_072, bytesPerToken: perToken, ...more });

describe('The search for the largest window', () => {
  it('needs one load where the whole context length fits, and two where more than the first window does', async () => {
    assert.deepEqual(await largestWindow(card(80e9).load, range({ start: 131_072 })), {
      tokens: 131_072,
      loads: 1,
      hasGpu: true,
    });
    const { load, tried } = card(80e9);
    assert.equal((await largestWindow(load, range({ max: 32_768 }))).tokens, 32_768);
    assert.deepEqual(tried, [8192, 32_768]);
  });

  for (const room of [5.4e9, 6e9, 7.3e9, 9e9, 12e9, 20e9])
    for (const bytesPerToken of [perToken, null, 4 * perToken])
      for (const extra of [0, 20_000])
        it(`comes near the limit of ${room / 1e9} GB in five loads, if a token is thought to take ${bytesPerToken}, ${extra} more`, async () => {
          const { load, tried } = card(room, { extra });
          const { tokens, loads, hasGpu } = await largestWindow(load, range({ bytesPerToken }));
          const limit = Math.min(131_072, Math.floor((room - weights) / (perToken + extra)));
          assert.ok(tokens !== null && tokens <= limit, `${tokens} of ${limit}`);
          assert.ok(tokens >= limit * 0.75 || limit - tokens < 2048, `${tokens} of ${limit} after ${tried.join(', ')}`);
          assert.ok(loads === tried.length && loads <= maxLoads);
          assert.equal(hasGpu, true);
        });

  it('finds none where not even the smallest fits', async () => {
    const { load, tried } = card(4e9);
    const found = await largestWindow(load, range());
    assert.deepEqual([found.tokens, found.hasGpu], [null, true]);
    assert.ok(tried.length <= maxLoads && Math.min(...tried) >= 2048);
  });

  it('gives up after a small window where nothing is on a GPU', async () => {
    const { load, tried } = card(0);
    assert.deepEqual(await largestWindow(load, range()), { tokens: null, loads: 2, hasGpu: false });
    assert.deepEqual(tried, [8192, 2048]);
  });

  it('counts what the server granted, not what was asked for', async () => {
    const load = async () => Promise.resolve({ size: 1e9, size_vram: 1e9, context_length: 4096 });
    const { tokens } = await largestWindow(load, range({ start: 8192, max: 8192 }));
    assert.equal(tokens, 4096);
  });
});
