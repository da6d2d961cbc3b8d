/** Reads SQLite's write-ahead log without SQLite. Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log. */

const headerLength = 32;
const frameHeaderLength = 24;

/**
 * Returns the database with all committed changes from its `-wal`. Ignores data after the last frame with a valid checksum,
 * because it belongs to an unfinished write. The result is in rollback mode, so that it can be opened without `-wal` and `-shm`.
 */
export function withWal(database: Buffer, wal: Buffer | null, maxBytes: number): Buffer {
  const frames = wal === null ? null : committedFrames(wal, maxBytes);
  const result = frames === null ? Buffer.from(database) : Buffer.alloc(frames.size);
  if (frames !== null) {
    database.copy(result, 0, 0, Math.min(database.length, result.length));
    for (const [page, content] of frames.pages) {
      const at = (page - 1) * content.length;
      if (at < result.length) content.copy(result, at);
    }
  }
  // Bytes 18 and 19: 1 for a rollback journal, 2 for a write-ahead log.
  if (result.length > 19 && result[18] === 2 && result[19] === 2) result.fill(1, 18, 20);
  return result;
}

interface Frames {
  /** Size of the database, in bytes. */
  size: number;
  pages: Map<number, Buffer>;
}

/** Returns the committed frames. Returns null if nothing was committed. */
function committedFrames(wal: Buffer, maxBytes: number): Frames | null {
  const magic = wal.length < headerLength ? 0 : wal.readUInt32BE(0);
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return null;
  const isBigEndian = magic === 0x377f0683;
  const pageSize = wal.readUInt32BE(8);
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) return null;
  const salts = wal.subarray(16, 24);
  let sum = checksum(wal.subarray(0, 24), isBigEndian, [0, 0]);
  if (!isSum(wal, 24, sum)) return null;
  let committed: Frames | null = null;
  const pages = new Map<number, Buffer>();
  for (let at = headerLength; at + frameHeaderLength + pageSize <= wal.length; at += frameHeaderLength + pageSize) {
    const content = wal.subarray(at + frameHeaderLength, at + frameHeaderLength + pageSize);
    if (!wal.subarray(at + 8, at + 16).equals(salts)) break;
    sum = checksum(content, isBigEndian, checksum(wal.subarray(at, at + 8), isBigEndian, sum));
    if (!isSum(wal, at + 16, sum)) break;
    const page = wal.readUInt32BE(at);
    if (page === 0) break;
    pages.set(page, content);
    const size = wal.readUInt32BE(at + 4) * pageSize;
    if (size > maxBytes) break;
    if (size > 0) committed = { size, pages: new Map(pages) };
  }
  return committed;
}

type Sum = readonly [number, number];

function checksum(bytes: Buffer, isBigEndian: boolean, [first, second]: Sum): Sum {
  let s0 = first;
  let s1 = second;
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    s0 = (s0 + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + s1) >>> 0;
    s1 = (s1 + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + s0) >>> 0;
  }
  return [s0, s1];
}

function isSum(wal: Buffer, at: number, [first, second]: Sum): boolean {
  return wal.readUInt32BE(at) === first && wal.readUInt32BE(at + 4) === second;
}
