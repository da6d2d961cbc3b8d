import assert from 'node:assert/strict';
import {
  damageIn,
  decodeText,
  encodeText,
  detectFormat,
  detectLineEnd,
  readableText,
  TextStream,
  withLineEnds,
} from '../../../src/utils/text/textFile';

describe('text files', () => {
  const text = 'grün 🥛\r\nzwei\n';
  for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const) {
    it(`reads and writes ${encoding} with its mark`, () => {
      const bytes = encodeText(text, { encoding, hasMark: true });
      assert.deepEqual(decodeText(bytes), { text, format: { encoding, hasMark: true } });
    });
  }

  it('reads UTF-8 without a mark', () => {
    assert.deepEqual(decodeText(Buffer.from(text)), { text, format: { encoding: 'utf-8', hasMark: false } });
    assert.deepEqual(encodeText(text, { encoding: 'utf-8', hasMark: false }), Buffer.from(text));
  });

  const unreadable: [string, Buffer][] = [
    ['Latin-1', Buffer.from('grün', 'latin1')],
    ['UTF-16 without a mark', Buffer.from('ab', 'utf16le')],
    ['a binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1])],
    ['UTF-16 with half a character', Buffer.from([0xff, 0xfe, 0x41])],
    ['UTF-16 with a lone surrogate', Buffer.from([0xff, 0xfe, 0x00, 0xd8])],
  ];
  for (const [name, bytes] of unreadable) {
    it(`does not take ${name} for text that it could write back`, () => assert.equal(decodeText(bytes), null));
  }

  it('goes by how most lines end', () => {
    assert.equal(detectLineEnd('a\r\nb\r\nc\n'), '\r\n');
    assert.equal(detectLineEnd('a\r\nb\n'), '\n');
    assert.equal(detectLineEnd('a'), '\n');
    assert.equal(withLineEnds('a\r\nb\n', '\r\n'), 'a\r\nb\r\n');
  });

  const readable: [string, Buffer, string | null][] = [
    ['only a mark', Buffer.from([0xef, 0xbb, 0xbf]), ''],
    ['nothing', Buffer.alloc(0), ''],
    ['a mark in the middle', Buffer.from('a\uFEFFb'), 'a\uFEFFb'],
    ['a line separator and a lone carriage return', Buffer.from('a\u2028b\rc'), 'a\u2028b\rc'],
    ['Latin-1', Buffer.from('gr\xfcn', 'latin1'), 'gr\uFFFDn'],
    ['half of a character at the end', Buffer.from([0x61, 0xf0, 0x9f]), 'a\uFFFD'],
    ['UTF-16 with half of a unit at the end', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62]), 'a\uFFFD'],
    ['UTF-16 without a mark', Buffer.from('ab', 'utf16le'), null],
    ['zero bytes', Buffer.from('a\0b'), null],
  ];
  for (const [name, bytes, expected] of readable) {
    it(`can be shown with ${name}`, () => {
      assert.equal(readableText(bytes), expected);
      const format = detectFormat(bytes);
      if (format === null) return;
      // The text is the same for chunks of any size.
      for (let size = 1; size <= 3; size += 1) {
        const stream: TextStream = new TextStream(format);
        let text = '';
        for (let at = 0; at < bytes.length; at += size) text += stream.push(bytes.subarray(at, at + size));
        assert.deepEqual([text + stream.end(), stream.isExact], [expected, decodeText(bytes) !== null]);
      }
    });
  }

  it('show damage as U+FFFD and halves of characters', () => {
    assert.deepEqual(['grün 🥛', 'a\uFFFDb\uFFFD', 'a\ud83e', '\udd5b'].map(damageIn), [0, 2, 1, 1]);
  });
});
