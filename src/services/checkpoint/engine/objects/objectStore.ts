import { inTransaction } from '../../../database/sqlite/ownConnection';
import type { DatabaseSync, StatementSync } from '../../../database/sqlite/sqlite';
import type { BlockThread } from './blockThread';
import { ObjectBatch, type Stored } from './objectBatch';
import { isIntact, ObjectDamage } from './objectDamage';
import { PackReader } from './packReader';
import { PackWriter, type StorePlace } from './packWriter';
import { SnapshotError } from '../../snapshotError';
import { isSystemError } from '../../../../utils/errors';
import { sha256Hex } from '../../../../utils/sha256';

type Row = NonNullable<ReturnType<StatementSync['get']>>;

/** SQL: objects with their positions in packs. */
const placed = `SELECT hash, size, pack_id, block, position, name FROM snapshot_objects
  LEFT JOIN snapshot_packs ON snapshot_packs.id = pack_id`;

/**
 * Stores each content once, by SHA-256. See docs/storage/snapshots.md. All methods are synchronous, because they run in the
 * worker thread. Each store acts as one writer. Throws `SnapshotError`, and errors from SQLite and the file system.
 */
export class ObjectStore {
  private readonly reader: PackReader;
  private readonly writer: PackWriter;
  readonly damage: ObjectDamage;

  constructor(
    private readonly database: DatabaseSync,
    private readonly place: StorePlace,
    private readonly thread?: BlockThread<Stored>,
  ) {
    this.reader = new PackReader(place.fileSystem, place.directory);
    this.writer = new PackWriter(database, place);
    this.damage = new ObjectDamage(database, place, this.reader);
  }

  /** Stores contents durably and verifies existing copies. Returns the hashes in the order of the contents. */
  put(contents: readonly Uint8Array[]): string[] {
    const hashes = contents.map(sha256Hex);
    this.noteLostPacks();
    // The caller is about to change the file, so the stored copy must be readable.
    this.unreadable(hashes.filter((hash) => this.has(hash)));
    this.inBatch((batch) => contents.forEach((content, index) => batch.add(hashes[index] as string, content)));
    return hashes;
  }

  /**
   * Stores the content that `fill` adds. `commit` writes the rows that refer to it, in the same transaction. Repeats both if
   * garbage collection removed an object in the meantime.
   */
  inBatch<F, T>(fill: (batch: ObjectBatch) => F, commit?: (filled: F) => T): T | undefined {
    for (let attempt = 1; ; attempt += 1) {
      const batch = new ObjectBatch(this.database, this.writer, this.place.clock, this.thread);
      try {
        const filled = fill(batch);
        batch.finish();
        const damaged = this.damage.count();
        const result = inTransaction(this.database, () => {
          batch.commit();
          return commit?.(filled);
        });
        batch.settle();
        if (damaged > 0) this.damage.healed += Math.max(0, damaged - this.damage.count());
        return result;
      } catch (error) {
        batch.discard();
        if (!(error instanceof SnapshotError && error.code === 'vanished') || attempt === 3) throw error;
      }
    }
  }

  /** Returns true if the content is stored and not known to be damaged. Returns false for content over the size limit. */
  has(hash: string): boolean {
    return this.database.prepare(`SELECT 1 FROM snapshot_objects WHERE hash = ? AND ${isIntact}`).get(hash) !== undefined;
  }

  /** Returns the content after checking its hash. Records damage. Throws `SnapshotError` `missing`, `tooLarge` or `damaged`. */
  get(hash: string): Buffer {
    try {
      return this.found(hash);
    } catch (error) {
      if (isDamage(error)) this.noteIfPossible(hash);
      throw error;
    }
  }

  /** Returns the content in its own buffer. Sending a slice to another thread would transfer the whole underlying buffer. */
  copyContent(hash: string): Uint8Array {
    return Uint8Array.from(this.get(hash));
  }

