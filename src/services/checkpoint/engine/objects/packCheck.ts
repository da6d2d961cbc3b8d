import { CancelledError, isCancelled, isSystemError, messageOf } from '../../../../utils/errors';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { ObjectStore } from './objectStore';
import { hashOf, packHeaderLength } from './packFormat';

export interface StorageProblem {
  pack: string;
  /** Null: the pack itself, or one of its blocks. */
  hash: string | null;
  problem: string;
}

interface Watch {
  isCancelled: () => boolean;
  /** Told how many bytes of the pack were read. */
  onRead: (bytes: number) => void;
}

/** Reads whole packs and compares what they hold with the database. */
export class PackCheck {
  constructor(
    private readonly database: DatabaseSync,
    private readonly objects: ObjectStore,
  ) {}

  /**
   * Reads a pack up to `length`. A damaged block costs its own contents: reading goes on with the next block that the database knows. Notes
   * the contents that cannot be read. Throws `CancelledError`.
   */
  check(pack: string, length: number, watch: Watch): { count: number; problems: StorageProblem[] } {
    const problems: StorageProblem[] = [];
    const tell = (error: unknown) => void problems.push({ pack, hash: null, problem: messageOf(error) });
    // What is remembered of it may be what it was before.
    this.objects.packs.forget(pack);
    try {
      this.objects.packs.checkHeader(pack);
    } catch (error) {
      tell(error);
    }
    const found = this.found(pack, length, watch, tell);
    watch.onRead(length);
    if (problems.length > 0 && this.isMovedOut(pack)) return { count: 0, problems: [] };
    const rows = this.rowsOf(pack, length);
    const isFound = ({ hash, block, position }: (typeof rows)[number]) => found.has(`${hash}@${block}:${position}`);
    const lost = rows.filter((row) => !isFound(row)).map(({ hash }) => hash);
    this.objects.damage.note(lost);
    this.objects.damage.clear(rows.filter(isFound).map(({ hash }) => hash));
    problems.push(...lost.map((hash) => ({ pack, hash, problem: 'It is not what its name says, or not there.' })));
    return { count: rows.length, problems };
  }

  /** Returns the bytes of all contents of a pack, needed or not, and one more for each; null where the pack cannot be opened. */
  contentsOf(pack: string, length: number): number | null {
    let bytes = 0;
    const isWhole = this.eachHeader(pack, length, ({ contents }) => (bytes += contents));
    return isWhole ? bytes : null;
  }

  /** Returns about how much shorter a pack becomes when only what is needed of it is written anew; `needed` as in `contentsOf`, by blocks. */
  wasteOf(pack: string, length: number, needed: ReadonlyMap<number, number>): number {
    let bytes = 0;
    this.eachHeader(pack, length, ({ block, size, contents }) => {
      bytes += size * Math.max(0, 1 - (needed.get(block) ?? 0) / contents);
    });
    return Math.round(bytes);
  }

  /** Visits each header, passing over damaged ones; false if the pack cannot be opened. */
  private eachHeader(
    pack: string,
    length: number,
    visit: (block: { block: number; size: number; contents: number }) => void,
  ): boolean {
    const blocks = this.blocksOf(pack);
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

  /** Returns where each whole content is: a content may be there twice, from two windows that stored it at the same time. */
  private found(pack: string, length: number, watch: Watch, tell: (error: unknown) => void): Set<string> {
    const found = new Set<string>();
    const blocks = this.blocksOf(pack);
    for (let at: number | undefined = packHeaderLength; at !== undefined && at < length;) {
      if (watch.isCancelled()) throw new CancelledError();
      const begin: number = at;
      try {
        const { block, next } = this.objects.packs.readBlock(pack, begin);
        let position = 0;
        for (const { hash, size } of block.objects) {
          if (hashOf(block.content.subarray(position, position + size)) === hash) found.add(`${hash}@${begin}:${position}`);
          position += size;
        }
        at = next;
      } catch (error) {
        if (isCancelled(error)) throw error;
        tell(error);
        // Where the file cannot be opened no block can be read.
        at = isSystemError(error, 'ENOENT') ? undefined : blocks.find((block) => block > begin);
      }
      if (at !== undefined) watch.onRead(Math.min(at, length));
    }
    return found;
  }

  private blocksOf(pack: string): number[] {
    return this.database
      .prepare(
        `SELECT DISTINCT block FROM snapshot_objects JOIN snapshot_packs ON snapshot_packs.id = pack_id WHERE name = ? ORDER BY block`,
      )
      .all(pack)
      .map(({ block }) => Number(block));
  }

  private rowsOf(pack: string, length: number): { hash: string; block: number; position: number }[] {
    return this.database
      .prepare(
        `SELECT hash, block, position FROM snapshot_objects JOIN snapshot_packs ON snapshot_packs.id = pack_id
         WHERE name = ? AND block < ?`,
      )
      .all(pack, length)
      .map(({ hash, block, position }) => ({ hash: String(hash), block: Number(block), position: Number(position) }));
  }

  /** Returns whether a pack was collected, but perhaps for its row: nothing is missing then. */
  private isMovedOut(pack: string): boolean {
    const row = this.database.prepare('SELECT id, is_dropped FROM snapshot_packs WHERE name = ?').get(pack);
    if (row === undefined) return true;
    const object = this.database.prepare('SELECT 1 FROM snapshot_objects WHERE pack_id = ? LIMIT 1').get(Number(row.id));
    return row.is_dropped === 1 && object === undefined;
  }
}
