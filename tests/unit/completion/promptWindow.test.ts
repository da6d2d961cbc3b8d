import assert from 'node:assert/strict';
import { prefixWindow, SuffixKeeper, suffixWindow } from '../../../src/completion/prompt/promptWindow';

const lines = (count: number, length = 20) =>
  Array.from({ length: count }, (_, at) => `${`line ${at} `.padEnd(length - 1, '.')}\n`).join('');

describe('the part of a document that a prompt has', () => {
  it('is all before the cursor where it fits', () => {
    assert.equal(prefixWindow('abc\ndef', 100), 'abc\ndef');
  });

  it('begins at a multiple of 64 lines, so that it stays the same while lines are added', () => {
    const starts = new Set<string>();
    for (let count = 300; count < 360; count += 1) {
      const window = prefixWindow(lines(count), 3200);
      starts.add(window.slice(0, 10));
      assert.ok(window.length <= 3200 && window.length > 1000, `${count}: ${window.length}`);
    }
    assert.deepEqual([...starts].slice(0, 1), ['line 192 .']);
    assert.ok(starts.size <= 2, [...starts].join());
  });

  it('moves in smaller steps where lines are long, and within a line that does not fit', () => {
    const long = prefixWindow(lines(200, 200), 2000);
    assert.ok(long.length >= 500 && long.length <= 2000 && long.startsWith('line 1'), String(long.length));
    const one = 'x'.repeat(50_000);
    const first = prefixWindow(one, 2000);
    const second = prefixWindow(`${one}y`, 2000);
    assert.ok(first.length <= 2000 && first.length > 900);
    assert.equal(second, `${first}y`);
  });

  it('ends with a whole line after the cursor', () => {
    assert.equal(suffixWindow('one\ntwo\nthree\n', 9), 'one\ntwo\n');
    assert.equal(suffixWindow('abcdefgh', 3), 'abc');
  });

  it('keeps the suffix of before while less than a tenth of it has changed and the cursor’s line goes on alike', () => {
    const keeper = new SuffixKeeper();
    const after = lines(20);
    assert.equal(keeper.suffixFor('a', after, 4000), after);
    assert.equal(keeper.suffixFor('a', `)${after}`, 4000), after);
    assert.equal(keeper.suffixFor('a', `other${after}`, 4000), `other${after}`);
    assert.equal(keeper.suffixFor('b', after, 4000), after);
    const changed = after.replace(/line 1[0-9]/g, 'changed');
    assert.equal(keeper.suffixFor('b', changed, 4000), changed);
  });
});
