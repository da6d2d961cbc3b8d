import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readFully, type FileSystem } from '../../../../utils/files/fileSystem';
import { isSameFile, toStamp, type FileStamp } from '../../../../utils/files/fileStamp';
import type { ObjectBatch } from '../objects/objectBatch';
import { fileFlags, type FileState } from './scannedFile';
import { isSystemError } from '../../../../utils/errors';
import { sha256Hex } from '../../../../utils/sha256';

const attempts = 3;
const pieceLength = 1 << 20;
/** Smallest possible size limit in bytes. Content up to this size is always stored with its hash. */
const lowestLimit = 1_000_000;
/** Reused buffer for smaller files, because allocating a buffer per file takes longer than reading the file. */
const shared = Buffer.allocUnsafeSlow(pieceLength);

/** State of a file, with its stamp when it was read. */
export interface ReadFile extends FileState {
  stamp: FileStamp;
}

/** Result of reading a file. `content` is valid until the next read, and null if the file exceeds the limit. */
interface Reading {
  state: ReadFile;
  content: Uint8Array | null;
}

/**
 * Reads a file or link into the batch. A file that changes while it is read is read again and, after the last attempt, marked as
 * unstable. A file over the limit is only hashed. Returns null if the path no longer exists, or is neither file nor link.
 * `isFile` means that the path is known to be a file, which saves a stat call. Errors of the batch are thrown and not treated as
 * read errors.
 */
export function readFile(
  path: string,
  fileSystem: FileSystem,
  batch: ObjectBatch,
  maxBytes: number,
  isFile = false,
): ReadFile | null {
  const reading = readSteadily(path, fileSystem, maxBytes, isFile);
  if (reading === null) return null;
  const { state, content } = reading;
  if (state.hash !== null && content !== null) batch.add(state.hash, content);
  else if (state.hash !== null) batch.note(state.hash, state.size);
  return state;
}

function readSteadily(path: string, fileSystem: FileSystem, maxBytes: number, isFile: boolean): Reading | null {
  for (let attempt = 1; ; attempt += 1) {
    const stats = isFile && attempt === 1 ? null : fileSystem.lstat(path);
    if (stats === undefined || (stats !== null && !stats.isFile() && !stats.isSymbolicLink())) return null;
    try {
      const isLink = stats?.isSymbolicLink() ?? false;
      const reading = isLink ? readLink(path, stats as Stats, fileSystem) : readContent(path, fileSystem, maxBytes);
      if (reading === null) {
        if (stats === null) continue;
        return null;
      }
      if ((reading.state.flags & fileFlags.unstable) === 0 || attempt === attempts) return reading;
    } catch (error) {
      // The file may have been deleted or replaced by a link. Check again.
      if (isSystemError(error, 'ENOENT', 'ELOOP', 'EINVAL') && attempt < attempts) continue;
      if (isSystemError(error, 'ENOENT')) return null;
      if (!isSystemError(error)) throw error;
      if (stats === null) continue;
      const state: ReadFile = {
        kind: 3,
        mode: modeBits(stats),
        hash: null,
        size: 0,
        flags: 0,
        stamp: toStamp(stats),
      };
      return { state, content: null };
    }
  }
}

export function modeBits(stats: Stats): number {
  return stats.isSymbolicLink() ? 0 : stats.mode & 0o777;
}

/** Returns true if the content must be stored now, because the limit was raised after the file was read. */
export function isLeftOut({ kind, size, hash }: FileState, batch: ObjectBatch, maxBytes: number): boolean {
  return kind === 1 && size > lowestLimit && size <= maxBytes && hash !== null && !batch.has(hash);
}

/**
 * Longest time in milliseconds during which writes through a memory map may not change the stamp. Only the first write to a page
 * sets the stamp, until the system flushes the page. This happens after 30 s, checked every 5 s.
 */
const mappedMs = 35_000;

/** Returns true if a memory map may have written to the file after `readAt` without changing the stamp. */
export function mayBeMapped({ mtimeMs }: FileStamp, readAt: number): boolean {
  return mtimeMs + mappedMs >= readAt;
}

function readContent(path: string, fileSystem: FileSystem, maxBytes: number): Reading | null {
  const file = fileSystem.open(path, 'r');
  try {
    const stats = fileSystem.stat(file);
    if (!stats.isFile()) return null;
    const { size } = stats;
    const content = size > maxBytes ? null : size <= shared.length ? shared.subarray(0, size) : Buffer.allocUnsafeSlow(size);
    const read = content === null ? hashInPieces(file, fileSystem) : readWhole(file, content, fileSystem);
    const isStable = read.size === size && isSameFile(stats, fileSystem.stat(file));
    const flags = isStable ? 0 : fileFlags.unstable;
    const state: ReadFile = { kind: 1, mode: modeBits(stats), ...read, flags, stamp: toStamp(stats) };
    return { state, content: content?.subarray(0, read.size) ?? null };
  } finally {
    fileSystem.close(file);
  }
}

function readWhole(file: number, content: Buffer, fileSystem: FileSystem): { hash: string; size: number } {
  const size = readFully(fileSystem, file, content, 0);
  return { hash: sha256Hex(content.subarray(0, size)), size };
}

function hashInPieces(file: number, fileSystem: FileSystem): { hash: string; size: number } {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(pieceLength);
  let size = 0;
  for (let count = -1; count !== 0; size += count) {
    count = readFully(fileSystem, file, piece, size);
    hash.update(piece.subarray(0, count));
  }
  return { hash: hash.digest('hex'), size };
}

function readLink(path: string, stats: Stats, fileSystem: FileSystem): Reading {
  const content = fileSystem.readLink(path);
  const state: ReadFile = {
    kind: 2,
    mode: 0,
    hash: sha256Hex(content),
    size: content.length,
    flags: 0,
    stamp: toStamp(stats),
  };
  return { state, content };
}
