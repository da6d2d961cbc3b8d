import assert from 'node:assert/strict';
import { newWords } from '../../../src/utils/text/wordDiff';

describe('words that are new in changed lines', () => {
  const marked = (before: string[], after: string[]): string[] =>
    newWords(before, after).map(({ line, start, end }) => `${line}:${(after[line] ?? '').slice(start, end)}`);

  it('are those that differ', () => {
    assert.deepEqual(marked(['const a = one(1);'], ['const a = two(1);']), ['0:two']);
    assert.deepEqual(marked(['x = 1;', 'y = 2;'], ['x = 1;', 'y = 20 + 2;']), ['1:20 + ']);
  });

  it('are joined where nothing is between them', () => {
    assert.deepEqual(marked(['if (a) return null;'], ['if (a && b) return null;']), ['0: && b']);
  });

  it('are none where the lines have little in common, where there was no line, and in long text', () => {
    assert.deepEqual(marked(['alpha'], ['something quite different']), []);
    assert.deepEqual(marked([], ['new']), []);
    assert.deepEqual(marked(['x '.repeat(9_000)], ['x '.repeat(9_000) + 'y']), []);
  });

  it('are all found where many differ', () => {
    const words = Array.from({ length: 1200 }, (_, index) => `w${index}`);
    const after = words.map((word, index) => (index % 3 === 0 ? `new${index}` : word));
    assert.equal(marked([words.join(' ')], [after.join(' ')]).length, 400);
  });

  it('are whole letters of any script', () => {
    assert.deepEqual(marked(['sage „grün“ und 漢字'], ['sage „grüner“ und 漢字']), ['0:grüner']);
    assert.deepEqual(marked(['a 😀 b c d'], ['a 🚀 b c d']), ['0:🚀']);
  });
});
