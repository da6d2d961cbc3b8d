import type { FileHandle } from 'node:fs/promises';
import { isCancelled } from '../../utils/errors';
import { KeyScanner } from '../../utils/sensitivity/keyScanner';
import { openSeen, type SeenFile } from '../../services/files/openSeen';

/** Bytes that are read and looked into at once: a few milliseconds. */
const sliceBytes = 256 * 1024;
/** Larger files are looked into once for as long as they are the same. */
const maxKnown = 500;
const known = new Map<string, boolean>();

/**
 * Resolves with whether a text file holds what looks like a key, looking through all of it slice by slice. What cannot be read holds nothing. Rejects
 * with `CancelledError`, or the reason of the signal, once that has fired.
 */
export async function hasKeyInText(real: string, seen: SeenFile | null, signal?: AbortSignal): Promise<boolean> {
  if (seen?.kind !== 'file') return false;
  try {
    const file = await openSeen(real, real, seen);
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
      const isLarge = size > sliceBytes;
      const version = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
      const before = isLarge ? known.get(version) : undefined;
      if (before !== undefined) return before;
      const hasKey = await hasKeyIn(file, Number(size), signal);
      if (isLarge) remember(version, hasKey);
      return hasKey;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (signal?.aborted === true || isCancelled(error)) throw error;
    // Whoever reads it is told why.
    return false;
  }
}

/** A file that grows meanwhile is looked into no further. */
async function hasKeyIn(file: FileHandle, size: number, signal: AbortSignal | undefined): Promise<boolean> {
  const scanner = new KeyScanner();
  const buffer = Buffer.alloc(Math.min(size, sliceBytes));
  let decode: ((bytes: Buffer) => string) | null = null;
  for (let at = 0; at < size;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
    const bytes = buffer.subarray(0, bytesRead);
    decode ??= decoderOf(bytes);
    if (decode === null) return false;
    // It may have become shorter meanwhile.
    at = bytesRead === 0 ? size : at + bytesRead;
    if (scanner.hasKey(decode(bytes), at >= size)) return true;
  }
  return false;
}

/** Returns what reads the slices of a file one after the other; null for one that is no text. Keys are ASCII, which all encodings but UTF-16 share. */
function decoderOf(bytes: Buffer): ((bytes: Buffer) => string) | null {
  const mark = bytes.subarray(0, 2).toString('hex');
  if (mark === 'fffe' || mark === 'feff') {
    const decoder = new TextDecoder(mark === 'fffe' ? 'utf-16le' : 'utf-16be');
    return (slice) => decoder.decode(slice, { stream: true });
  }
  // The mark of UTF-8 would stand before what begins the first line.
  if (bytes.subarray(0, 3).toString('hex') === 'efbbbf') {
    const decoder = new TextDecoder();
    return (slice) => decoder.decode(slice, { stream: true });
  }
  return bytes.includes(0) ? null : (slice) => slice.toString('latin1');
}

function remember(version: string, hasKey: boolean): void {
  const [oldest] = known.keys();
  if (known.size >= maxKnown && oldest !== undefined) known.delete(oldest);
  known.set(version, hasKey);
}
