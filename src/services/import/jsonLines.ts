import { closeSync, openSync, readSync } from 'node:fs';
import { leadingRecord } from '../../utils/json';
import type { IssueReason } from './importReport';

/** Value in a JSON lines file, or a problem of its line. `number` is the line number, from 1. Empty lines are skipped. */
export type JsonLine = { number: number; value: unknown } | { number: number; problem: IssueReason };

/** Maximum length of a line in bytes. No message is nearly as long. */
const maxLineBytes = 64 * 1024 * 1024;
const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/**
 * Reads a file line by line, with one line in memory. The file is UTF-8, or UTF-16 with a byte order mark. A line may
 * contain several objects, and zero bytes around them. Both can result when a program ends during a write. Calls
 * `onRead` with the number of bytes of each step. If `onRead` throws an error, reading stops. Throws file system errors.
 */
export function* readJsonLines(
  file: string,
  onRead: (bytes: number) => void,
  maxBytes = maxLineBytes,
): Generator<JsonLine, void> {
  const descriptor = openSync(file, 'r');
  try {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    let parts: Buffer[] = [];
    let length = 0;
    let number = 1;
    /** Buffers part of a line. If the line is too long, only its length is counted. */
    const keep = (part: Buffer): void => {
      length += part.length;
      if (length > maxBytes) parts = [];
      else if (part.length > 0) parts.push(Buffer.from(part));
    };
    const take = (): JsonLine[] => {
      const isTooLong = length > maxBytes;
      const bytes = Buffer.concat(parts);
      parts = [];
      length = 0;
      return isTooLong ? [{ number, problem: 'tooLong' }] : valuesIn(bytes, number);
    };
    let decoder: TextDecoder | null | undefined;
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) {
      const read = chunk.subarray(0, count);
      if (decoder === undefined) decoder = decoderFor(read);
      const bytes = decoder === null ? read : Buffer.from(decoder.decode(read, { stream: true }));
      let start = 0;
      for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
        keep(bytes.subarray(start, end));
        yield* take();
        number += 1;
        start = end + 1;
      }
      keep(bytes.subarray(start));
      onRead(count);
    }
    yield* take();
  } finally {
    closeSync(descriptor);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the decoder for a file that starts with a UTF-16 byte order mark. Returns null for UTF-8. */
function decoderFor(start: Buffer): TextDecoder | null {
  if (start.length < 2) return null;
  const mark = start.readUInt16BE(0);
  return mark === 0xfffe ? new TextDecoder('utf-16le') : mark === 0xfeff ? new TextDecoder('utf-16be') : null;
}

function valuesIn(bytes: Buffer, number: number): JsonLine[] {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return [{ number, problem: 'notUtf8' }];
  }
  // After a power failure, a file may contain zero bytes. JSON never contains them.
  const values = text.split(/\0+/).flatMap((part) => parseValues(part.trim(), number));
  const firstProblem = values.find((value) => 'problem' in value);
  return values.filter((value) => !('problem' in value) || value === firstProblem);
}

function parseValues(text: string, number: number): JsonLine[] {
  const values: JsonLine[] = [];
  for (let rest = text; rest !== '';) {
    const value = parse(rest, number);
    const first = 'problem' in value && value.problem === 'notJson' ? leadingRecord(rest) : undefined;
    values.push(first === undefined ? value : { number, value: first.value });
    rest = first === undefined ? '' : rest.slice(first.end).trim();
  }
  return values;
}

function parse(text: string, number: number): JsonLine {
  try {
    return { number, value: JSON.parse(text) };
  } catch (error) {
    return { number, problem: error instanceof RangeError ? 'tooDeep' : 'notJson' };
  }
}
