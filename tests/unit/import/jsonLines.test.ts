import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readJsonLines, type JsonLine } from '../../../src/services/import/jsonLines';

describe('Lines of JSON', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-lines-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  function read(content: string | Buffer, maxBytes?: number): JsonLine[] {
    const file = path.join(folder, 'lines.jsonl');
    writeFileSync(file, content);
    return [...readJsonLines(file, () => undefined, maxBytes)];
  }

  it('are numbered as an editor numbers them, whatever ends them', () => {
    assert.deepEqual(read('1\n\n2\r\n  \n3'), [
      { number: 1, value: 1 },
      { number: 3, value: 2 },
      { number: 5, value: 3 },
    ]);
    assert.deepEqual(read(''), []);
  });

  it('are whole where they are longer than what is read at once', () => {
    const long = 'ä'.repeat(1_500_000);
    assert.deepEqual(read(`1\n"${long}"\n2\n`), [
      { number: 1, value: 1 },
      { number: 2, value: long },
      { number: 3, value: 2 },
    ]);
  });

  const objects = [
    { number: 1, value: { a: 'ä😀' } },
    { number: 2, value: { b: 2 } },
  ];
  const lines = '{"a":"ä😀"}\r\n{"b":2}';
  const zeros = Buffer.alloc(512);
  const damaged: [title: string, content: Buffer | string, expected: JsonLine[]][] = [
    ['a byte order mark', `\uFEFF${lines}`, objects],
    ['UTF-16, low byte first', Buffer.from(`\uFEFF${lines}\n`, 'utf16le'), objects],
    ['UTF-16, high byte first', Buffer.from(`\uFEFF${lines}`, 'utf16le').swap16(), objects],
    ['zero bytes before an object', Buffer.concat([zeros, Buffer.from(lines)]), objects],
    ['zero bytes behind an object', Buffer.concat([Buffer.from(lines), zeros]), objects],
    [
      'zero bytes alone',
      Buffer.concat([Buffer.from('1\n'), zeros, Buffer.from('\n2')]),
      [
        { number: 1, value: 1 },
        { number: 3, value: 2 },
      ],
    ],
    [
      'part of an object, zero bytes and an object',
      Buffer.concat([Buffer.from('{"x":"to'), zeros, Buffer.from(lines)]),
      [{ number: 1, problem: 'notJson' }, ...objects],
    ],
    [
      'zero bytes in an object',
      Buffer.concat([Buffer.from('{"x":"to'), zeros, Buffer.from('rn"}')]),
      [{ number: 1, problem: 'notJson' }],
    ],
    [
      'two objects on a line',
      '{"a":"}{"}{"b":[{}]} {"c":3}\n{"d":4}',
      [
        { number: 1, value: { a: '}{' } },
        { number: 1, value: { b: [{}] } },
        { number: 1, value: { c: 3 } },
        { number: 2, value: { d: 4 } },
      ],
    ],
    [
      'an end that is cut off',
      '{"a":1}\n{"b":',
      [
        { number: 1, value: { a: 1 } },
        { number: 2, problem: 'notJson' },
      ],
    ],
  ];
  for (const [title, content, expected] of damaged) it(`are read with ${title}`, () => assert.deepEqual(read(content), expected));

  it('are whole in UTF-16 where they are longer than what is read at once', () => {
    const long = `x${'😀'.repeat(400_000)}`;
    assert.deepEqual(read(Buffer.from(`\uFEFF"${long}"\n2`, 'utf16le')), [
      { number: 1, value: long },
      { number: 2, value: 2 },
    ]);
  });

  it('say why they have no value, and do not hide the ones after them', () => {
    assert.deepEqual(
      read(Buffer.concat([Buffer.from('{\n"'), Buffer.from([0xc3, 0x28]), Buffer.from(`"\n"${'x'.repeat(50)}"\n4`)]), 40),
      [
        { number: 1, problem: 'notJson' },
        { number: 2, problem: 'notUtf8' },
        { number: 3, problem: 'tooLong' },
        { number: 4, value: 4 },
      ],
    );
  });
});
