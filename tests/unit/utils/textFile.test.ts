import assert from 'node:assert/strict';
import { decodeText, encodeText, lineEndOf, withLineEnds } from '../../../src/utils/text/textFile';

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
    assert.equal(lineEndOf('a\r\nb\r\nc\n'), '\r\n');
    assert.equal(lineEndOf('a\r\nb\n'), '\n');
    assert.equal(lineEndOf('a'), '\n');
    assert.equal(withLineEnds('a\r\nb\n', '\r\n'), 'a\r\nb\r\n');
  });
});
