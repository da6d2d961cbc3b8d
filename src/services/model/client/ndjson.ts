import { maxAnswerBytes, StreamError, tooLong } from './ollamaErrors';

export type JsonObject = Record<string, unknown>;

const newline = 0x0a;

/**
 * Parses newline-delimited JSON objects. Chunks may split lines and characters anywhere. Blank lines are skipped, and the last line
 * needs no newline. `next` must not be called before the previous call has settled. Throws `StreamError` after the preceding objects:
 * `malformed` for a line that is not a JSON object or exceeds `maxLineBytes`, `incomplete` if that is an unterminated last line.
 * Errors of the source pass through.
 */
export function parseNdjson(
  source: AsyncIterable<Uint8Array>,
  maxLineBytes = maxAnswerBytes,
): AsyncIterableIterator<JsonObject, void> {
  return new NdjsonIterator(source[Symbol.asyncIterator](), maxLineBytes);
}

/** Handwritten iterator: an async generator would add half of the parsing cost. */
class NdjsonIterator implements AsyncIterableIterator<JsonObject, void> {
  /** Complete lines. Lines before `position` are already returned. */
  private text = '';
  private position = 0;
  /** Complete lines after `text`. */
  private following = '';
  /** Pieces of the incomplete line, joined once when it ends. */
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
      // Not through `next`: a nested promise costs as much as a short line.
      if (value !== undefined) return { done: false, value };
    }
    return { done: true, value: undefined };
  }

  private push(chunk: Buffer): void {
    // Fast path: most chunks are one whole line.
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
    // The error of `JSON.parse` quotes the line, which may contain the user's text.
    throw new StreamError(`A line of ${line.length} characters is not JSON`, reason);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StreamError(`A line of ${line.length} characters is JSON, but no object`, reason);
  }
  return value as JsonObject;
}
