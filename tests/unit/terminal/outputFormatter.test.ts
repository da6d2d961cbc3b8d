import assert from 'node:assert/strict';
import { formatOutput, OutputCollector } from '../../../src/services/terminal/run/outputFormatter';

const lines = (count: number, from = 1): string[] => Array.from({ length: count }, (_, index) => `line ${index + from}`);

describe('terminal output', () => {
  it('keeps a hundred lines whole', () => {
    assert.deepEqual(formatOutput(`${lines(100).join('\n')}\n`), { text: lines(100).join('\n'), truncatedLines: 0 });
  });

  it('keeps 15 lines from the beginning and 85 from the end of more', () => {
    assert.deepEqual(formatOutput(lines(250).join('\n')), {
      text: [...lines(15), '[150 lines truncated]', ...lines(85, 166)].join('\n'),
      truncatedLines: 150,
    });
  });

  it('is the same whatever pieces the output comes in', () => {
    const raw = `\u001b[31mred\u001b[0m\r\n10%\r50%\r100%\ngrün 🥛\n${lines(200).join('\r\n')}`;
    for (const size of [1, 2, 7, 64]) {
      const collector = new OutputCollector();
      for (let at = 0; at < raw.length; at += size) collector.push(raw.slice(at, at + size));
      assert.deepEqual(collector.format(), formatOutput(raw), `size ${size}`);
    }
  });

  const cleaned: [string, string, string][] = [
    ['colours', '\u001b[1;31merror\u001b[0m: no', 'error: no'],
    ['shell integration marks', '\u001b]633;C\u0007out\u001b]633;D;0\u0007', 'out'],
    ['shell integration marks that end in ST', '\u001b]633;E;echo a\u001b\\out', 'out'],
    ['shell integration marks without their escape', ']633;C\u0007out', 'out'],
    ['window titles', '\u001b]0;a title\u0007out', 'out'],
    ['links, but for their text', '\u001b]8;;https://example.org\u0007text\u001b]8;;\u0007', 'text'],
    ['a progress display, but for its end', 'Loading 10%\rLoading 50%\rLoading 100%\n', 'Loading 100%'],
    ['Windows line ends', 'a\r\nb\r\n', 'a\nb'],
    ['characters taken back', 'spin |\b/\b-\b\\done', 'spin \\done'],
    ['bells and other controls', 'a\u0007b\u0000c', 'abc'],
    ['white space at the end', 'a  \n\n\n', 'a'],
  ];
  for (const [what, raw, text] of cleaned) {
    it(`is free of ${what}`, () => assert.deepEqual(formatOutput(raw), { text, truncatedLines: 0 }));
  }

  it('keeps tabs, indentation and blank lines', () => {
    assert.equal(formatOutput('a\n\n\t  b').text, 'a\n\n\t  b');
  });

  it('cuts lines of more than 1,000 characters and says so', () => {
    assert.equal(formatOutput(`${'x'.repeat(1500)}\nend`).text, `${'x'.repeat(1000)}… [500 characters cut]\nend`);
    assert.equal(formatOutput('x'.repeat(1_000_000)).text, `${'x'.repeat(1000)}… [999000 characters cut]`);
  });

  it('does not grow with a progress display that never ends its line', () => {
    const collector = new OutputCollector();
    for (let percent = 0; percent <= 100_000; percent += 1) collector.push(`\rstep ${percent}`);
    assert.deepEqual(collector.format(), { text: 'step 100000', truncatedLines: 0 });
  });

  it('counts a million lines and holds a hundred', () => {
    const collector = new OutputCollector();
    for (let index = 0; index < 1000; index += 1) collector.push(`${lines(1000).join('\n')}\n`);
    const { text, truncatedLines } = collector.format();
    assert.deepEqual([text.split('\n').length, truncatedLines], [101, 999_900]);
  });
});
