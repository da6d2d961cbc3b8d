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
  /** Null: not its content, only that it was there. */
  place: Place | null;
  /** Set where it is stored already, in a pack that it is to leave. */
  fromPack: number | null;
}

/** SQL: what is being stored takes the place of what is stored, which is not there or damaged. */
const isBetter = `(excluded.pack_id IS NOT NULL AND NOT (snapshot_objects.pack_id IS NOT NULL AND snapshot_objects.damaged_at IS NULL))`;

/**
 * Objects on their way into the store. Nothing of it counts before `commit` ran inside a transaction that was committed; call `settle`
 * after that, `discard` instead when it was not.
 */
export class ObjectBatch {
  private readonly fresh = new Map<string, Stored>();
  private readonly known = new Set<string>();
  private readonly doubted = new Set<string>();
  /** Contents that were given and not taken, as they are stored, with their sizes. */
  private readonly spared = new Map<string, number>();
  private readonly find: StatementSync;
  /** True if the store was empty at the start. Content that another window stores from then on is stored twice, which does no harm. */
  private readonly isStoreEmpty: boolean;
  /** Contents that wait for their block, one after the other. */
  private waiting: Stored[] = [];
  private length = 0;
  private content: Buffer | undefined;
  /** First failure to write, after which nothing counts as stored, whoever has been told otherwise. */
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

  /** Tells whether the content need not be given: it is stored, or in this batch. */
  has(hash: string): boolean {
    if (this.fresh.has(hash) || this.known.has(hash)) return true;
    const isStored = !this.isStoreEmpty && this.find.get(hash) !== undefined;
    if (isStored) this.known.add(hash);
    return isStored;
  }

  /** Forgets that these are stored: they were found damaged since. */
  doubt(hashes: Iterable<string>): void {
    for (const hash of hashes) if (this.known.delete(hash)) this.doubted.add(hash);
  }

  /** Returns contents that somebody gave and that were not taken, as they are stored: whoever has them may be the last. At most so many bytes. */
  sparedUpTo(mostBytes: number): string[] {
    let bytes = 0;
    return [...this.spared].flatMap(([hash, size]) => ((bytes += size) <= mostBytes ? [hash] : []));
  }

  /** Takes a copy of the content, or writes it at once. */
  add(hash: string, content: Uint8Array): void {
    if (this.has(hash)) {
      if (!this.fresh.has(hash)) this.spared.set(hash, content.length);
      return;
    }
    this.place({ hash, size: content.length, place: null, fromPack: null }, content);
  }

  /** Stores once more what lies in a pack that is to go. */
  move(hash: string, content: Uint8Array, fromPack: number): void {
    this.place({ hash, size: content.length, place: null, fromPack }, content);
  }

  private place(stored: Stored, content: Uint8Array): void {
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

  /** Notes a content that is too large to be stored, so that it can be told from others. */
  note(hash: string, size: number): void {
    if (!this.has(hash)) this.fresh.set(hash, { hash, size, place: null, fromPack: null });
  }

  /** Makes what was added durable. Before the transaction of `commit`. */
  finish(): void {
    this.flush();
    for (const { objects, content, compressed } of this.thread?.rest() ?? []) this.write(objects, content, compressed);
    if (this.failure !== null) throw this.failure;
    this.writer.sync();
  }

  /** Writes the rows, inside the transaction. Throws `SnapshotError` `vanished` when something that `has` said was there was collected. */
  commit(): void {
    const now = this.clock.now();
    const touch = this.database.prepare('UPDATE snapshot_objects SET stored_at = ? WHERE hash = ? AND ref_count = 0');
    for (const hash of this.known) {
      if (this.find.get(hash) === undefined) throw new SnapshotError('vanished', `${hash} was collected meanwhile`);
      touch.run(now, hash);
    }
    const exists = this.database.prepare('SELECT 1 FROM snapshot_objects WHERE hash = ?');
    for (const hash of this.doubted) {
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
