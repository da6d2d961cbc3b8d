import { closeSync, openSync, readSync } from 'node:fs';
import type { IssueReason } from './importReport';

/** A line of a file of JSON lines, from 1: its value, or why it has none. Empty lines are passed over. */
export type JsonLine = { number: number; value: unknown } | { number: number; problem: IssueReason };

/** A longer line is not read; what a person or a model writes is far from it. */
const maxLineBytes = 64 * 1024 * 1024;
const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/**
 * Reads line by line, never more than one line at a time. `onRead` is told how many bytes each step took; what it throws ends the
 * reading. Throws what the system says.
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
    /** The rest of a line without its end; beyond the limit it is only counted. */
    const keep = (part: Buffer): void => {
      length += part.length;
      if (length > maxBytes) parts = [];
      else if (part.length > 0) parts.push(Buffer.from(part));
    };
    const take = (): JsonLine | null => {
      const isTooLong = length > maxBytes;
      const bytes = Buffer.concat(parts);
      parts = [];
      length = 0;
      return isTooLong ? { number, problem: 'tooLong' } : parse(bytes, number);
    };
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) {
      let start = 0;
      for (let end = chunk.indexOf(newline); end >= 0 && end < count; end = chunk.indexOf(newline, start)) {
        keep(chunk.subarray(start, end));
        const line = take();
        if (line !== null) yield line;
        number += 1;
        start = end + 1;
      }
      if (start < count) keep(chunk.subarray(start, count));
      onRead(count);
    }
    const line = take();
    if (line !== null) yield line;
  } finally {
    closeSync(descriptor);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer, number: number): JsonLine | null {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { number, problem: 'notUtf8' };
  }
  // Some programs fill a file they were about to write with zeros when the power goes.
  if (text.trim() === '') return null;
  try {
    return { number, value: JSON.parse(text) };
  } catch (error) {
    return { number, problem: error instanceof RangeError ? 'tooDeep' : 'notJson' };
  }
}
