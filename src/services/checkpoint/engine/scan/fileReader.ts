import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readFully, type FileSystem } from '../../../../utils/files/fileSystem';
import { isSameFile, stampOf, type FileStamp } from '../../../../utils/files/fileStamp';
import type { ObjectBatch } from '../objects/objectBatch';
import { hashOf } from '../objects/packFormat';
import { fileFlags, type FileState } from './scannedFile';
import { isSystemError } from '../../../../utils/errors';

const attempts = 3;
const pieceLength = 1 << 20;
/** Lowest limit there may be: content that is not larger is stored whenever it is known. */
const lowestLimit = 1_000_000;
/** Buffer that smaller files are read into, one after the other: memory for each would cost more than reading it. */
const shared = Buffer.allocUnsafeSlow(pieceLength);

/** A file's state and the stamp it had when that was read. */
export interface ReadFile extends FileState {
  stamp: FileStamp;
}

/** Result of a reading; `content` is valid until the next one, and null if the file is over the limit. */
interface Reading {
  state: ReadFile;
  content: Uint8Array | null;
}

/**
 * Reads a file or link into the batch. One that changes meanwhile is read again, at the end marked as unstable; one over the limit is
 * only hashed. Null where it is gone, or became something that is not stored. `isFile`: it was one just now, which saves a look at it.
 * What the batch throws is never taken for a file that cannot be read.
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
      // Gone, or a link by now: looked at again.
      if (isSystemError(error, 'ENOENT', 'ELOOP', 'EINVAL') && attempt < attempts) continue;
      if (isSystemError(error, 'ENOENT')) return null;
      if (!isSystemError(error)) throw error;
      if (stats === null) continue;
      const state: ReadFile = { kind: 3, mode: modeOf(stats), hash: null, size: 0, flags: 0, stamp: stampOf(stats) };
      return { state, content: null };
    }
  }
}

export function modeOf(stats: Stats): number {
  return stats.isSymbolicLink() ? 0 : stats.mode & 0o777;
}

/** Tells whether content is to be stored now that was over the limit when it was read. */
export function isLeftOut({ kind, size, hash }: FileState, batch: ObjectBatch, maxBytes: number): boolean {
  return kind === 1 && size > lowestLimit && size <= maxBytes && hash !== null && !batch.has(hash);
}

/**
 * Longest time that a write through a memory map may be without a new stamp: only the first write to a page sets one until the system writes that page to
 * the disk, 30 s later at the latest, where it looks each 5 s.
 */
const mappedMs = 35_000;

/** Tells whether a file that was read at `readAt` may have been written since through a memory map without a new stamp. */
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
    const state: ReadFile = { kind: 1, mode: modeOf(stats), ...read, flags, stamp: stampOf(stats) };
    return { state, content: content?.subarray(0, read.size) ?? null };
  } finally {
    fileSystem.close(file);
  }
}

function readWhole(file: number, content: Buffer, fileSystem: FileSystem): { hash: string; size: number } {
  const size = readFully(fileSystem, file, content, 0);
  return { hash: hashOf(content.subarray(0, size)), size };
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
  const state: ReadFile = { kind: 2, mode: 0, hash: hashOf(content), size: content.length, flags: 0, stamp: stampOf(stats) };
  return { state, content };
}
