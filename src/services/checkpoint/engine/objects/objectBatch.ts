import type { Clock } from '../../../../utils/clock';
import type { DatabaseSync, StatementSync } from '../../../database/sqlite/sqlite';
import type { BlockThread } from './blockThread';
import { isIntact } from './objectDamage';
import { blockContentLength, compress, encodeBlock, type PackedObject } from './packFormat';
import type { PackWriter } from './packWriter';
import { SnapshotError } from '../../snapshotError';

interface Place {
  packId: number;
  block: number;
  position: number;
}

export interface Stored extends PackedObject {
  /** Position in a pack; null if only hash and size are stored. */
  place: Place | null;
  /** Pack to move the object out of; null for new objects. */
  fromPack: number | null;
}

/** SQL: the new content replaces an existing row with missing or damaged content. */
const isBetter = `(excluded.pack_id IS NOT NULL AND NOT (snapshot_objects.pack_id IS NOT NULL AND snapshot_objects.damaged_at IS NULL))`;

/**
 * Objects to store. They are stored when the transaction around `commit` is
 * committed. After that, call `settle`, or `discard` if the transaction failed.
 */
export class ObjectBatch {
  private readonly fresh = new Map<string, Stored>();
  private readonly known = new Set<string>();
  private readonly damaged = new Set<string>();
  /** Sizes by hash of contents that were passed to `add` but are already stored. */
  private readonly alreadyStored = new Map<string, number>();
  private readonly find: StatementSync;
  /**
   * True if the store was empty when the batch was created, which saves queries. Content that another window stores in the
   * meantime is stored twice, which is harmless.
   */
  private readonly isStoreEmpty: boolean;
  /** Objects of the next block, in order. */
  private waiting: Stored[] = [];
  private length = 0;
  private content: Buffer | undefined;
  /** First write error. After it, nothing in the batch is treated as stored. */
  private failure: Error | null = null;

  constructor(
    private readonly database: DatabaseSync,
    private readonly writer: PackWriter,
    private readonly clock: Clock,
    private readonly thread?: BlockThread<Stored>,
  ) {
    this.find = database.prepare(`SELECT 1 FROM snapshot_objects WHERE hash = ? AND ${isIntact}`);
    this.isStoreEmpty = database.prepare('SELECT 1 FROM snapshot_objects LIMIT 1').get() === undefined;
  }

  /** Returns true if the content is stored or part of this batch. */
  has(hash: string): boolean {
    if (this.fresh.has(hash) || this.known.has(hash)) return true;
    const isStored = !this.isStoreEmpty && this.find.get(hash) !== undefined;
    if (isStored) this.known.add(hash);
    return isStored;
  }

  /** Treats these objects as not stored, because they were found damaged. */
  markDamaged(hashes: Iterable<string>): void {
    for (const hash of hashes) if (this.known.delete(hash)) this.damaged.add(hash);
  }

  /**
   * Returns the hashes of contents that were passed to `add` although they are already stored, up to `mostBytes` in total. Skips
   * hashes in `verified`. The stored copies must be checked, because the caller's copy may be the last intact one.
   */
  alreadyStoredUpTo(mostBytes: number, verified: ReadonlySet<string>): string[] {
    let bytes = 0;
    const unverified = [...this.alreadyStored].filter(([hash]) => !verified.has(hash));
    return unverified.flatMap(([hash, size]) => ((bytes += size) <= mostBytes ? [hash] : []));
  }

  /** Copies the content for the next block, or writes it immediately. */
  add(hash: string, content: Uint8Array): void {
    if (this.has(hash)) {
      if (!this.fresh.has(hash)) this.alreadyStored.set(hash, content.length);
      return;
    }
    this.enqueue({ hash, size: content.length, place: null, fromPack: null }, content);
  }

  /** Stores an object from a pack that is being removed. */
  move(hash: string, content: Uint8Array, fromPack: number): void {
    this.enqueue({ hash, size: content.length, place: null, fromPack }, content);
  }

