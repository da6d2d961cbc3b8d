import type { Clock } from '../../../../utils/clock';
import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import { ManifestReader, type Changes, type Files } from './manifestReader';
import { isNameOnly, type FileState } from '../scan/scannedFile';
import { SnapshotError } from '../../snapshotError';

/** Maximum number of manifests in a chain. */
const chainLength = 1_024;

/** Stores manifests as deltas. See docs/storage/snapshots.md, *Manifests*. Call writing methods inside a transaction. */
export class ManifestStore extends ManifestReader {
  constructor(
    database: DatabaseSync,
    private readonly clock: Clock,
  ) {
    super(database);
  }

  /** Returns the root number of a workspace folder, given its absolute path. Do not call this inside a transaction. */
  numberRoot(path: string): number {
    const find = this.database.prepare('SELECT id FROM snapshot_roots WHERE path = ?');
    // Avoid a write for a known folder, because each write waits for the disk.
    const known = find.get(path);
    if (known !== undefined) return Number(known.id);
    this.database.prepare('INSERT INTO snapshot_roots (path) VALUES (?) ON CONFLICT DO NOTHING').run(path);
    return Number(find.get(path)?.id);
  }

  /** Adds a manifest that applies `changes` to `parent`. `files` is its full content. All objects must already be stored. */
  insert(parent: number | null, roots: readonly number[], files: Files, changes: Changes): number {
    const before = parent === null ? null : this.position(parent);
    const position = before === null || before + 1 >= chainLength ? 0 : before + 1;
    let base: number | null = null;
    let entries: Changes = files;
    if (position > 0 && parent !== null) {
      const merged = this.sinceBase(parent, position - (position & -position), changes);
      base = merged.base;
      entries = merged.changes;
    }
    let count = 0;
    let size = 0;
    for (const inRoot of files.values()) {
      for (const state of inRoot.values()) {
        if (!isNameOnly(state)) count += 1;
        size += state.size;
      }
    }
    const { lastInsertRowid } = this.database
      .prepare(
        'INSERT INTO manifests (base_id, position, roots, file_count, total_size, created_at, has_names) VALUES (?, ?, ?, ?, ?, ?, 1)',
      )
      .run(base, position, JSON.stringify([...roots]), count, size, this.clock.now());
    const id = Number(lastInsertRowid);
    this.insertEntries(id, entries);
    return id;
  }

  /** Removes a manifest and moves its entries to the manifests based on it. */
  private remove(id: number): void {
    const own = this.database.prepare('SELECT base_id, position FROM manifests WHERE id = ?').get(id);
    if (own === undefined) return;
    const children = this.database.prepare('SELECT id FROM manifests WHERE base_id = ? ORDER BY position, id').all(id);
    const [heir, ...others] = children.map((child) => Number(child.id));
    if (heir !== undefined && own.base_id === null) {
      // The heir becomes a full manifest and the other children become
      // deltas on it. Rebase them before the heir's entries change.
      for (const other of others) this.rebase(other, id, heir);
      this.adopt(heir, id);
      this.database.prepare('DELETE FROM manifest_entries WHERE manifest_id = ? AND kind = 0').run(heir);
      this.database.prepare('UPDATE manifests SET base_id = NULL, position = 0 WHERE id = ?').run(heir);
    } else {
      for (const { id: child } of children) {
        this.adopt(Number(child), id);
        this.database.prepare('UPDATE manifests SET base_id = ? WHERE id = ?').run(own.base_id as number | null, child as number);
      }
    }
    this.database.prepare('DELETE FROM manifests WHERE id = ?').run(id);
  }

  /**
   * Removes a manifest unless a checkpoint refers to it. Does not remove the newest manifest of its roots, because the next scan
   * is compared with it.
   */
  removeIfUnused(id: number): void {
    const isUsed = this.database
      .prepare(
        `SELECT 1 FROM checkpoints WHERE manifest_id = :id UNION ALL
         SELECT 1 FROM manifests m WHERE id = :id AND id = (SELECT max(id) FROM manifests n WHERE n.roots = m.roots)`,
      )
      .get({ id });
    if (isUsed === undefined) this.remove(id);
  }

