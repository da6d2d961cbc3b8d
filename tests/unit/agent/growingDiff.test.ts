import assert from 'node:assert/strict';
import { growingDiff } from '../../../src/agent/stream/growingDiff';

describe('the difference to a text that is still being written', () => {
  const file = ['a', 'b', '}', 'c', '}'];
  const cases: [string, string[], string[]][] = [
    ['nothing yet', [], []],
    ['lines that stay', ['a', 'b'], [' a', ' b']],
    ['a line that may stand before all others', ['a', 'x'], [' a', '+x']],
    ['a line in the place of another', ['a', 'x', '}'], [' a', '-b', '+x', ' }']],
    ['no more removed than is known', ['x', 'y', '}'], ['+x', '+y', '+}']],
    ['lines that are gone, once what follows them is there', ['a', 'c', '}'], [' a', '-b', '-}', ' c', ' }']],
    ['more than there was', [...file, 'new'], [' a', ' b', ' }', ' c', ' }', '+new']],
  ];
  for (const [name, written, expected] of cases) {
    it(`shows ${name}`, () => assert.deepEqual(growingDiff(file, written), expected));
  }

  it('holds all that is written, beside the beginning of what was there', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
    for (let round = 0; round < 300; round += 1) {
      const text = () => Array.from({ length: random(30) }, () => 'abcd'[random(4)] ?? '');
      const before = text();
      const written = text();
      const lines = growingDiff(before, written);
      const side = (signs: string) => lines.filter(([sign]) => signs.includes(sign ?? '')).map((line) => line.slice(1));
      assert.deepEqual(side(' +'), written);
      assert.deepEqual(side(' -'), before.slice(0, side(' -').length));
    }
  });

  it('takes what differs too much for new', () => {
    const before = Array.from({ length: 3000 }, (_, index) => `old ${index}`);
    const written = ['old 0', ...Array.from({ length: 3000 }, (_, index) => `new ${index}`)];
    const lines = growingDiff(before, written);
    assert.equal(lines[0], ' old 0');
    assert.deepEqual(lines.filter(([sign]) => sign !== '-').length, written.length);
  });
});