  /**
   * Reads contents from disk, bypassing the cache. Returns the hashes of unreadable contents and updates the damage marks. Only
   * one block is in memory at a time.
   */
  unreadable(hashes: Iterable<string>): Set<string> {
    const sorted = this.inOrder([...new Set(hashes)], (hash) => hash);
    if (sorted.length === 0) return new Set();
    let lost = this.readAll(sorted);
    this.damage.note([...lost]);
    this.noteLostPacks();
    // If reading found a damaged pack, contents read earlier may also be affected.
    const noted = this.damage.noted();
    if (sorted.some((hash) => noted.has(hash))) lost = this.readAll(sorted);
    this.damage.note([...lost]);
    this.damage.clear(sorted.filter((hash) => !lost.has(hash)));
    return lost;
  }

  /** Marks the contents of missing or truncated packs as damaged, and stops writing to these packs. */
  noteLostPacks(): void {
    this.writer.abandon(this.damage.noteLostPacks());
  }

  private noteIfPossible(hash: string): void {
    try {
      this.damage.note([hash]);
    } catch {
      // The disk may be full. Do not hide the damage error from the caller. The next read finds the damage again.
    }
  }

  private readAll(hashes: readonly string[]): Set<string> {
    const lost = new Set<string>();
    this.reader.close();
    const rows = this.readRows(hashes);
    for (const hash of hashes) {
      try {
        this.found(hash, rows.get(hash));
      } catch (error) {
        if (!(error instanceof SnapshotError) && !isSystemError(error)) throw error;
        lost.add(hash);
      }
    }
    return lost;
  }

  private found(hash: string, row = this.readRow(hash)): Buffer {
    try {
      return this.read(hash, row);
    } catch (error) {
      // Garbage collection may have moved the content to another pack.
      if (!isSystemError(error, 'ENOENT')) throw error;
      this.reader.close();
      return this.retried(hash);
    }
  }

  /** Sorts items by the position of their contents. In this order, each block is read only once. */
  inOrder<T>(items: readonly T[], hashOfItem: (item: T) => string): T[] {
    const rows = this.readRows(items.map(hashOfItem));
    const placed = items.map((item): [T, number] => {
      const row = rows.get(hashOfItem(item));
      return [item, Number(row?.pack_id ?? 0) * 2 ** 32 + Number(row?.block ?? 0)];
    });
    return placed.sort(([, one], [, other]) => one - other).map(([item]) => item);
  }

  /** Copies these objects from a closed pack to another pack. Skips damaged objects. */
  move(hashes: readonly string[], fromPack: number): void {
    this.inBatch((batch) => {
      for (const hash of hashes) {
        try {
          batch.move(hash, this.get(hash), fromPack);
        } catch (error) {
          if (!(error instanceof SnapshotError)) throw error;
        }
      }
    });
  }

  /** Reader of the pack files. */
  get packs(): PackReader {
    return this.reader;
  }

  /** Releases the pack for the next writer. */
  release(): void {
    this.writer.release();
  }

  /** Clears the cache and releases the pack. The database stays open. */
  dispose(): void {
    this.reader.close();
    this.writer.release();
  }

  private retried(hash: string): Buffer {
    try {
      return this.read(hash, this.readRow(hash));
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) throw new SnapshotError('missing', `The pack of ${hash} is gone`, { cause: error });
      throw error;
    }
  }

  /** Returns the rows of objects by hash, in one statement. */
  private readRows(hashes: readonly string[]): Map<string, Row> {
    if (hashes.length === 0) return new Map();
    const rows = this.database.prepare(`${placed} WHERE hash IN (SELECT value FROM json_each(?))`).all(JSON.stringify(hashes));
    return new Map(rows.map((row) => [String(row.hash), row]));
  }

  private readRow(hash: string): Row | undefined {
    return this.database.prepare(`${placed} WHERE hash = ?`).get(hash);
  }

  private read(hash: string, row: Row | undefined): Buffer {
    if (row === undefined) throw new SnapshotError('missing', `Nothing is stored as ${hash}`);
    if (row.name === null) throw new SnapshotError('tooLarge', `${hash} was too large to be stored`);
    const { content } = this.reader.read(String(row.name), Number(row.block));
    const object = content.subarray(Number(row.position), Number(row.position) + Number(row.size));
    if (sha256Hex(object) !== hash) throw new SnapshotError('damaged', `What is stored as ${hash} is something else`);
    return object;
  }
}

function isDamage(error: unknown): boolean {
  return error instanceof SnapshotError && (error.code === 'damaged' || error.code === 'missing');
}
