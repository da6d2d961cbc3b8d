import assert from 'node:assert/strict';
import { diffLines } from '../../../src/utils/text/lineDiff';
import { movedPlace, rebasedText } from '../../../src/utils/text/rebasedText';

describe('A change applied to a text that others have changed', () => {
  const base = 'a\nb\nc\nd\n';
  const cases: [string, { wanted: string; now: string; becomes: string | null }][] = [
    ['is the whole change where nobody has changed anything', { wanted: 'x\n', now: base, becomes: 'x\n' }],
    ['keeps lines above and below', { wanted: 'a\nB\nc\nd\n', now: '0\na\nb\nc\nD\n', becomes: '0\na\nB\nc\nD\n' }],
    ['keeps a line that is next to it', { wanted: 'a\nB\nc\nd\n', now: 'A\nb\nC\nd\n', becomes: 'A\nB\nC\nd\n' }],
    ['does not fit where its line is another one', { wanted: 'a\nB\nc\nd\n', now: 'a\nb2\nc\nd\n', becomes: null }],
    ['does not fit where its line is gone', { wanted: 'a\nB\nc\nd\n', now: 'a\nc\nd\n', becomes: null }],
    ['does not fit where a line is inserted among its lines', { wanted: 'a\nB\nC\nd\n', now: 'a\nb\nx\nc\nd\n', becomes: null }],
    [
      'puts inserted lines below a line that is another one',
      { wanted: 'a\nb\nx\nc\nd\n', now: 'a\nb2\nc\nd\n', becomes: 'a\nb2\nx\nc\nd\n' },
    ],
    ['does not insert among lines that are other ones', { wanted: 'a\nb\nx\nc\nd\n', now: 'a\nB\nC\nd\n', becomes: null }],
    [
      'comes before lines that others insert there, too',
      { wanted: 'a\nb\nc\nd\nx\n', now: 'a\nb\nc\nd\nty', becomes: 'a\nb\nc\nd\nx\nty' },
    ],
    ['places each of several changes', { wanted: 'x\nb\nc\ny\n', now: 'a\nb\n1\n2\nc\nd\n', becomes: 'x\nb\n1\n2\nc\ny\n' }],
    ['keeps line ends', { wanted: 'a\nB\nc\nd\n', now: 'a\nb\nc\nd\r\n', becomes: 'a\nB\nc\nd\r\n' }],
  ];
  for (const [name, { wanted, now, becomes }] of cases) {
    it(name, () => assert.equal(rebasedText(base, wanted, now), becomes));
  }

  it('finds a place again', () => {
    const others = diffLines('a b c d'.split(' '), 'x a b C1 C2 d'.split(' '));
    assert.deepEqual(
      [0, 1, 4].map((place) => movedPlace(others, place)),
      [0, 2, 6],
    );
    assert.deepEqual([movedPlace(others, 2), movedPlace(others, 2, true)], [3, 5]);
  });
});
