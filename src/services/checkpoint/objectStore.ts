import { inTransaction } from '../database/ownConnection';
import type { DatabaseSync } from '../database/sqlite';
import { isSystemError } from './fileSystem';
import type { BlockThread } from './blockThread';
import { ObjectBatch, type Stored } from './objectBatch';
import { hashOf } from './packFormat';
import { PackReader } from './packReader';
import { PackWriter, type StorePlace } from './packWriter';
import { SnapshotError } from './snapshotError';

/**
 * Contents by their SHA-256, each stored once: docs/storage-format.md, *Snapshots*. Synchronous, for the worker's thread; one store is
 * one writer. Besides `SnapshotError` everything throws what SQLite and the system throw.
 */
export class ObjectStore {
  private readonly reader: PackReader;
  private readonly writer: PackWriter;

  constructor(
    private readonly database: DatabaseSync,
    private readonly place: StorePlace,
    private readonly thread?: BlockThread<Stored>,
  ) {
    this.reader = new PackReader(place.fileSystem, place.directory);
    this.writer = new PackWriter(database, place);
  }

  /** The hashes in the order of the contents, which are durable when it returns. */
  put(contents: readonly Uint8Array[]): string[] {
    const hashes = contents.map(hashOf);
    this.inBatch((batch) => contents.forEach((content, index) => batch.add(hashes[index] as string, content)));
    return hashes;
  }

  /**
   * Stores what `fill` adds, and in the same transaction what `commit` writes: rows that refer to it. What was collected meanwhile is
   * filled in again.
   */
  inBatch<F, T>(fill: (batch: ObjectBatch) => F, commit?: (filled: F) => T): T | undefined {
    for (let attempt = 1; ; attempt += 1) {
      const batch = new ObjectBatch(this.database, this.writer, this.place.clock, this.thread);
      try {
        const filled = fill(batch);
        batch.finish();
        const result = inTransaction(this.database, () => {
          batch.commit();
          return commit?.(filled);
        });
        batch.settle();
        return result;
      } catch (error) {
        batch.discard();
        if (!(error instanceof SnapshotError && error.code === 'vanished') || attempt === 3) throw error;
      }
    }
  }

  /** Whether its content is stored; of what was too large only hash and size are. */
  has(hash: string): boolean {
    return this.database.prepare('SELECT 1 FROM snapshot_objects WHERE hash = ? AND pack_id IS NOT NULL').get(hash) !== undefined;
  }

  /** The content, compared with its hash. Throws `SnapshotError` `missing`, `tooLarge` or `damaged`. */
  get(hash: string): Buffer {
    try {
      return this.read(hash);
    } catch (error) {
      // Collecting garbage moves what is left of a pack into another one.
      if (!isSystemError(error, 'ENOENT')) throw error;
      this.reader.forget();
      return this.retried(hash);
    }
  }

  /** A number for each hash: read in their order, each block of a pack is read once. */
  placeOf(): (hash: string) => number {
    const find = this.database.prepare('SELECT pack_id, block FROM snapshot_objects WHERE hash = ?');
    return (hash) => {
      const row = find.get(hash);
      return Number(row?.pack_id ?? 0) * 2 ** 32 + Number(row?.block ?? 0);
    };
  }

  /** Stores what a pack that is closed holds of these in another one. What is damaged stays where it is. */
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

  /** The packs as they lie there. */
  get packs(): PackReader {
    return this.reader;
  }

  /** Gives the pack to the next writer. */
  release(): void {
    this.writer.release();
  }

  /** Forgets what was read and gives the pack to the next writer; the database stays open. */
  dispose(): void {
    this.reader.forget();
    this.writer.release();
  }

  private retried(hash: string): Buffer {
    try {
      return this.read(hash);
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) throw new SnapshotError('missing', `The pack of ${hash} is gone`, { cause: error });
      throw error;
    }
  }

  private read(hash: string): Buffer {
    const row = this.database
      .prepare(
        `SELECT size, block, position, name FROM snapshot_objects LEFT JOIN snapshot_packs ON snapshot_packs.id = pack_id WHERE hash = ?`,
      )
      .get(hash);
    if (row === undefined) throw new SnapshotError('missing', `Nothing is stored as ${hash}`);
    if (row.name === null) throw new SnapshotError('tooLarge', `${hash} was too large to be stored`);
    const { content } = this.reader.read(String(row.name), Number(row.block));
    const object = content.subarray(Number(row.position), Number(row.position) + Number(row.size));
    if (hashOf(object) !== hash) throw new SnapshotError('damaged', `What is stored as ${hash} is something else`);
    return object;
  }
}
