import { maxAnswerBytes, StreamError, tooLong } from './ollamaErrors';

export type JsonObject = Record<string, unknown>;

const newline = 0x0a;

/**
 * Turns bytes into the objects on their lines. Lines may be split anywhere, inside a character too; blank lines
 * are skipped, the last line needs no newline. `next` must not be called again before it has settled.
 * @throws StreamError `malformed` for a line that is no JSON object or longer than `maxLineBytes`, after the objects before it; `incomplete` when that is
 *   an unterminated last line. Whatever the source throws passes through.
 */
export function parseNdjson(
  source: AsyncIterable<Uint8Array>,
  maxLineBytes = maxAnswerBytes,
): AsyncIterableIterator<JsonObject, void> {
  return new NdjsonIterator(source[Symbol.asyncIterator](), maxLineBytes);
}

/** Iterates over lines. Written by hand because an async generator alone would cost half as much again as parsing. */
class NdjsonIterator implements AsyncIterableIterator<JsonObject, void> {
  /** Complete lines, of which those before `position` have been handed out. */
  private text = '';
  private position = 0;
  /** The complete lines after those. */
  private following = '';
  /** Pieces of the line that is not complete yet: joined once, when its end is there. */
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private isEnded = false;

  constructor(
    private readonly source: AsyncIterator<Uint8Array>,
    private readonly maxLineBytes: number,
  ) {}

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
    this.text = this.following = '';
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
      let value: JsonObject | undefined;
      try {
        if (read.done) this.end();
        else this.push(asBuffer(read.value));
        value = this.nextObject();
      } catch (error) {
        return this.fail(error);
      }
      // Not by way of `next`: a promise inside a promise would cost as much as a short line.
      if (value !== undefined) return { done: false, value };
    }
    return { done: true, value: undefined };
  }

  private push(chunk: Buffer): void {
    // Most chunks of a stream are one whole line.
    const last = chunk.at(-1) === newline ? chunk.length - 1 : chunk.lastIndexOf(newline);
    if (last === -1) {
      this.keep(chunk);
      return;
    }
    if (this.pending.length === 0) this.take(chunk, 0, last);
    else {
      const first = chunk.indexOf(newline);
      this.takePending(chunk.subarray(0, first));
      if (first < last) this.following = decoded(chunk, first + 1, last);
    }
    if (last + 1 < chunk.length) this.keep(chunk.subarray(last + 1));
  }

  private keep(piece: Buffer): void {
    this.pendingBytes += piece.length;
    if (this.pendingBytes > this.maxLineBytes) throw tooLong(this.maxLineBytes);
    this.pending.push(piece);
  }

  private end(): void {
    this.isEnded = true;
    this.takePending(Buffer.alloc(0));
  }

  private takePending(end: Buffer): void {
    const line = Buffer.concat([...this.pending, end]);
    this.pending = [];
    this.pendingBytes = 0;
    this.take(line, 0, line.length);
  }

  private take(bytes: Buffer, start: number, end: number): void {
    this.text = decoded(bytes, start, end);
    this.position = 0;
  }

  private nextObject(): JsonObject | undefined {
    for (;;) {
      while (this.position < this.text.length) {
        const next = this.text.indexOf('\n', this.position);
        const end = next === -1 ? this.text.length : next;
        const line = this.text.slice(this.position, end);
        this.position = end + 1;
        const value = line === '' ? undefined : parseLine(line, this.isEnded ? 'incomplete' : 'malformed');
        if (value !== undefined) return value;
      }
      this.text = this.following;
      this.following = '';
      this.position = 0;
      if (this.text === '') return undefined;
    }
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function decoded(bytes: Buffer, start: number, end: number): string {
  try {
    return bytes.toString('utf8', start, end);
  } catch (error) {
    throw new StreamError(`A line of ${end - start} bytes is longer than a string can be`, 'malformed', { cause: error });
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
