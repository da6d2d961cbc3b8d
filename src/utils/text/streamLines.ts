const newline = 0x0a;

/**
 * Splits a stream of UTF-8 bytes only at `\n`. In contrast, `readline` also splits at U+2028, U+2029 and `\r`, which are
 * part of a line. Yields the lines without `\n`. Yields the last line only if it is not empty.
 */
export async function* streamLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let parts: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8');
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield Buffer.concat(parts).toString('utf8');
}
