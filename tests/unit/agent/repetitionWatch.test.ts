import assert from 'node:assert/strict';
import { RepetitionWatch } from '../../../src/agent/stream/repetitionWatch';

/** After how many characters it is noticed, or null. */
function noticedAt(text: string, size: number): number | null {
  const watch = new RepetitionWatch();
  for (let at = 0; at < text.length; at += size) {
    watch.follow(text.slice(at, at + size));
    if (watch.isRepeating) return at + size;
  }
  return null;
}

describe('words that are written over and over', () => {
  const lead = 'First something else. '.repeat(2);
  const round = '- `src/main.js` - The main entry point for the main branch.\n';

  for (const size of [1, 4, 700]) {
    it(`are noticed soon, in pieces of ${size}`, () => {
      for (const words of ['no ', round, round.repeat(4).replace('main', 'other')]) {
        const at = noticedAt(lead + words.repeat(Math.ceil(9000 / words.length)), size);
        assert.ok(at !== null && at > 3000 && at < 6000, `${words}: ${at}`);
      }
    });
  }

  it('are told from lists, tables and numbers that only look alike', () => {
    const list = Array.from({ length: 400 }, (_, at) => `| row ${at} | ${'value '.repeat(3)}|\n`).join('');
    assert.equal(noticedAt(list, 4), null);
    assert.equal(noticedAt(round.repeat(40), 4), null);
    assert.equal(noticedAt(`${round.repeat(45)}And then the end. `.repeat(10), 4), null);
  });
});
