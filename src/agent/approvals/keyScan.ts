import type { FileHandle } from 'node:fs/promises';
import { isCancelled } from '../../utils/errors';
import { detectFormat, TextStream } from '../../utils/text/textFile';
import { KeyScanner } from '../../utils/sensitivity/keyScanner';
import { openVerified, type FileIdentity } from '../../services/files/verifiedOpen';

/** Size of one scanned slice in bytes. Scanning a slice takes a few milliseconds. */
const sliceBytes = 256 * 1024;
/** Maximum number of cached results. Only files larger than one slice are cached. */
const maxCached = 500;
const cached = new Map<string, boolean>();

/**
 * Returns whether a text file contains text that looks like a key. Scans the whole file in slices. Returns false
 * for an unreadable file. Rejects with `CancelledError` or the signal's reason when the signal is aborted.
 */
export async function hasKeyInText(real: string, seen: FileIdentity | null, signal?: AbortSignal): Promise<boolean> {
  if (seen?.kind !== 'file') return false;
  try {
    const file = await openVerified(real, real, seen);
    try {
      const { dev, ino, size, mtimeNs, ctimeNs } = await file.stat({ bigint: true });
      const isLarge = size > sliceBytes;
      const version = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
      const before = isLarge ? cached.get(version) : undefined;
      if (before !== undefined) return before;
      const hasKey = await hasKeyIn(file, Number(size), signal);
      if (isLarge) remember(version, hasKey);
      return hasKey;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (signal?.aborted === true || isCancelled(error)) throw error;
    // The code that reads the file reports the error.
    return false;
  }
}

/** Scans up to `size` bytes, even if the file grows during the scan. */
async function hasKeyIn(file: FileHandle, size: number, signal: AbortSignal | undefined): Promise<boolean> {
  const scanner = new KeyScanner();
  const buffer = Buffer.alloc(Math.min(size, sliceBytes));
  let decode: ((bytes: Buffer) => string) | null = null;
  for (let at = 0; at < size;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
    const bytes = buffer.subarray(0, bytesRead);
    decode ??= createDecoder(bytes);
    if (decode === null) return false;
    // A read of 0 bytes means that the file has been truncated.
    at = bytesRead === 0 ? size : at + bytesRead;
    if (scanner.hasKey(decode(bytes), at >= size)) return true;
  }
  return false;
}

/**
 * Returns a decoder for consecutive slices, or null if the file is not text.
 * Latin-1 is enough for all encodings except UTF-16, because keys are ASCII.
 */
function createDecoder(bytes: Buffer): ((bytes: Buffer) => string) | null {
  const format = detectFormat(bytes);
  if (format === null) return null;
  if (!format.hasMark) return (slice) => slice.toString('latin1');
  const stream = new TextStream(format);
  return (slice) => stream.push(slice);
}

function remember(version: string, hasKey: boolean): void {
  const [oldest] = cached.keys();
  if (cached.size >= maxCached && oldest !== undefined) cached.delete(oldest);
  cached.set(version, hasKey);
}
