import assert from 'node:assert/strict';
import { cutHead, cutMiddle, shortened, cutTail } from '../../../src/types/cutText';

describe('cuts of text', () => {
  it('leave plain text at exactly the length', () => {
    assert.deepEqual([cutHead('abcdef', 3), cutTail('abcdef', 3), cutMiddle('abcdef', 1, 4)], ['abc', 'def', 'bcd']);
    assert.deepEqual([cutHead('ab', 3), cutTail('ab', 3), cutHead('ab', 0), cutTail('ab', 0)], ['ab', 'ab', '', '']);
    assert.deepEqual([shortened('abcd', 4), shortened('abcde', 4)], ['abcd', 'abc…']);
  });

  const characters = ['🥛', '👍🏽', '👩‍👧', 'e\u0301', '🇩🇪', '\r\n', '한', 'நி', '❤️'];
  for (const character of characters) {
    it(`keep ${JSON.stringify(character)} whole`, () => {
      const text = `ab${character}cd`;
      for (let at = 0; at <= text.length; at += 1) {
        const pieces = [cutHead(text, at), cutTail(text, at), cutMiddle(text, at, text.length), cutMiddle(text, 0, at)];
        for (const piece of pieces) {
          assert.ok(piece.length <= Math.max(at, text.length - at) && text.includes(piece));
          assert.match(piece.replace(character, ''), /^a?b?c?d?$/);
        }
      }
    });
  }

  it('leave no half of a surrogate pair where a character has no end', () => {
    const text = `a${'🥛\u200d'.repeat(1000)}`;
    for (let at = 500; at < 510; at += 1)
      assert.deepEqual(
        [cutHead(text, at), cutTail(text, at)].map((one) => one.isWellFormed()),
        [true, true],
      );
    assert.ok(cutHead(text, 500).length > 400);
    assert.ok(cutHead('🥛'.repeat(100), 99).length === 98);
    assert.ok(cutHead('\u0301'.repeat(1000), 500).length > 400);
  });
});
