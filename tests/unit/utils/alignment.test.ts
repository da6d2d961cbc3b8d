import assert from 'node:assert/strict';
import { alignLines } from '../../../src/utils/text/alignment';
import { Random } from '../../webview/support/random';

const words = (text: string) => text.split(' ');
const aligned = (a: string, b: string, worth: string) =>
  [...alignLines(words(a), words(b), (index) => Number(worth[index]))].join(' ');

describe('alignLines', () => {
  it('takes, of equal lines, those of the most worth', () => {
    assert.equal(aligned('} x }', '}', '103'), '2');
    assert.equal(aligned('} x }', '}', '301'), '0');
    assert.equal(aligned('} x } y', 'x }', '3330'), '1 2');
  });

  it('aligns more lines rather than lines of more worth', () => {
    assert.equal(aligned('a } b }', 'a } b', '0003'), '0 1 2');
  });

  it('aligns as many lines as there are, in order, whatever they are worth', () => {
    const random = new Random(7);
    const text = (length: number) => Array.from({ length }, () => String(random.integer(4)));
    for (let round = 0; round < 300; round += 1) {
      const a = text(random.integer(12));
      const b = a.filter(() => random.integer(3) > 0);
      const found = [...alignLines(a, b, () => random.integer(4))];
      assert.deepEqual(
        found.map((index) => a[index]),
        b,
      );
      assert.deepEqual(
        found,
        [...found].sort((one, other) => one - other),
      );
    }
  });

  it('aligns regions that are too large for a table', () => {
    const a = Array.from({ length: 3000 }, (_, index) => String(index % 7));
    const b = a.filter((_line, index) => index % 50 !== 0);
    const found = [...alignLines(a, b, () => 1)];
    assert.deepEqual(
      found.map((index) => a[index]),
      b,
    );
  });
});
