import assert from 'node:assert/strict';
import { parseNdjson, type JsonObject } from '../../../src/services/model/client/ndjson';
import { StreamError } from '../../../src/services/model/client/ollamaErrors';
import { collect } from './support/client';

async function* pieces(...chunks: (Uint8Array | string)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

function inPiecesOf(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  return pieces(...Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size)));
}

/** Returns the error and the objects before it. */
async function until(source: AsyncIterable<JsonObject>): Promise<{ read: JsonObject[]; error: unknown }> {
  const read: JsonObject[] = [];
  try {
    for await (const value of source) read.push(value);
  } catch (error) {
    return { read, error };
  }
  return { read, error: undefined };
}

describe('NDJSON', () => {
  const objects = [{ a: 'Grüße 👩‍👩‍👧 \u003c' }, { b: { c: [1, null] }, unknown_field: true }, { d: 'line\nbreak' }];
  const bytes = Buffer.from(objects.map((object) => JSON.stringify(object)).join('\n') + '\n');

  it('reads the same objects wherever the bytes are split, also inside a character', async () => {
    for (let offset = 0; offset <= bytes.length; offset += 1) {
      const read = await collect(parseNdjson(pieces(bytes.subarray(0, offset), bytes.subarray(offset))));
      assert.deepEqual(read, objects, `split at ${offset}`);
    }
  });

  it('reads one byte at a time as well as everything at once', async () => {
    assert.deepEqual(await collect(parseNdjson(inPiecesOf(bytes, 1))), objects);
    assert.deepEqual(await collect(parseNdjson(pieces(bytes))), objects);
  });

  it('reads a last line without a newline', async () => {
    assert.deepEqual(await collect(parseNdjson(pieces('{"a":1}\n{"b"', ':2}'))), [{ a: 1 }, { b: 2 }]);
  });

  it('skips blank lines and tolerates carriage returns', async () => {
    assert.deepEqual(await collect(parseNdjson(pieces('\n\n{"a":1}\r\n \r\n\n', '\n{"b":2}\n\n'))), [{ a: 1 }, { b: 2 }]);
  });

  it('reads a line of many megabytes, and stops at one that does not end', async () => {
    const text = 'x'.repeat(20 * 1024 * 1024);
    const [read] = await collect(parseNdjson(inPiecesOf(Buffer.from(JSON.stringify({ text }) + '\n'), 64 * 1024)));
    assert.equal(read?.['text'], text);
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"a":1}\n');
      for (; sent < 900; sent += 1) yield Buffer.alloc(1024 * 1024, 0x61);
    }
    const { read: before, error } = await until(parseNdjson(endless()));
    assert.deepEqual(before, [{ a: 1 }]);
    assert.ok(error instanceof StreamError && error.reason === 'malformed');
    assert.match(error.userMessage, /more than 64 MB in one message/);
    assert.equal(sent, 64);
  });

  it('counts the bytes of one line, not those of all', async () => {
    const lines = '{"a":1}\n'.repeat(100);
    assert.equal((await collect(parseNdjson(inPiecesOf(Buffer.from(lines), 3), undefined, 10))).length, 100);
    const { error } = await until(parseNdjson(inPiecesOf(Buffer.from('{"a":1111111}\n'), 3), undefined, 10));
    assert.ok(error instanceof StreamError);
  });

  it('reads nothing from an empty source', async () => {
    assert.deepEqual(await collect(parseNdjson(pieces())), []);
    assert.deepEqual(await collect(parseNdjson(pieces(''))), []);
  });

  it('reads a line of 20 MB between two short ones', async () => {
    const long = { content: 'é'.repeat(10_000_000) };
    const source = inPiecesOf(Buffer.from(`{"a":1}\n${JSON.stringify(long)}\n{"b":2}\n`), 65_536);
    const read = await collect(parseNdjson(source));
    assert.equal(read.length, 3);
    assert.equal(read[1]?.['content'], long.content);
  });

  it('fails at a part of an object after handing out the ones before it, and quotes nothing of it', async () => {
    const { read, error } = await until(parseNdjson(pieces('{"a":1}\n{"secret: 2}\n{"b":2}\n')));
    assert.deepEqual(read, [{ a: 1 }]);
    assert.ok(error instanceof StreamError);
    assert.equal(error.reason, 'malformed');
    assert.ok(!`${error.message} ${error.userMessage}`.includes('secret'));
    assert.equal(error.cause, undefined);
  });

  const strays: [title: string, line: string, value: unknown][] = [
    ['a list', '[{"a":1}]', [{ a: 1 }]],
    ['null', 'null', null],
    ['a number', '7', 7],
    ['a text in quotes', '"text"', 'text'],
    ['the page of a proxy', '<h1>502 Bad Gateway</h1>', '<h1>502 Bad Gateway</h1>'],
    ['a comment of an event stream', ': keep-alive', ': keep-alive'],
    ['the end of an event stream', 'data: [DONE]', '[DONE]'],
  ];
  for (const [title, line, value] of strays)
    it(`passes over ${title}, and reads the object behind it`, async () => {
      const skipped: unknown[] = [];
      const source = parseNdjson(pieces(`${line}\n{"b":2}\n`), (stray) => skipped.push(stray));
      assert.deepEqual([await collect(source), skipped], [[{ b: 2 }], [value]]);
    });

  const odd: [title: string, text: string, objects: JsonObject[]][] = [
    ['behind a byte order mark', '\uFEFF{"a":1}\n', [{ a: 1 }]],
    ['behind zero bytes', '\0\0\0{"a":1}\n', [{ a: 1 }]],
    ['of an event stream', 'data: {"a":1}\n\ndata:{"b":2}\n\n', [{ a: 1 }, { b: 2 }]],
    ['on one line', '{"a":"}{\\""}{"b":{"c":2}} {"d":3}', [{ a: '}{"' }, { b: { c: 2 } }, { d: 3 }]],
    ['with U+2028 in a text', '{"a":"x\u2028y"}\n{"b":2}', [{ a: 'x\u2028y' }, { b: 2 }]],
  ];
  for (const [title, text, objects] of odd)
    it(`reads objects ${title}`, async () => {
      const noStray = (line: unknown) => assert.fail(String(line));
      assert.deepEqual(await collect(parseNdjson(pieces(text), noStray)), objects);
    });

  it('reads bytes that are not UTF-8 as replacement characters', async () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"x'), Buffer.of(0xff), Buffer.from('"}\n')]);
    assert.deepEqual(await collect(parseNdjson(pieces(bytes))), [{ a: 'x\uFFFD' }]);
  });

  it('calls a last line that was cut off incomplete', async () => {
    const { read, error } = await until(parseNdjson(pieces('{"a":1}\n{"b":')));
    assert.deepEqual(read, [{ a: 1 }]);
    assert.ok(error instanceof StreamError);
    assert.equal(error.reason, 'incomplete');
  });

  it('passes on what the source throws, after the lines that had arrived', async () => {
    const broken = new Error('broken');
    async function* source() {
      yield Buffer.from('{"a":1}\n{"b"');
      throw broken;
    }
    assert.deepEqual(await until(parseNdjson(source())), { read: [{ a: 1 }], error: broken });
  });

  it('closes the source when the reader leaves early, or when no object comes', async () => {
    let closed = 0;
    async function* source(text: string) {
      try {
        for (;;) yield Buffer.from(text);
      } finally {
        closed += 1;
      }
    }
    for await (const value of parseNdjson(source('{"a":1}\n'))) {
      assert.deepEqual(value, { a: 1 });
      break;
    }
    assert.equal(closed, 1);
    await until(parseNdjson(source('oops\n')));
    assert.equal(closed, 2);
  });
});
