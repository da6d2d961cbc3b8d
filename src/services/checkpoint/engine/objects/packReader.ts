import path from 'node:path';
import { readFully, type FileSystem } from '../../../../utils/files/fileSystem';
import {
  blockHeaderLength,
  decodeBlock,
  decodeBlockHeader,
  packHeader,
  packHeaderLength,
  type PackBlock,
  type BlockHeader,
} from './packFormat';
import { SnapshotError } from '../../snapshotError';

/** Bytes of decompressed blocks to cache. The files of a folder are often read together. */
const cachedBytes = 16 * 1024 * 1024;

/** Maximum length of ordinary blocks, in bytes. A longer block contains one large content. */
const usualBlockLength = 2 * 1024 * 1024;

/** Reads blocks from packs. Other processes may append to the packs at the same time. */
export class PackReader {
  private readonly files = new Map<string, number>();
  private readonly blocks = new Map<string, PackBlock>();
  private cached = 0;

  constructor(
    private readonly fileSystem: FileSystem,
    private readonly directory: string,
  ) {}

  /** Throws `SnapshotError` `damaged` and system errors. */
  read(name: string, position: number): PackBlock {
    const key = `${name}:${position}`;
    const known = this.blocks.get(key);
    if (known !== undefined) {
      this.blocks.delete(key);
      this.blocks.set(key, known);
      return known;
    }
    const block = this.readBlock(name, position).block;
    this.cache(key, block);
    return block;
  }

  /** Reads a block without the cache. `next` is the position of the next block. */
  readBlock(name: string, position: number): { block: PackBlock; next: number } {
    const { header, next } = this.readHeader(name, position);
    const file = this.opened(name);
    const begin = position + blockHeaderLength;
    // Limit the memory that a damaged length field can request.
    const isUsual = header.length <= usualBlockLength;
    const rest = isUsual ? header.length : Number(this.fileSystem.stat(file).size) - begin;
    const body = Buffer.alloc(Math.max(0, Math.min(header.length, rest)));
    const length = readFully(this.fileSystem, file, body, begin);
    return { block: decodeBlock(header, body.subarray(0, length)), next };
  }

  /** Checks the first bytes of a pack. Throws `SnapshotError` `damaged` and system errors. */
  checkHeader(name: string): void {
    const head = Buffer.alloc(packHeaderLength);
    const length = readFully(this.fileSystem, this.opened(name), head, 0);
    if (!head.subarray(0, length).equals(packHeader()))
      throw new SnapshotError('damaged', 'The header of the pack is damaged; its contents are read without it');
  }

  readHeader(name: string, position: number): { header: BlockHeader; next: number } {
    const head = Buffer.alloc(blockHeaderLength);
    const header = decodeBlockHeader(head.subarray(0, readFully(this.fileSystem, this.opened(name), head, position)));
    return { header, next: position + blockHeaderLength + header.length };
  }

  /** Closes one pack, or all, and clears its cached blocks. */
  close(name?: string): void {
    for (const [open, file] of [...this.files]) {
      if (name !== undefined && open !== name) continue;
      this.fileSystem.close(file);
      this.files.delete(open);
    }
    for (const [key, block] of [...this.blocks]) {
      if (name !== undefined && !key.startsWith(`${name}:`)) continue;
      this.blocks.delete(key);
      this.cached -= block.content.length;
    }
  }

  private opened(name: string): number {
    let file = this.files.get(name);
    if (file === undefined) {
      if (this.files.size >= 32) this.close();
      file = this.fileSystem.open(path.join(this.directory, name), 'r');
      this.files.set(name, file);
    }
    return file;
  }

  private cache(key: string, block: PackBlock): void {
    if (block.content.length > cachedBytes / 4) return;
    this.blocks.set(key, block);
    this.cached += block.content.length;
    for (const [oldest, { content }] of this.blocks) {
      if (this.cached <= cachedBytes) break;
      this.blocks.delete(oldest);
      this.cached -= content.length;
    }
  }
}
