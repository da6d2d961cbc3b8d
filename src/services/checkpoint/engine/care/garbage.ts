import path from 'node:path';
import type { Clock } from '../../../../utils/clock';
import { inTransaction } from '../../../database/sqlite/ownConnection';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import { isKnownDead, isOfOneProcess } from '../../../database/sessions/windowOwner';
import { writeAll, type FileSystem } from '../../../../utils/files/fileSystem';
import type { ManifestStore } from '../manifests/manifestStore';
import type { Damage } from '../objects/objectDamage';
import type { ObjectStore } from '../objects/objectStore';
import { neededObjects } from './neededObjects';
import { PackCheck, type StorageProblem } from '../objects/packCheck';
import { packHeader } from '../objects/packFormat';
import { SnapshotError } from '../../snapshotError';
import { StoredBytes } from '../objects/storedBytes';
import { isSystemError } from '../../../../utils/errors';

export interface CollectedGarbage {
  manifests: number;
  objects: number;
  /** Bytes of packs that were removed, or that the next collection will remove. */
  bytes: number;
}

export interface VerifiedStorage {
  packs: number;
  objects: number;
  problems: StorageProblem[];
  /** Affected files, without duplicates. */
  files: string[];
}

export interface StorageUsage {
  /** Disk usage of checkpoints: see `StoredBytes`. */
  bytes: number;
  /** Bytes of packs. */
  packs: number;
  /** Bytes of scan caches. */
  seen: number;
  objects: number;
  checkpoints: number;
  manifests: number;
  /** See `ObjectDamage.sum`. */
  damage: Damage;
}

/** Age after which an unreferenced object can be removed. After this time, no writer can still be about to refer to the object. */
const graceMs = 60 * 60 * 1_000;
const slice = 500;
/**
 * Minimum share of needed content in a pack. Packs below the minimum are rewritten. `lazy` is for automatic collection, `tight`
 * for reducing storage below a limit, and `full` for collection on request.
 */
const rewriteShares = { lazy: 0.5, tight: 0.9, full: 1 };
export type CollectionMode = keyof typeof rewriteShares;

interface Place {
  directory: string;
  /** Id of this writer: see `createOwner`. */
  owner: string;
  fileSystem: FileSystem;
  clock: Clock;
  isCancelled: () => boolean;
  /** Called with the fraction read so far, from 0 to 1. */
  onRead?: ((share: number) => void) | undefined;
}

/**
 * Collects unreferenced data and verifies stored data. Each step is one transaction,
 * so the work can stop anywhere and continue later. Writers are not blocked.
 */
export class Garbage {
  private readonly stored: StoredBytes;
  private readonly check: PackCheck;

  constructor(
    private readonly database: DatabaseSync,
    private readonly manifests: ManifestStore,
    private readonly objects: ObjectStore,
    private readonly place: Place,
  ) {
    this.stored = new StoredBytes(database, place);
    this.check = new PackCheck(database, objects);
  }

  /**
   * Removes unreferenced manifests and objects. Rewrites packs whose share of needed content is below the minimum for `mode`.
   * After a cancellation, the next collection continues the work.
   */
  collect(mode: CollectionMode = 'lazy'): CollectedGarbage {
    this.objects.release();
    const before = this.lengthOfPacks();
    const manifests = this.removeManifests();
    const objects = this.removeObjects();
    this.closeWasteful(rewriteShares[mode]);
    // Remove empty packs first, because this needs no additional space.
    this.removeClosed();
    for (const { id } of this.closedPacks()) {
      if (this.place.isCancelled()) break;
      this.moveOut(id);
      this.removeClosed();
    }
    return { manifests, objects, bytes: Math.max(0, before - this.lengthOfPacks()) };
  }

