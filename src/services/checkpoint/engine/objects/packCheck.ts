import { CancelledError, isCancelled, isSystemError, messageOf } from '../../../../utils/errors';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { ObjectStore } from './objectStore';
import { packHeaderLength } from './packFormat';
import { sha256Hex } from '../../../../utils/sha256';

export interface StorageProblem {
  pack: string;
  /** Hash of the damaged content; null if the problem concerns the pack or one of its blocks. */
  hash: string | null;
  problem: string;
}

interface Watch {
  isCancelled: () => boolean;
  /** Called with the number of bytes read. */
  onRead: (bytes: number) => void;
}

/** Compares packs with the database. */
export class PackCheck {
  constructor(
    private readonly database: DatabaseSync,
    private readonly objects: ObjectStore,
  ) {}

  /**
   * Reads a pack up to `length`. After a damaged block, continues with the next block recorded in the database. Marks unreadable
   * contents as damaged. Throws `CancelledError`.
   */
  check(pack: string, length: number, watch: Watch): { count: number; problems: StorageProblem[] } {
    const problems: StorageProblem[] = [];
    const report = (error: unknown) => void problems.push({ pack, hash: null, problem: messageOf(error) });
    // Cached blocks may be older than the file.
    this.objects.packs.close(pack);
    try {
      this.objects.packs.checkHeader(pack);
    } catch (error) {
      report(error);
    }
    const intact = this.intactObjects(pack, length, watch, report);
    watch.onRead(length);
    if (problems.length > 0 && this.isMovedOut(pack)) return { count: 0, problems: [] };
    const rows = this.readRows(pack, length);
    const isFound = ({ hash, block, position }: (typeof rows)[number]) => intact.has(`${hash}@${block}:${position}`);
    const lost = rows.filter((row) => !isFound(row)).map(({ hash }) => hash);
    this.objects.damage.note(lost);
    this.objects.damage.clear(rows.filter(isFound).map(({ hash }) => hash));
    problems.push(...lost.map((hash) => ({ pack, hash, problem: 'It is not what its name says, or not there.' })));
    return { count: rows.length, problems };
  }

  /** Returns the total size of a pack's contents in bytes, plus one byte per content. Returns null if the pack cannot be opened. */
  measureContents(pack: string, length: number): number | null {
    let bytes = 0;
    const isWhole = this.eachHeader(pack, length, ({ contents }) => (bytes += contents));
    return isWhole ? bytes : null;
  }

  /**
   * Estimates the bytes that are saved if a pack is rewritten with needed
   * contents only. `needed` contains bytes by block, counted as in `measureContents`.
   */
  estimateWaste(pack: string, length: number, needed: ReadonlyMap<number, number>): number {
    let bytes = 0;
    this.eachHeader(pack, length, ({ block, size, contents }) => {
      bytes += size * Math.max(0, 1 - (needed.get(block) ?? 0) / contents);
    });
    return Math.round(bytes);
  }

  /** Visits each intact header. Returns false if the pack cannot be opened. */
  private eachHeader(
    pack: string,
    length: number,
    visit: (block: { block: number; size: number; contents: number }) => void,
  ): boolean {
    const blocks = this.listBlocks(pack);
    for (let at: number | undefined = packHeaderLength; at !== undefined && at < length;) {
      const block: number = at;
      try {
        const { header, next } = this.objects.packs.readHeader(pack, block);
        visit({ block, size: next - block, contents: header.contentLength + header.count });
        at = next;
      } catch (error) {
        if (isSystemError(error)) return false;
        at = blocks.find((later) => later > block);
      }
    }
    return true;
  }

  /** Returns the positions of intact contents. A content can have several positions, because two windows may have stored it. */
  private intactObjects(pack: string, length: number, watch: Watch, report: (error: unknown) => void): Set<string> {
    const found = new Set<string>();
    const blocks = this.listBlocks(pack);
    for (let at: number | undefined = packHeaderLength; at !== undefined && at < length;) {
      if (watch.isCancelled()) throw new CancelledError();
      const begin: number = at;
      try {
        const { block, next } = this.objects.packs.readBlock(pack, begin);
        let position = 0;
        for (const { hash, size } of block.objects) {
          if (sha256Hex(block.content.subarray(position, position + size)) === hash) found.add(`${hash}@${begin}:${position}`);
          position += size;
        }
        at = next;
      } catch (error) {
        if (isCancelled(error)) throw error;
        report(error);
        // If the file cannot be opened, no block is readable.
        at = isSystemError(error, 'ENOENT') ? undefined : blocks.find((block) => block > begin);
      }
      if (at !== undefined) watch.onRead(Math.min(at, length));
    }
    return found;
  }

  private listBlocks(pack: string): number[] {
    return this.database
      .prepare(
        `SELECT DISTINCT block FROM snapshot_objects JOIN snapshot_packs ON snapshot_packs.id = pack_id WHERE name = ? ORDER BY block`,
      )
      .all(pack)
      .map(({ block }) => Number(block));
  }

  private readRows(pack: string, length: number): { hash: string; block: number; position: number }[] {
    return this.database
      .prepare(
        `SELECT hash, block, position FROM snapshot_objects JOIN snapshot_packs ON snapshot_packs.id = pack_id
         WHERE name = ? AND block < ?`,
      )
      .all(pack, length)
      .map(({ hash, block, position }) => ({ hash: String(hash), block: Number(block), position: Number(position) }));
  }

  /** Returns true if garbage collection has removed everything except the pack's row, so that no data is missing. */
  private isMovedOut(pack: string): boolean {
    const row = this.database.prepare('SELECT id, is_dropped FROM snapshot_packs WHERE name = ?').get(pack);
    if (row === undefined) return true;
    const object = this.database.prepare('SELECT 1 FROM snapshot_objects WHERE pack_id = ? LIMIT 1').get(Number(row.id));
    return row.is_dropped === 1 && object === undefined;
  }
}
