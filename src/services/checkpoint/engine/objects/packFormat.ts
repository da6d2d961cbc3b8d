import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { SnapshotError } from '../../snapshotError';

/** Byte format of packs. See docs/storage/snapshots.md, *Packs*. */

const magic = 'OCPACK\0\x01';
const blockMagic = 'BLCK';
export const packHeaderLength = 16;
export const blockHeaderLength = 24;
const tableEntryLength = 36;
const smallestChunk = 1 << 10;
/** Maximum chunk size in bytes. It limits the memory that a damaged length field can request. */
const largestChunk = 1 << 22;
/**
 * Content bytes per block. A single larger object gets a larger block. Reading one
 * object decompresses its whole block, and larger blocks would save little space.
 */
export const blockContentLength = 1 << 17;

export function packHeader(): Buffer {
  const header = Buffer.alloc(packHeaderLength);
  header.write(magic, 'latin1');
  return header;
}

export interface PackedObject {
  hash: string;
  size: number;
}

/** Compresses content. Returns null if the result would not be smaller. */
export function compress(content: Uint8Array): Buffer | null {
  const compressed = zstdCompressSync(content, {
    params: { [constants.ZSTD_c_compressionLevel]: 1 },
    // A single chunk avoids more calls and copies.
    chunkSize: Math.max(smallestChunk, content.length),
  });
  return compressed.length < content.length ? compressed : null;
}

/** Encodes a block. `content` is the concatenated content of all objects; `compressed` is the result of `compress`. */
export function encodeBlock(objects: readonly PackedObject[], content: Uint8Array, compressed: Uint8Array | null): Buffer {
  const payload = compressed ?? content;
  const tableLength = objects.length * tableEntryLength;
  const block = Buffer.alloc(blockHeaderLength + tableLength + payload.length);
  objects.forEach(({ hash, size }, index) => {
    const at = blockHeaderLength + index * tableEntryLength;
    block.write(hash, at, 'hex');
    block.writeUInt32LE(size, at + 32);
  });
  block.set(payload, blockHeaderLength + tableLength);
  block.write(blockMagic, 'latin1');
  block.writeUInt8(compressed === null ? 0 : 1, 4);
  block.writeUInt32LE(objects.length, 8);
  block.writeUInt32LE(content.length, 12);
  block.writeUInt32LE(payload.length, 16);
  block.writeUInt32LE(crc32(block.subarray(blockHeaderLength)), 20);
  return block;
}

export interface BlockHeader {
  isCompressed: boolean;
  count: number;
  contentLength: number;
  /** Length of the block after the header, in bytes. */
  length: number;
  checksum: number;
}

export function decodeBlockHeader(bytes: Buffer): BlockHeader {
  if (bytes.length < blockHeaderLength || bytes.toString('latin1', 0, 4) !== blockMagic) throw damaged('no block begins here');
  const count = bytes.readUInt32LE(8);
  return {
    isCompressed: bytes.readUInt8(4) === 1,
    count,
    contentLength: bytes.readUInt32LE(12),
    length: count * tableEntryLength + bytes.readUInt32LE(16),
    checksum: bytes.readUInt32LE(20),
  };
}

export interface PackBlock {
  objects: PackedObject[];
  content: Buffer;
}

/** Decodes a block from the bytes after its header. Throws `SnapshotError` `damaged`. */
export function decodeBlock(header: BlockHeader, body: Buffer): PackBlock {
  if (body.length !== header.length || crc32(body) !== header.checksum) throw damaged('its checksum does not match');
  const objects = Array.from({ length: header.count }, (_, index) => {
    const at = index * tableEntryLength;
    return { hash: body.toString('hex', at, at + 32), size: body.readUInt32LE(at + 32) };
  });
  const payload = body.subarray(header.count * tableEntryLength);
  const content = header.isCompressed ? decompress(payload, header.contentLength) : payload;
  if (content.length !== header.contentLength) throw damaged('it is not as long as it says');
  return { objects, content };
}

function decompress(payload: Buffer, maxOutputLength: number): Buffer {
  try {
    return zstdDecompressSync(payload, {
      maxOutputLength: Math.max(maxOutputLength, 1),
      chunkSize: Math.min(Math.max(smallestChunk, maxOutputLength), largestChunk),
    });
  } catch (error) {
    throw damaged('it cannot be decompressed', error);
  }
}

function damaged(why: string, cause?: unknown): SnapshotError {
  return new SnapshotError('damaged', `A block of a pack is damaged: ${why}`, { cause });
}
