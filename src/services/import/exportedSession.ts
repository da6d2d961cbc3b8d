import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { entrySchema, type Entry } from '../../protocol/entries';
import { exportFormat, exportVersion } from '../../protocol/exportedSession';
import { describedHead, type ImportSink, type ImportSource } from './importedEntry';
import { textOrNull, readTime, titleFrom } from './importedValues';
import { inputOfEntry } from './database/ownLog';
import { isRecord } from '../../utils/json';
import { readableText } from '../../utils/text/textFile';

const maxBytes = 512 * 1024 * 1024;
const beginning = new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${exportFormat}"`);

/** Returns true if a file starts like a JSON export of this product. */
export function isExportedSession(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(200);
    return beginning.test(readableText(head.subarray(0, readSync(descriptor, head))) ?? '');
  } finally {
    closeSync(descriptor);
  }
}

/** Creates the source for a session that was exported as JSON. Returns null if the file has another format. */
export function exportedSource(file: string): ImportSource | null {
  const { size } = statSync(file);
  const found = size > maxBytes ? null : read(file);
  const session = found !== null && isRecord(found.session) ? found.session : null;
  const id = textOrNull(session?.id);
  if (found === null || session === null || id === null) return null;
  return {
    format: 'exported',
    place: file,
    file,
    id,
    size,
    read: (sink) => {
      const exported = read(file);
      const title = addEntries(exported?.entries, sink);
      for (const image of imagesIn(exported?.images)) sink.image(image);
      sink.onRead(size);
      return { ...describedHead(session, title), status: 'idle' };
    },
  };
}

function read(file: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(readableText(readFileSync(file)) ?? '');
    return isRecord(value) && value.format === exportFormat && value.version === exportVersion ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function imagesIn(images: unknown): Buffer[] {
  return (Array.isArray(images) ? images : []).flatMap((image: unknown) =>
    isRecord(image) && typeof image.data === 'string' ? [Buffer.from(image.data, 'base64')] : [],
  );
}

function addEntries(entries: unknown, sink: ImportSink): string {
  const log = new ExportedLog(sink);
  for (const [index, value] of (Array.isArray(entries) ? entries : []).entries()) log.add(value, index + 1);
  return log.title;
}

/** Adds exported entries. Omitted entries leave gaps in the exported `seq`, so references are mapped to the new `seq`. */
export class ExportedLog {
  title = '';
  /** Exported `seq` and new `seq` of each added entry, in order. */
  private readonly places: [from: number, to: number][] = [];

  constructor(private readonly sink: ImportSink) {}

  add(value: unknown, line: number): void {
    const parsed = entrySchema.safeParse(value);
    if (!parsed.success) {
      this.sink.issue(line, 'unknownForm');
      return;
    }
    const entry = parsed.data;
    const input = inputOfEntry(entry, (seq) => this.mapSeq(seq, entry));
    const seq = this.sink.add({ id: entry.id, line, time: readTime(new Date(entry.timestamp).toISOString()), input });
    if (seq > 0) this.places.push([entry.seq, seq]);
    if (this.title === '' && entry.type === 'user_input') this.title = titleFrom(entry.content);
  }

  /** Maps an exported `seq`. If the entry was omitted, uses the next entry for a rewind, and the previous entry for all other types. */
  private mapSeq(seq: number, { type }: Entry): number {
    if (type === 'rewind') return this.places.find(([from]) => from >= seq)?.[1] ?? this.sink.lastSeq + 1;
    return this.places.findLast(([from]) => from <= seq)?.[1] ?? 0;
  }
}
