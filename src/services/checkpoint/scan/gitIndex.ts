import { lowerAscii } from './gitPattern';

/** The names of git's index, as bytes from the repository's top: what is tracked is never ignored. https://git-scm.com/docs/index-format */
export class TrackedNames {
  static readonly none = new TrackedNames([], false);
  /** Where case does not count, without capitals. */
  private readonly names = new Set<string>();
  private readonly folders = new Set<string>();

  private constructor(
    /** As the index has them. */
    readonly asWritten: readonly string[],
    private readonly ignoreCase: boolean,
  ) {}

  /** Pauses now and then. */
  static *of(names: readonly string[], ignoreCase: boolean): Generator<undefined, TrackedNames> {
    const tracked = new TrackedNames(names, ignoreCase);
    for (const [index, name] of names.entries()) {
      if (index % stepSize === stepSize - 1) yield;
      tracked.add(tracked.cased(name));
    }
    return tracked;
  }

  has(path: string): boolean {
    return this.names.has(this.cased(path));
  }

  hasInside(folder: string): boolean {
    return this.folders.has(this.cased(folder));
  }

  private add(name: string): void {
    this.names.add(name);
    for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
      const folder = name.slice(0, end);
      if (this.folders.has(folder)) return;
      this.folders.add(folder);
    }
  }

  private cased(path: string): string {
    return this.ignoreCase ? lowerAscii(path) : path;
  }
}

export interface IndexNames {
  names: string[];
  /** The hash of the index that this one is split from. */
  sharedFrom: string | null;
}

/** Entries or names between two pauses. */
const stepSize = 2000;

/** Versions 2 to 4; null for what is not an index or one of a later kind. Pauses now and then. */
export function* namesInIndex(bytes: Buffer, hashLength: number): Generator<undefined, IndexNames | null> {
  if (bytes.length < 12 + hashLength || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (version < 2 || version > 4) return null;
  const names: string[] = [];
  let at = 12;
  let name = '';
  for (let entry = 0; entry < count; entry += 1) {
    if (entry % stepSize === stepSize - 1) yield;
    const start = at;
    at += 40 + hashLength;
    const isExtended = (bytes.readUInt16BE(at) & 0x4000) !== 0;
    at += isExtended ? 4 : 2;
    if (version === 4) {
      const strip = variableInteger(bytes, at);
      at = strip.next;
      const end = bytes.indexOf(0, at);
      name = name.slice(0, name.length - strip.value) + bytes.toString('latin1', at, end);
      at = end + 1;
    } else {
      const end = bytes.indexOf(0, at);
      name = bytes.toString('latin1', at, end);
      at = start + ((end - start + 8) & ~7);
    }
    if (name !== '') names.push(name);
  }
  return { names, sharedFrom: sharedFrom(bytes, at, hashLength) };
}

function variableInteger(bytes: Buffer, start: number): { value: number; next: number } {
  let at = start;
  let byte = bytes.readUInt8(at);
  let value = byte & 127;
  while (byte & 128) {
    at += 1;
    byte = bytes.readUInt8(at);
    value = (value + 1) * 128 + (byte & 127);
  }
  return { value, next: at + 1 };
}

function sharedFrom(bytes: Buffer, start: number, hashLength: number): string | null {
  for (let at = start; at + 8 <= bytes.length - hashLength; at += 8 + bytes.readUInt32BE(at + 4)) {
    if (bytes.toString('latin1', at, at + 4) !== 'link') continue;
    const hash = bytes.toString('hex', at + 8, at + 8 + hashLength);
    return /^0+$/.test(hash) ? null : hash;
  }
  return null;
}