  /** Returns manifests that `removeIfUnused` would remove. */
  unreferenced(limit: number): number[] {
    return this.database
      .prepare(
        `SELECT id FROM manifests m WHERE NOT EXISTS (SELECT 1 FROM checkpoints WHERE manifest_id = m.id)
         AND id < (SELECT max(id) FROM manifests n WHERE n.roots = m.roots) LIMIT ?`,
      )
      .all(limit)
      .map(({ id }) => Number(id));
  }

  /** Copies the entries of `id` that `heir` does not override. */
  private adopt(heir: number, id: number): void {
    this.database
      .prepare(
        `INSERT INTO manifest_entries (manifest_id, root_id, path, kind, mode, object_id, flags)
         SELECT ?, root_id, path, kind, mode, object_id, flags FROM manifest_entries WHERE manifest_id = ?
         ON CONFLICT DO NOTHING`,
      )
      .run(heir, id);
  }

  /**
   * Turns `other` into a delta on `heir`. Before, both are deltas on the full manifest `base`. For paths that only `heir`
   * changed, adds the state in `base`.
   */
  private rebase(other: number, base: number, heir: number): void {
    this.database
      .prepare(
        `INSERT INTO manifest_entries (manifest_id, root_id, path, kind, mode, object_id, flags)
         SELECT ?, h.root_id, h.path, ifnull(b.kind, 0), ifnull(b.mode, 0), b.object_id, ifnull(b.flags, 0)
         FROM manifest_entries h LEFT JOIN manifest_entries b ON b.manifest_id = ? AND b.root_id = h.root_id AND b.path = h.path
         WHERE h.manifest_id = ? ON CONFLICT DO NOTHING`,
      )
      .run(other, base, heir);
    this.database.prepare('UPDATE manifests SET base_id = ? WHERE id = ?').run(heir, other);
  }

  private sinceBase(parent: number, basePosition: number, changes: Changes): { base: number; changes: Changes } {
    const merged: Changes = new Map();
    for (const [root, inRoot] of changes) merged.set(root, new Map(inRoot));
    let base = parent;
    for (;;) {
      const row = this.database.prepare('SELECT base_id, position FROM manifests WHERE id = ?').get(base);
      if (row === undefined) throw new SnapshotError('vanished', `Manifest ${base} was removed meanwhile`);
      if (Number(row.position) <= basePosition || row.base_id === null) return { base, changes: merged };
      for (const [root, path, state] of this.entries(base)) {
        let inRoot = merged.get(root);
        if (inRoot === undefined) merged.set(root, (inRoot = new Map<string, FileState | null>()));
        if (!inRoot.has(path)) inRoot.set(path, state);
      }
      base = Number(row.base_id);
    }
  }

  private position(id: number): number {
    const row = this.database.prepare('SELECT position FROM manifests WHERE id = ?').get(id);
    if (row === undefined) throw new SnapshotError('vanished', `Manifest ${id} was removed meanwhile`);
    return Number(row.position);
  }

  private insertEntries(id: number, entries: Changes): void {
    const insert = this.database.prepare(
      `INSERT INTO manifest_entries (manifest_id, root_id, path, kind, mode, object_id, flags)
       VALUES (?, ?, ?, ?, ?, (SELECT id FROM snapshot_objects WHERE hash = ?), ?)`,
    );
    for (const [root, inRoot] of entries) {
      for (const [path, state] of inRoot) {
        insert.run(id, root, path, state?.kind ?? 0, state?.mode ?? 0, state?.hash ?? null, state?.flags ?? 0);
      }
    }
  }
}

export function isEmpty(changes: Changes): boolean {
  return [...changes.values()].every(({ size }) => size === 0);
}
