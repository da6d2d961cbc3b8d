import path from 'node:path';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { PackReader } from './packReader';
import type { StorePlace } from './packWriter';
import { isSystemError } from '../../../../utils/errors';

/** SQL: the content of an object is stored, and no read has found it damaged since. */
export const isIntact = 'pack_id IS NOT NULL AND damaged_at IS NULL';

/** Numbers of contents that were damaged or missing. */
export interface Damage {
  /** Stored anew since the store was opened. */
  healed: number;
  /** Referred to, and still not readable. */
  left: number;
}

/** Remembers which stored contents cannot be read: whoever has such a content again stores it anew. */
export class ObjectDamage {
  healed = 0;

  constructor(
    private readonly database: DatabaseSync,
    private readonly place: StorePlace,
    private readonly reader: PackReader,
  ) {}

  /** Remembers that these cannot be read from where they are stored. */
  note(hashes: readonly string[]): void {
    if (hashes.length === 0) return;
    this.database
      .prepare(`UPDATE snapshot_objects SET damaged_at = ? WHERE hash IN (SELECT value FROM json_each(?)) AND ${isIntact}`)
      .run(this.place.clock.now(), JSON.stringify(hashes));
  }

  /** Forgets what was noted of contents that can be read after all. */
  clear(hashes: readonly string[]): void {
    const noted = this.noted();
    const readable = noted.size === 0 ? [] : hashes.filter((hash) => noted.has(hash));
    if (readable.length === 0) return;
    this.database
      .prepare('UPDATE snapshot_objects SET damaged_at = NULL WHERE hash IN (SELECT value FROM json_each(?))')
      .run(JSON.stringify(readable));
  }

  /** Returns the hashes of all that was noted. */
  noted(): Set<string> {
    const rows = this.database.prepare('SELECT hash FROM snapshot_objects WHERE damaged_at IS NOT NULL').all();
    return new Set(rows.map(({ hash }) => String(hash)));
  }

  count(): number {
    return Number(this.database.prepare('SELECT count(*) AS n FROM snapshot_objects WHERE damaged_at IS NOT NULL').get()?.n);
  }

  sum(): Damage {
    const left = this.database
      .prepare('SELECT count(*) AS n FROM snapshot_objects WHERE damaged_at IS NOT NULL AND ref_count > 0')
      .get();
    return { healed: this.healed, left: Number(left?.n) };
  }

  /** Notes the contents of packs that are gone, or shorter than the database says; reads no content. Returns the ids of these packs. */
  noteLostPacks(): number[] {
    const packs = this.database.prepare('SELECT id, name, length FROM snapshot_packs WHERE length > 0').all();
    return packs.flatMap(({ id, name, length }) => {
      const size = this.sizeOf(String(name));
      if (size === null || size >= Number(length)) return [];
      this.reader.forget(String(name));
      this.noteFrom(Number(id), this.firstLost(Number(id), String(name), size));
      return [Number(id)];
    });
  }

  /** Returns the bytes of the file; null where nobody can tell. */
  private sizeOf(name: string): number | null {
    const { directory, fileSystem } = this.place;
    try {
      return Number(fileSystem.lstat(path.join(directory, name))?.size ?? 0);
    } catch (error) {
      if (isSystemError(error)) return null;
      throw error;
    }
  }

  /** Returns where the first block begins that is not whole in a pack of `size` bytes. */
  private firstLost(id: number, name: string, size: number): number {
    const row = this.database
      .prepare('SELECT max(block) AS block FROM snapshot_objects WHERE pack_id = ? AND block < ?')
      .get(id, size);
    if (row?.block == null) return size;
    const last = Number(row.block);
    try {
      return this.reader.readHeader(name, last).next <= size ? size : last;
    } catch {
      return last;
    }
  }

  private noteFrom(id: number, block: number): void {
    const isLost = 'pack_id = ? AND block >= ? AND damaged_at IS NULL';
    // Each write waits for the disk.
    if (this.database.prepare(`SELECT 1 FROM snapshot_objects WHERE ${isLost} LIMIT 1`).get(id, block) === undefined) return;
    this.database.prepare(`UPDATE snapshot_objects SET damaged_at = ? WHERE ${isLost}`).run(this.place.clock.now(), id, block);
  }
}
