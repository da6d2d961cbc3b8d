import { StreamError } from './ollamaErrors';

export type JsonObject = Record<string, unknown>;

const newline = 0x0a;

/**
 * Bytes to the objects on their lines. Lines may be of any length and split anywhere, inside a character too; blank lines
 * are skipped, the last line needs no newline. `next` must not be called again before it has settled.
 * @throws StreamError `malformed` for a line that is no JSON object, after the objects before it; `incomplete` when that is
 *   an unterminated last line. Whatever the source throws passes through.
 */
export function parseNdjson(source: AsyncIterable<Uint8Array>): AsyncIterableIterator<JsonObject, void> {
  return new NdjsonIterator(source[Symbol.asyncIterator]());
}

/** Written by hand because an async generator alone would cost half as much again as parsing. */
class NdjsonIterator implements AsyncIterableIterator<JsonObject, void> {
  /** Complete lines, of which those before `position` have been handed out. */
  private text = '';
  private position = 0;
  /** Pieces of the line that is not complete yet: joined once, when its end is there. */
  private pending: Buffer[] = [];
  private isEnded = false;

  constructor(private readonly source: AsyncIterator<Uint8Array>) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<JsonObject, void>> {
    try {
      const value = this.nextObject();
      return value === undefined ? this.refill() : Promise.resolve({ done: false, value });
    } catch (error) {
      return this.fail(error);
    }
  }

  async return(): Promise<IteratorResult<JsonObject, void>> {
    this.text = '';
    this.pending = [];
    this.isEnded = true;
    await this.source.return?.();
    return { done: true, value: undefined };
  }

  private async fail(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }

  private async refill(): Promise<IteratorResult<JsonObject, void>> {
    while (!this.isEnded) {
      const read = await this.source.next();
      if (read.done) {
        this.isEnded = true;
        this.take(Buffer.concat(this.pending));
        this.pending = [];
      } else this.push(Buffer.from(read.value.buffer, read.value.byteOffset, read.value.byteLength));
      if (this.position < this.text.length) return this.next();
    }
    return { done: true, value: undefined };
  }

  private push(chunk: Buffer): void {
    const end = chunk.lastIndexOf(newline);
    if (end === -1) {
      this.pending.push(chunk);
      return;
    }
    const lines = chunk.subarray(0, end);
    this.take(this.pending.length === 0 ? lines : Buffer.concat([...this.pending, lines]));
    this.pending = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
  }

  private take(bytes: Buffer): void {
    try {
      this.text = bytes.toString('utf8');
      this.position = 0;
    } catch (error) {
      throw new StreamError(`A line of ${bytes.length} bytes is longer than a string can be`, 'malformed', { cause: error });
    }
  }

  private nextObject(): JsonObject | undefined {
    while (this.position < this.text.length) {
      const next = this.text.indexOf('\n', this.position);
      const end = next === -1 ? this.text.length : next;
      const line = this.text.slice(this.position, end);
      this.position = end + 1;
      const value = line === '' ? undefined : parseLine(line, this.isEnded ? 'incomplete' : 'malformed');
      if (value !== undefined) return value;
    }
    this.text = '';
    this.position = 0;
    return undefined;
  }
}

function parseLine(line: string, reason: 'malformed' | 'incomplete'): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    if (line.trim() === '') return undefined;
    // The parser's own message quotes the line, which may hold what the person wrote.
    throw new StreamError(`A line of ${line.length} characters is not JSON`, reason);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StreamError(`A line of ${line.length} characters is JSON, but no object`, reason);
  }
  return value as JsonObject;
}
