import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { isSystemError, readFully, type FileSystem } from '../fileSystem';
import type { ObjectBatch } from '../objectBatch';
import { hashOf } from '../packFormat';
import { fileFlags, type FileState } from './scannedFile';

const attempts = 3;
const pieceLength = 1 << 20;
/** What smaller files are read into, one after the other: memory for each would cost more than reading it. */
const shared = Buffer.allocUnsafeSlow(pieceLength);

/** A file's state and the stats it had when that was read. */
export interface ReadFile extends FileState {
  stats: BigIntStats;
}

/**
 * Reads a file or link into the batch. One that changes meanwhile is read again, at the end marked as unstable; one over the limit is
 * only hashed. Null where it is gone, or became something that is not stored.
 */
export function readFile(path: string, fileSystem: FileSystem, batch: ObjectBatch, maxBytes: number): ReadFile | null {
  for (let attempt = 1; ; attempt += 1) {
    const stats = fileSystem.lstat(path);
    if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return null;
    try {
      const read = stats.isFile() ? readContent(path, fileSystem, batch, maxBytes) : readLink(path, stats, fileSystem, batch);
      if (read === null) return null;
      if ((read.flags & fileFlags.unstable) === 0 || attempt === attempts) return read;
    } catch (error) {
      // Gone, or a link by now: looked at again.
      if (isSystemError(error, 'ENOENT', 'ELOOP', 'EINVAL') && attempt < attempts) continue;
      if (isSystemError(error, 'ENOENT')) return null;
      if (!isSystemError(error)) throw error;
      return { kind: 3, mode: modeOf(stats), hash: null, size: 0, flags: 0, stats };
    }
  }
}

export function modeOf(stats: BigIntStats): number {
  return stats.isSymbolicLink() ? 0 : Number(stats.mode & 0o777n);
}

/** Whether a file has changed between two looks. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return (
    one.ino === other.ino &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs &&
    one.mode === other.mode
  );
}

function readContent(path: string, fileSystem: FileSystem, batch: ObjectBatch, maxBytes: number): ReadFile | null {
  const file = fileSystem.open(path, 'r');
  try {
    const stats = fileSystem.stat(file);
    if (!stats.isFile()) return null;
    const size = Number(stats.size);
    const content = size > maxBytes ? null : size <= shared.length ? shared.subarray(0, size) : Buffer.allocUnsafeSlow(size);
    const read = content === null ? hashInPieces(file, fileSystem) : readWhole(file, content, fileSystem);
    const isStable = read.size === size && isSameFile(stats, fileSystem.stat(file));
    if (content === null) batch.note(read.hash, read.size);
    else batch.add(read.hash, content.subarray(0, read.size));
    return { kind: 1, mode: modeOf(stats), ...read, flags: isStable ? 0 : fileFlags.unstable, stats };
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

function readLink(path: string, stats: BigIntStats, fileSystem: FileSystem, batch: ObjectBatch): ReadFile {
  const target = fileSystem.readLink(path);
  const hash = hashOf(target);
  batch.add(hash, target);
  return { kind: 2, mode: 0, hash, size: target.length, flags: 0, stats };
}
