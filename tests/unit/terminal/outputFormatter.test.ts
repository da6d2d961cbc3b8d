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

  const token = `ghp_${'a1B2'.repeat(9)}`;
  const body = Array.from({ length: 200 }, (_, index) => `${index}`.padStart(4, 'A').repeat(16).replace(/^.../, 'aB1'));
  const block = ['-----BEGIN RSA PRIVATE KEY-----', ...body, 'c2hvcnQ=', '-----END RSA PRIVATE KEY-----'];
  const told: [string, string, RegExp][] = [
    ['a token', `before ${token} after`, /^before \[key left out\] after$/],
    ['a token in colours', `key \u001b[31m${token.slice(0, 12)}\u001b[0m${token.slice(12)} end`, /^key \[key left out\] end$/],
    [
      'a token where a long line is cut',
      `${'x'.repeat(980)} ${token}${'y'.repeat(99)}`,
      /^x{980} \[key left out\]y+… \[\d+ characters cut\]$/,
    ],
    ['a private key, also what is kept of its end', [...block, 'after'].join('\n'), /^\[key left out\]\n(.*\n)?.*after$/],
    [
      'one whose lines are numbered',
      block.map((line, index) => `a.pem:${index + 1}:${line}`).join('\n'),
      /^a.pem:1:-----BEGIN[^\n]*\n\[key left out\]/,
    ],
    [
      'one with the authors of its lines',
      block.map((line, index) => `5f2e ab.pem (Jane Doe 2024-01-0${index % 9} 10:00:00 +0100 ${index + 1}) ${line}`).join('\n'),
      /\[key left out\]/,
    ],
    ['one that was removed', block.map((line) => `-${line}`).join('\n'), /^-\[key left out\]/],
    ['the midst of one', body.slice(0, 5).join('\n'), /^\[key left out\]$/],
  ];
  for (const [what, raw, text] of told) {
    it(`is free of ${what}, whatever pieces it comes in, and says so`, () => {
      for (const size of [1, 7, 64, raw.length]) {
        const collector = new OutputCollector();
        for (let at = 0; at < raw.length; at += size) collector.push(raw.slice(at, at + size));
        const { text: shown, keysLeftOut = 0 } = collector.format();
        assert.match(shown, text);
        assert.doesNotMatch(shown, /a1B2|AA\d\dAA|A1\d\dA/);
        assert.equal(keysLeftOut > 0, true);
      }
    });
  }

  it('says of keys in the lines that are not kept, and nothing of half a key while it is written', () => {
    assert.equal(formatOutput([...lines(50), token, ...lines(100)].join('\n')).keysLeftOut, 1);
    const collector = new OutputCollector();
    collector.push(`ready\nkey ${token.slice(0, 20)}`);
    assert.deepEqual(collector.format(true), { text: 'ready\nkey …', truncatedLines: 0 });
    collector.push(token.slice(20));
    assert.deepEqual(collector.format(), { text: 'ready\nkey [key left out]', truncatedLines: 0, keysLeftOut: 1 });
  });

  it('keeps certificates, hashes and code about keys', () => {
    const certificate = ['-----BEGIN CERTIFICATE-----', ...body.slice(0, 3), 'c2hvcnQ=', '-----END CERTIFICATE-----'];
    const code = [
      "if (line === '-----BEGIN PRIVATE KEY-----') {",
      'grep.pem:1:-----BEGIN PRIVATE KEY-----',
      'other.ts:7: nothing of the kind',
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.txt',
      'integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
    ];
    const raw = [...certificate, ...code].join('\n');
    assert.deepEqual(formatOutput(raw), { text: raw, truncatedLines: 0 });
  });
});