  private enqueue(stored: Stored, content: Uint8Array): void {
    this.fresh.set(stored.hash, stored);
    if (content.length >= blockContentLength) {
      this.write([stored], content, compress(content));
      return;
    }
    this.content ??= Buffer.allocUnsafeSlow(2 * blockContentLength);
    this.content.set(content, this.length);
    this.waiting.push(stored);
    this.length += content.length;
    if (this.length >= blockContentLength) this.flush();
  }

  /** Records hash and size of content that exceeds the size limit. */
  note(hash: string, size: number): void {
    if (!this.has(hash)) this.fresh.set(hash, { hash, size, place: null, fromPack: null });
  }

  /** Makes the added content durable. Call it before the transaction of `commit`. */
  finish(): void {
    this.flush();
    for (const { objects, content, compressed } of this.thread?.rest() ?? []) this.write(objects, content, compressed);
    if (this.failure !== null) throw this.failure;
    this.writer.sync();
  }

  /**
   * Writes the rows, inside the transaction. Throws `SnapshotError` `vanished` if garbage collection removed an object that `has` reported.
   */
  commit(): void {
    const now = this.clock.now();
    this.touchKnown(now);
    const exists = this.database.prepare('SELECT 1 FROM snapshot_objects WHERE hash = ?');
    for (const hash of this.damaged) {
      if (!this.fresh.has(hash) && exists.get(hash) === undefined)
        throw new SnapshotError('vanished', `${hash} was collected meanwhile`);
    }
    const insert = this.database.prepare(`
      INSERT INTO snapshot_objects (hash, size, pack_id, block, position, stored_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (hash) DO UPDATE SET
        stored_at = excluded.stored_at,
        pack_id = iif(${isBetter}, excluded.pack_id, pack_id),
        block = iif(${isBetter}, excluded.block, block),
        position = iif(${isBetter}, excluded.position, position),
        damaged_at = iif(${isBetter}, NULL, damaged_at)`);
    const move = this.database.prepare(
      'UPDATE snapshot_objects SET pack_id = ?, block = ?, position = ?, damaged_at = NULL WHERE hash = ? AND pack_id = ?',
    );
    for (const { hash, size, place, fromPack } of this.fresh.values()) {
      if (fromPack !== null && place !== null) move.run(place.packId, place.block, place.position, hash, fromPack);
      else insert.run(hash, size, place?.packId ?? null, place?.block ?? null, place?.position ?? null, now);
    }
    this.writer.commit();
  }

  /** Protects the known objects from garbage collection. One statement updates them all, because there can be many. */
  private touchKnown(now: number): void {
    if (this.known.size === 0) return;
    const hashes = JSON.stringify([...this.known]);
    const among = 'hash IN (SELECT value FROM json_each(?))';
    const row = this.database.prepare(`SELECT count(*) AS n FROM snapshot_objects WHERE ${among} AND ${isIntact}`).get(hashes);
    if (Number(row?.n) !== this.known.size) {
      const gone = [...this.known].find((hash) => this.find.get(hash) === undefined);
      throw new SnapshotError('vanished', `${gone} was collected meanwhile`);
    }
    this.database.prepare(`UPDATE snapshot_objects SET stored_at = ? WHERE ref_count = 0 AND ${among}`).run(now, hashes);
  }

  settle(): void {
    this.thread?.stop();
    this.writer.committed();
  }

  discard(): void {
    this.thread?.stop();
    this.writer.discard();
  }

  private flush(): void {
    const { waiting, content, length } = this;
    if (waiting.length === 0 || content === undefined) return;
    this.waiting = [];
    this.length = 0;
    for (const done of this.thread?.done() ?? []) this.write(done.objects, done.content, done.compressed);
    const filled = content.subarray(0, length);
    if (this.thread?.offer(waiting, filled) !== true) this.write(waiting, filled, compress(filled));
  }

  private write(objects: Stored[], content: Uint8Array, compressed: Uint8Array | null): void {
    const { packId, position: block } = this.append(encodeBlock(objects, content, compressed));
    let position = 0;
    for (const object of objects) {
      object.place = { packId, block, position };
      position += object.size;
    }
  }

  private append(block: Buffer): { packId: number; position: number } {
    try {
      return this.writer.append(block);
    } catch (error) {
      this.failure ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }
}