  /**
   * Verifies all data that is stored at the time of the call. Does not report data that other windows store or move in the
   * meantime. Throws `CancelledError`.
   */
  verify(): VerifiedStorage {
    const problems: StorageProblem[] = [];
    let objects = 0;
    let read = 0;
    const packs = this.database.prepare('SELECT name, length FROM snapshot_packs WHERE length > 0').all();
    const all = packs.reduce((sum, { length }) => sum + Number(length), 0);
    for (const { name, length } of packs) {
      const { isCancelled } = this.place;
      const onRead = (bytes: number) => this.place.onRead?.((read + bytes) / all);
      const checked = this.check.check(String(name), Number(length), { isCancelled, onRead });
      read += Number(length);
      objects += checked.count;
      problems.push(...checked.problems);
    }
    return { packs: packs.length, objects, problems, files: this.listFiles(problems) };
  }

  /** Returns an estimate of the bytes that `collect('full')` would free. */
  freeable(): number {
    const young = this.place.clock.now() - graceMs;
    // If there are no unused manifests, the reference counts are sufficient.
    const objects = this.manifests.unreferenced(1).length === 0 ? null : neededObjects(this.database);
    const rows = this.database.prepare(
      'SELECT id, pack_id, block, size, ref_count, stored_at FROM snapshot_objects WHERE pack_id IS NOT NULL',
    );
    const needed = new Map<number, Map<number, number>>();
    for (const { id, pack_id: pack, block, size, ref_count: references, stored_at: storedAt } of rows.iterate()) {
      const isNeeded = objects?.has(Number(id)) ?? Number(references) > 0;
      if (!isNeeded && Number(storedAt) < young) continue;
      const ofPack = needed.get(Number(pack)) ?? new Map<number, number>();
      needed.set(Number(pack), ofPack.set(Number(block), (ofPack.get(Number(block)) ?? 0) + Number(size) + 1));
    }
    const packs = this.database.prepare('SELECT id, name, length, owner FROM snapshot_packs WHERE length > 0').all();
    return packs.reduce((sum, { id, name, length, owner }) => {
      if (owner !== null && !isKnownDead(String(owner)) && !isOfOneProcess(String(owner), this.place.owner)) return sum;
      const inPack = needed.get(Number(id));
      return sum + (inPack ? this.check.estimateWaste(String(name), Number(length), inPack) : Number(length));
    }, 0);
  }

  /** Rewrites damaged pack headers. This is possible because all headers are identical. */
  healHeaders(): void {
    const { directory, fileSystem } = this.place;
    for (const { name } of this.database.prepare('SELECT name FROM snapshot_packs WHERE length > 0').all()) {
      try {
        this.objects.packs.close(String(name));
        this.objects.packs.checkHeader(String(name));
      } catch (error) {
        if (!(error instanceof SnapshotError)) continue;
        const file = fileSystem.open(path.join(directory, String(name)), 'r+');
        try {
          writeAll(fileSystem, file, packHeader(), 0);
          fileSystem.sync(file);
        } finally {
          fileSystem.close(file);
        }
      }
    }
  }

  /** Measures the stored data. For `isExact`, see `StoredBytes.measure`. */
  usage(isExact = false): StorageUsage {
    const count = (sql: string) => Number(this.database.prepare(sql).get()?.n ?? 0);
    return {
      ...this.stored.measure(isExact),
      objects: count('SELECT count(*) AS n FROM snapshot_objects'),
      checkpoints: count("SELECT count(*) AS n FROM checkpoints WHERE state = 'taken'"),
      manifests: count('SELECT count(*) AS n FROM manifests'),
      damage: this.objects.damage.sum(),
    };
  }

  private listFiles(problems: readonly StorageProblem[]): string[] {
    const hashes = problems.flatMap(({ hash }) => (hash === null ? [] : [hash]));
    if (hashes.length === 0) return [];
    return this.database
      .prepare(
        `WITH affected AS (SELECT id FROM snapshot_objects WHERE hash IN (SELECT value FROM json_each(?)))
         SELECT path FROM manifest_entries WHERE object_id IN affected UNION
         SELECT path FROM staged_files WHERE object_id IN affected UNION
         SELECT shown FROM file_snapshots WHERE object_id IN affected OR left_object_id IN affected OR undone_object_id IN affected UNION
         SELECT shown FROM hunk_answers JOIN file_snapshots ON file_snapshots.id = snapshot_id
         WHERE from_object_id IN affected OR to_object_id IN affected
         ORDER BY 1`,
      )
      .all(JSON.stringify(hashes))
      .map(({ path: file }) => String(file));
  }

