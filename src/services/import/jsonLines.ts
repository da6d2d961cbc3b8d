import { closeSync, openSync, readSync } from 'node:fs';
import type { IssueReason } from './importReport';

/** Line of a JSON lines file, numbered from 1: its value or a problem. Empty lines are skipped. */
export type JsonLine = { number: number; value: unknown } | { number: number; problem: IssueReason };

/** Maximum length of a line in bytes, far above any message. */
const maxLineBytes = 64 * 1024 * 1024;
const chunkBytes = 1024 * 1024;
const newline = 0x0a;

/**
 * Reads a file line by line, with one line in memory. Calls `onRead` with the bytes of each step; an error that it throws ends the
 * read. Throws file system errors.
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
    /** Buffers part of a line. Beyond the limit, only its length is counted. */
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
  // After a power failure, a file may contain zeros.
  if (text.trim() === '') return null;
  try {
    return { number, value: JSON.parse(text) };
  } catch (error) {
    return { number, problem: error instanceof RangeError ? 'tooDeep' : 'notJson' };
  }
}
