import path from 'node:path';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { PackReader } from './packReader';
import type { StorePlace } from './packWriter';
import { isSystemError } from '../../../../utils/errors';

/** SQL: the content of an object is stored, and no damage is known. */
export const isIntact = 'pack_id IS NOT NULL AND damaged_at IS NULL';

/** Numbers of contents that were damaged or missing. */
export interface Damage {
  /** Number of contents that were stored again since the store was opened. */
  healed: number;
  /** Number of contents that are referenced, but still not readable. */
  left: number;
}

/** Records which stored contents cannot be read. When a file with such content is found, the content is stored again. */
export class ObjectDamage {
  healed = 0;

  constructor(
    private readonly database: DatabaseSync,
    private readonly place: StorePlace,
    private readonly reader: PackReader,
  ) {}

  note(hashes: readonly string[]): void {
    if (hashes.length === 0) return;
    this.database
      .prepare(`UPDATE snapshot_objects SET damaged_at = ? WHERE hash IN (SELECT value FROM json_each(?)) AND ${isIntact}`)
      .run(this.place.clock.now(), JSON.stringify(hashes));
  }

  /** Removes the mark from contents that are readable again. */
  clear(hashes: readonly string[]): void {
    const noted = this.noted();
    const readable = noted.size === 0 ? [] : hashes.filter((hash) => noted.has(hash));
    if (readable.length === 0) return;
    this.database
      .prepare('UPDATE snapshot_objects SET damaged_at = NULL WHERE hash IN (SELECT value FROM json_each(?))')
      .run(JSON.stringify(readable));
  }

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

  /** Marks the contents of packs that are missing or shorter than recorded. Reads no content. Returns the ids of these packs. */
  noteLostPacks(): number[] {
    const packs = this.database.prepare('SELECT id, name, length FROM snapshot_packs WHERE length > 0').all();
    return packs.flatMap(({ id, name, length }) => {
      const size = this.readSize(String(name));
      if (size === null || size >= Number(length)) return [];
      this.reader.close(String(name));
      this.noteFrom(Number(id), this.firstLost(Number(id), String(name), size));
      return [Number(id)];
    });
  }

  /** Returns the file size in bytes; null if it cannot be read. */
  private readSize(name: string): number | null {
    const { directory, fileSystem } = this.place;
    try {
      return Number(fileSystem.lstat(path.join(directory, name))?.size ?? 0);
    } catch (error) {
      if (isSystemError(error)) return null;
      throw error;
    }
  }

  /** Returns the position of the first incomplete block in a pack of `size` bytes. */
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
    // Avoid a write if nothing changes, because each write waits for the disk.
    if (this.database.prepare(`SELECT 1 FROM snapshot_objects WHERE ${isLost} LIMIT 1`).get(id, block) === undefined) return;
    this.database.prepare(`UPDATE snapshot_objects SET damaged_at = ? WHERE ${isLost}`).run(this.place.clock.now(), id, block);
  }
}
