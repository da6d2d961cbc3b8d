import { inTransaction } from '../../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { BlockThread } from './blockThread';
import { ObjectBatch, type Stored } from './objectBatch';
import { isIntact, ObjectDamage } from './objectDamage';
import { hashOf } from './packFormat';
import { PackReader } from './packReader';
import { PackWriter, type StorePlace } from './packWriter';
import { SnapshotError } from '../../snapshotError';
import { isSystemError } from '../../../../utils/errors';

/**
 * Contents by their SHA-256, each stored once: docs/storage-format.md, *Snapshots*. Synchronous, for the worker's thread; one store is
 * one writer. Besides `SnapshotError` everything throws what SQLite and the system throw.
 */
export class ObjectStore {
  private readonly reader: PackReader;
  private readonly writer: PackWriter;
  /** Contents that cannot be read. */
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

  /** Returns the hashes in the order of the contents, which are durable and readable when it returns. */
  put(contents: readonly Uint8Array[]): string[] {
    const hashes = contents.map(hashOf);
    this.noteLostPacks();
    // The caller is about to change the file: what was stored earlier is its last copy then.
    this.unreadable(hashes.filter((hash) => this.has(hash)));
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

  /** Returns whether the content is stored and not known to be damaged; of what was too large only hash and size are stored. */
  has(hash: string): boolean {
    return this.database.prepare(`SELECT 1 FROM snapshot_objects WHERE hash = ? AND ${isIntact}`).get(hash) !== undefined;
  }

  /** Returns the content, compared with its hash. Remembers damage. Throws `SnapshotError` `missing`, `tooLarge` or `damaged`. */
  get(hash: string): Buffer {
    try {
      return this.found(hash);
    } catch (error) {
      if (isDamage(error)) this.noteIfPossible(hash);
      throw error;
    }
  }

  /** Returns the content as `get` does, in a buffer of its own: what is sent to another thread takes the whole buffer behind it along. */
  copyOf(hash: string): Uint8Array {
    return Uint8Array.from(this.get(hash));
  }

  /**
   * Reads stored contents from the disk, past what is remembered of it, and returns those that cannot be read. Notes them as damaged, and
   * forgets what was noted of the others. Holds one block at a time.
   */
  unreadable(hashes: Iterable<string>): Set<string> {
    const placeOf = this.placeOf();
    const ordered = [...new Set(hashes)].map((hash): [string, number] => [hash, placeOf(hash)]);
    if (ordered.length === 0) return new Set();
    const sorted = ordered.sort(([, one], [, other]) => one - other).map(([hash]) => hash);
    let lost = this.readAll(sorted);
    this.damage.note([...lost]);
    this.noteLostPacks();
    // What damages one may have damaged those that were read before it.
    const noted = this.damage.noted();
    if (sorted.some((hash) => noted.has(hash))) lost = this.readAll(sorted);
    this.damage.note([...lost]);
    this.damage.clear(sorted.filter((hash) => !lost.has(hash)));
    return lost;
  }

  /** Notes the contents of packs that are gone or cut, see `ObjectDamage.noteLostPacks`. Nothing more is written to these. */
  noteLostPacks(): void {
    this.writer.leave(this.damage.noteLostPacks());
  }

  private noteIfPossible(hash: string): void {
    try {
      this.damage.note([hash]);
    } catch {
      // A full disk: the next read finds it again. What the caller has to know is the damage.
    }
  }

  private readAll(hashes: readonly string[]): Set<string> {
    const lost = new Set<string>();
    this.reader.forget();
    for (const hash of hashes) {
      try {
        this.found(hash);
      } catch (error) {
        if (!(error instanceof SnapshotError) && !isSystemError(error)) throw error;
        lost.add(hash);
      }
    }
    return lost;
  }

  private found(hash: string): Buffer {
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

function isDamage(error: unknown): boolean {
  return error instanceof SnapshotError && (error.code === 'damaged' || error.code === 'missing');
}
