import { isRecord, leadingRecord } from '../../../utils/json';
import { maxAnswerBytes, StreamError, tooLong } from './ollamaErrors';

export type JsonObject = Record<string, unknown>;

const newline = 0x0a;

/** Maximum number of consecutive lines that are not JSON objects. The longest error pages have a few hundred lines. */
const maxStrays = 1000;
/** Matches text before an object: a byte order mark, NUL characters, and the prefix of an event stream, which some proxies add. */
const lineStart = /^[\uFEFF\0\s]*(?:data:\s*)?/;

/**
 * Parses newline-delimited JSON objects. Chunks may split lines and characters anywhere. Blank lines are skipped. The last line
 * needs no newline, and a line may contain several objects. For any other line, calls `onStray` with its JSON value, or with its
 * text. `next` must not be called before the previous call has settled.
 *
 * After the preceding objects, throws `StreamError` with one of these reasons:
 * - `malformed`: a line begins an object but is not valid JSON, exceeds `maxLineBytes`, or follows 1,000 lines without an object.
 * - `incomplete`: the stream ends within an object.
 *
 * Errors from the source are rethrown.
 */
export function parseNdjson(
  source: AsyncIterable<Uint8Array>,
  onStray: (line: unknown) => void = () => undefined,
  maxLineBytes = maxAnswerBytes,
): AsyncIterableIterator<JsonObject, void> {
  return new NdjsonIterator(source[Symbol.asyncIterator](), onStray, maxLineBytes);
}

/** Handwritten iterator, because an async generator would add half of the parsing cost. */
class NdjsonIterator implements AsyncIterableIterator<JsonObject, void> {
  /** Complete lines. Lines before `position` have already been returned. */
  private text = '';
  private position = 0;
  /** Complete lines that follow `text`. */
  private following = '';
  /** Parts of the incomplete line. They are joined once when the line ends. */
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private isEnded = false;
  private strays = 0;

  constructor(
    private readonly source: AsyncIterator<Uint8Array>,
    private readonly onStray: (line: unknown) => void,
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
      // Does not call `next`, because a nested promise costs as much as a short line.
      if (value !== undefined) return { done: false, value };
    }
    return { done: true, value: undefined };
  }

  private push(chunk: Buffer): void {
    // Fast path, because most chunks are one whole line.
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
        const value = line === '' ? undefined : this.objectIn(line, end);
        if (value !== undefined) return value;
      }
      this.text = this.following;
      this.following = '';
      this.position = 0;
      if (this.text === '') return undefined;
    }
  }

  /** Returns the first object of a line that ends at `end`. The text after the object is then read like a line. */
  private objectIn(line: string, end: number): JsonObject | undefined {
    const value = parsed(line);
    if (isRecord(value)) {
      this.strays = 0;
      return value;
    }
    const text = line.replace(lineStart, '');
    const first = leadingRecord(text);
    if (first !== undefined) {
      this.strays = 0;
      this.position = end - text.length + first.end;
      return first.value;
    }
    if (text.trim() !== '') this.skip(text, value);
    return undefined;
  }

  private skip(text: string, value: unknown): void {
    // The rest of the object is lost. Skipping the line would leave a gap in the response.
    if (value === undefined && text.startsWith('{')) {
      throw new StreamError(`A line of ${text.length} characters is not JSON`, this.isEnded ? 'incomplete' : 'malformed');
    }
    this.strays += 1;
    if (this.strays > maxStrays) throw new StreamError(`${maxStrays} lines in a row are no JSON objects`, 'malformed');
    this.onStray(value === undefined ? text : value);
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

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The error of `JSON.parse` quotes the line, which may contain the user's text. So the error is dropped.
    return undefined;
  }
}
