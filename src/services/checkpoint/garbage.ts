import path from 'node:path';
import type { Clock } from '../../utils/clock';
import { CancelledError, isCancelled } from '../../utils/errors';
import { inTransaction } from '../database/ownConnection';
import type { DatabaseSync } from '../database/sqlite';
import { isKnownDead } from '../database/windowOwner';
import { isSystemError, type FileSystem } from './fileSystem';
import type { ManifestStore } from './manifestStore';
import type { ObjectStore } from './objectStore';
import { hashOf, packHeaderLength } from './packFormat';
import { StoredBytes } from './storedBytes';

export interface CollectedGarbage {
  manifests: number;
  objects: number;
  /** Bytes of packs that are gone or will be with the next collection. */
  bytes: number;
}

export interface StorageProblem {
  pack: string;
  /** Null: the pack itself. */
  hash: string | null;
  problem: string;
}

export interface VerifiedStorage {
  packs: number;
  objects: number;
  problems: StorageProblem[];
  /** Of the files of which a state is affected, without repetition. */
  files: string[];
}

export interface StorageUsage {
  /** All that checkpoints take on the disk: see `StoredBytes`. */
  bytes: number;
  /** Of the packs among it. */
  packs: number;
  /** Of what scanners remember. */
  seen: number;
  objects: number;
  checkpoints: number;
  manifests: number;
}

/** Nobody can still be about to refer to what was stored longer ago. */
const graceMs = 60 * 60 * 1_000;
const slice = 500;
/** A pack of which less is needed is written anew. */
const worthKeeping = 0.5;
/** The same where room is short. */
const worthKeepingTightly = 0.9;

interface Place {
  directory: string;
  fileSystem: FileSystem;
  clock: Clock;
  isCancelled: () => boolean;
  /** Told how much of what is stored was read, from 0 to 1. */
  onRead?: ((share: number) => void) | undefined;
}

/**
 * Collects what nothing refers to, and checks what is stored. Each step is a transaction of its own, so it may be cut off anywhere and
 * goes on next time; whoever stores something meanwhile is not in its way.
 */
export class Garbage {
  private readonly stored: StoredBytes;

  constructor(
    private readonly database: DatabaseSync,
    private readonly manifests: ManifestStore,
    private readonly objects: ObjectStore,
    private readonly place: Place,
  ) {
    this.stored = new StoredBytes(database, place);
  }

  /**
   * Removes what nothing refers to and nobody can be about to. Cancelled, it stops with packs still to be written anew, which the next one goes
   * on with. `isTight`: packs with less waste are written anew too.
   */
  collect(isTight = false): CollectedGarbage {
    this.objects.release();
    const collected = { manifests: this.removeManifests(), objects: this.removeObjects(), bytes: 0 };
    this.closeWasteful(isTight ? worthKeepingTightly : worthKeeping);
    for (const { id, length } of this.closedPacks()) {
      if (this.place.isCancelled()) break;
      this.moveOut(id);
      if (this.isEmpty(id)) collected.bytes += length;
    }
    this.removeClosed();
    return collected;
  }

  /** Reads everything that is there when it begins; what others store or move meanwhile is no damage. Throws `CancelledError`. */
  verify(): VerifiedStorage {
    const problems: StorageProblem[] = [];
    let count = 0;
    let read = 0;
    const packs = this.database.prepare('SELECT name, length FROM snapshot_packs WHERE length > 0').all();
    const all = packs.reduce((sum, { length }) => sum + Number(length), 0);
    for (const { name, length } of packs) {
      const pack = String(name);
      // A content may be there twice, from two windows that stored it at the same time.
      const found = new Set<string>();
      try {
        for (let at = packHeaderLength; at < Number(length);) {
          if (this.place.isCancelled()) throw new CancelledError();
          const { block, next } = this.objects.packs.readBlock(pack, at);
          let position = 0;
          for (const { hash, size } of block.objects) {
            if (hashOf(block.content.subarray(position, position + size)) === hash) found.add(`${hash}@${at}:${position}`);
            position += size;
          }
          at = next;
          this.place.onRead?.((read + at) / all);
        }
      } catch (error) {
        if (isCancelled(error)) throw error;
        if (!this.isMovedOut(pack))
          problems.push({ pack, hash: null, problem: error instanceof Error ? error.message : String(error) });
      }
      read += Number(length);
      const rows = this.database
        .prepare(
          `SELECT hash, block, position FROM snapshot_objects JOIN snapshot_packs ON snapshot_packs.id = pack_id
           WHERE name = ? AND block < ?`,
        )
        .all(pack, length as number);
      for (const { hash, block, position } of rows) {
        count += 1;
        if (!found.has(`${String(hash)}@${Number(block)}:${Number(position)}`)) {
          problems.push({ pack, hash: String(hash), problem: 'It is not what its name says, or not there.' });
        }
      }
    }
    return { packs: packs.length, objects: count, problems, files: this.filesOf(problems) };
  }