  private removeManifests(): number {
    let removed = 0;
    for (let ids = this.manifests.unreferenced(slice); ids.length > 0; ids = this.manifests.unreferenced(slice)) {
      for (const id of ids) {
        if (this.place.isCancelled()) return removed;
        inTransaction(this.database, () => this.manifests.removeIfUnused(id));
        removed += 1;
      }
      if (ids.length < slice) break;
    }
    return removed;
  }

  private removeObjects(): number {
    const { changes } = this.database
      .prepare('DELETE FROM snapshot_objects WHERE ref_count = 0 AND stored_at < ?')
      .run(this.place.clock.now() - graceMs);
    return Number(changes);
  }

  /** Closes packs with a low share of needed content, so that no writer uses them. Skips packs with an active writer. */
  private closeWasteful(worth: number): void {
    const packs = this.database.prepare('SELECT id, name, length, owner FROM snapshot_packs WHERE is_dropped = 0').all();
    const close = this.database.prepare(
      'UPDATE snapshot_packs SET is_dropped = 1, owner = NULL WHERE id = ? AND owner IS ? AND length = ? AND is_dropped = 0',
    );
    for (const { id, name, length, owner } of packs) {
      if (owner !== null && !isKnownDead(String(owner))) continue;
      const needed = this.database
        .prepare('SELECT count(*) AS n, sum(size) AS size FROM snapshot_objects WHERE pack_id = ?')
        .get(id as number);
      const stored = this.check.measureContents(String(name), Number(length));
      const isNeeded = Number(needed?.n) > 0 && (stored === null || Number(needed?.size) + Number(needed?.n) >= stored * worth);
      if (!isNeeded) close.run(id as number, owner as string | null, length as number);
    }
  }

  /** Returns the total size, in bytes, of packs that are open or contain needed objects. */
  private lengthOfPacks(): number {
    const row = this.database
      .prepare(
        `SELECT sum(length) AS length FROM snapshot_packs p
         WHERE is_dropped = 0 OR EXISTS (SELECT 1 FROM snapshot_objects WHERE pack_id = p.id)`,
      )
      .get();
    return Number(row?.length ?? 0);
  }

  private closedPacks(): { id: number; name: string; length: number }[] {
    return this.database
      .prepare('SELECT id, name, length FROM snapshot_packs WHERE is_dropped = 1')
      .all()
      .map(({ id, name, length }) => ({ id: Number(id), name: String(name), length: Number(length) }));
  }

  /** Copies the needed objects of a pack to another pack. Damaged objects stay in the pack, so that `verify` reports them. */
  private moveOut(id: number): void {
    const rows = this.database.prepare('SELECT hash FROM snapshot_objects WHERE pack_id = ? ORDER BY block, position').all(id);
    for (let from = 0; from < rows.length && !this.place.isCancelled(); from += slice) {
      const hashes = rows.slice(from, from + slice).map(({ hash }) => String(hash));
      this.objects.move(hashes, id);
    }
  }

  private isEmpty(id: number): boolean {
    return this.database.prepare('SELECT 1 FROM snapshot_objects WHERE pack_id = ? LIMIT 1').get(id) === undefined;
  }

  /** Removes empty closed packs. The file is deleted before its row, because a file without a row is never removed. */
  private removeClosed(): void {
    for (const { id, name } of this.closedPacks()) {
      if (!this.isEmpty(id)) continue;
      const file = path.join(this.place.directory, name);
      try {
        this.objects.packs.close(name);
        if (this.place.fileSystem.lstat(file) !== undefined) this.place.fileSystem.remove(file);
      } catch (error) {
        // Another window has the pack open. The next collection retries.
        if (!isSystemError(error)) throw error;
        continue;
      }
      this.database.prepare('DELETE FROM snapshot_packs WHERE id = ?').run(id);
    }
  }
}
