import assert from 'node:assert/strict';
import { RepetitionWatch } from '../../../src/agent/stream/repetitionWatch';

/** Returns the number of characters until the repetition is detected, or null. */
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

  it('are noticed where no two rounds are the same to the letter', () => {
    const names = ['alpha', 'beta', 'gamma', 'delta'];
    const circle = (at: number): string =>
      `Wait, in step ${at} I should check the ${names[at % 4] ?? ''} again before I go on with the parser of the file. ` +
      `Let me look at the file once more, because number ${at * 7} may be wrong there.${at % 3 === 0 ? ' Hmm.' : ''}\n`;
    const at = noticedAt(lead + Array.from({ length: 200 }, (_unused, index) => circle(index)).join(''), 4);
    assert.ok(at !== null && at < 9000, String(at));
  });

  it('are told from work in which much is alike', () => {
    const texts = {
      code: `\`\`\`sql\n${"INSERT INTO users VALUES (1, 'a name of one');\n".replace('1', '2').repeat(45)}\`\`\`\n`,
      list: ['parser', 'lexer', 'printer', 'reader', 'writer', 'token', 'scanner', 'router', 'logger', 'cache', 'queue', 'store']
        .flatMap((name) => [
          `- \`${name}\` takes the ${name} text and returns ${name} nodes.`,
          `- It fails for an empty ${name}.`,
        ])
        .join('\n')
        .repeat(3),
      steps: Array.from({ length: 60 }, (_unused, at) => `${at}. Open file number ${at}.\n`).join(''),
    };
    for (const [what, text] of Object.entries(texts)) assert.equal(noticedAt(text, 4), null, what);
  });

  it('are told from lists, tables and numbers that only look alike', () => {
    const list = Array.from({ length: 400 }, (_, at) => `| row ${at} | ${'value '.repeat(3)}|\n`).join('');
    assert.equal(noticedAt(list, 4), null);
    assert.equal(noticedAt(round.repeat(40), 4), null);
    assert.equal(noticedAt(`${round.repeat(45)}And then the end. `.repeat(10), 4), null);
  });
});