  /** `isExact` as in `StoredBytes.measure`. */
  usage(isExact = false): StorageUsage {
    const count = (sql: string) => Number(this.database.prepare(sql).get()?.n ?? 0);
    return {
      ...this.stored.measure(isExact),
      objects: count('SELECT count(*) AS n FROM snapshot_objects'),
      checkpoints: count("SELECT count(*) AS n FROM checkpoints WHERE state = 'taken'"),
      manifests: count('SELECT count(*) AS n FROM manifests'),
    };
  }

  private filesOf(problems: readonly StorageProblem[]): string[] {
    const hashes = problems.flatMap(({ hash }) => (hash === null ? [] : [hash]));
    if (hashes.length === 0) return [];
    return this.database
      .prepare(
        `WITH affected AS (SELECT id FROM snapshot_objects WHERE hash IN (SELECT value FROM json_each(?)))
         SELECT path FROM manifest_entries WHERE object_id IN affected UNION
         SELECT path FROM staged_files WHERE object_id IN affected UNION
         SELECT shown FROM file_snapshots WHERE object_id IN affected OR left_object_id IN affected OR undone_object_id IN affected
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

  /** From now on nobody writes to packs of which little is needed. Those that somebody writes to are left alone. */
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
      const stored = this.storedIn(String(name), Number(length));
      const isNeeded = Number(needed?.n) > 0 && (stored === null || Number(needed?.size) + Number(needed?.n) >= stored * worth);
      if (!isNeeded) close.run(id as number, owner as string | null, length as number);
    }
  }

  /** How much all contents of a pack are, needed or not, with one for each; null where it cannot be read: such a pack is left alone. */
  private storedIn(name: string, length: number): number | null {
    let stored = 0;
    try {
      for (let at = packHeaderLength; at < length;) {
        const { header, next } = this.objects.packs.readHeader(name, at);
        stored += header.contentLength + header.count;
        at = next;
      }
    } catch {
      return null;
    }
    return stored;
  }

  private closedPacks(): { id: number; name: string; length: number }[] {
    return this.database
      .prepare('SELECT id, name, length FROM snapshot_packs WHERE is_dropped = 1')
      .all()
      .map(({ id, name, length }) => ({ id: Number(id), name: String(name), length: Number(length) }));
  }

  /** Stores what is needed of a pack once more, in another one. What is damaged stays where it is, for `verify` to tell. */
  private moveOut(id: number): void {
    const rows = this.database.prepare('SELECT hash FROM snapshot_objects WHERE pack_id = ? ORDER BY block, position').all(id);
    for (let from = 0; from < rows.length && !this.place.isCancelled(); from += slice) {
      const hashes = rows.slice(from, from + slice).map(({ hash }) => String(hash));
      this.objects.move(hashes, id);
    }
  }

  /** Whether a pack was collected, but perhaps for its row: nothing is missing then. */
  private isMovedOut(name: string): boolean {
    const row = this.database.prepare('SELECT id, is_dropped FROM snapshot_packs WHERE name = ?').get(name);
    return row === undefined || (row.is_dropped === 1 && this.isEmpty(Number(row.id)));
  }

  private isEmpty(id: number): boolean {
    return this.database.prepare('SELECT 1 FROM snapshot_objects WHERE pack_id = ? LIMIT 1').get(id) === undefined;
  }

  /** The row goes last: a file without one is never removed. */
  private removeClosed(): void {
    for (const { id, name } of this.closedPacks()) {
      if (!this.isEmpty(id)) continue;
      const file = path.join(this.place.directory, name);
      try {
        this.objects.packs.forget(name);
        if (this.place.fileSystem.lstat(file) !== undefined) this.place.fileSystem.remove(file);
      } catch (error) {
        // Another window reads it: next time.
        if (!isSystemError(error)) throw error;
        continue;
      }
      this.database.prepare('DELETE FROM snapshot_packs WHERE id = ?').run(id);
    }
  }
}
