import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { streamLines } from '../../../src/utils/text/streamLines';

describe('lines of a stream', () => {
  async function linesOf(chunks: readonly Buffer[]): Promise<string[]> {
    const lines: string[] = [];
    for await (const line of streamLines(Readable.from(chunks))) lines.push(line);
    return lines;
  }

  it('end at a line feed and nowhere else, wherever the chunks end', async () => {
    const lines = ['Total\u2028cost 🥛', 'a\u2029b\u0085c', 'x\ry\r', '', 'last'];
    const bytes = Buffer.from(lines.join('\n'));
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      assert.deepEqual(await linesOf(chunks), lines);
    }
    assert.deepEqual(await linesOf([Buffer.from('one\n')]), ['one']);
  });
});
