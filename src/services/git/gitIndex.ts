import { lowerAscii } from './gitPattern';

/** Names in Git's index, as bytes. Names in the index are tracked and never ignored. https://git-scm.com/docs/index-format */
export class TrackedNames {
  static readonly none = new TrackedNames([], false);
  private readonly names: readonly string[];

  constructor(
    names: readonly string[],
    private readonly ignoreCase: boolean,
  ) {
    this.names = ignoreCase ? names.map(lowerAscii).sort() : names;
  }

  has(path: string): boolean {
    const wanted = this.ignoreCase ? lowerAscii(path) : path;
    return this.names[this.firstFrom(wanted)] === wanted;
  }

  hasInside(folder: string): boolean {
    const prefix = `${this.ignoreCase ? lowerAscii(folder) : folder}/`;
    return this.names[this.firstFrom(prefix)]?.startsWith(prefix) ?? false;
  }

  private firstFrom(wanted: string): number {
    let low = 0;
    let high = this.names.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.names[middle] as string) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export interface IndexNames {
  names: string[];
  /** Hash of the shared index if this index is split. */
  sharedFrom: string | null;
}

/** Reads versions 2 to 4. Returns null for other versions or incomplete data. */
export function namesInIndex(bytes: Buffer, hashLength: number): IndexNames | null {
  try {
    return readIndex(bytes, hashLength);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readIndex(bytes: Buffer, hashLength: number): IndexNames | null {
  if (bytes.length < 12 + hashLength || bytes.toString('latin1', 0, 4) !== 'DIRC') return null;
  const version = bytes.readUInt32BE(4);
  const count = bytes.readUInt32BE(8);
  if (version < 2 || version > 4) return null;
  const names: string[] = [];
  let at = 12;
  let name = '';
  for (let entry = 0; entry < count; entry += 1) {
    const start = at;
    at += 40 + hashLength;
    const isExtended = (bytes.readUInt16BE(at) & 0x4000) !== 0;
    at += isExtended ? 4 : 2;
    if (version === 4) {
      const strip = variableInteger(bytes, at);
      at = strip.next;
      const end = endOfName(bytes, at);
      name = name.slice(0, name.length - strip.value) + bytes.toString('latin1', at, end);
      at = end + 1;
    } else {
      const end = endOfName(bytes, at);
      name = bytes.toString('latin1', at, end);
      at = start + ((end - start + 8) & ~7);
    }
    if (name !== '') names.push(name);
  }
  return { names, sharedFrom: sharedFrom(bytes, at, hashLength) };
}

function endOfName(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(0, start);
  if (end === -1) throw new RangeError('A name without an end');
  return end;
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
