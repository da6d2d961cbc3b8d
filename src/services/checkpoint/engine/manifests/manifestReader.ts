import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import { fileFlags, isNameOnly, isSameState, type FileKind, type FileState } from '../scan/scannedFile';
import { SnapshotError } from '../../snapshotError';

/** Files by path, by the number of their root. */
export type Files = Map<number, Map<string, FileState>>;
/** Differing files by root; null: gone. */
export type Changes = Map<number, Map<string, FileState | null>>;

export interface Manifest {
  id: number;
  /** Numbers of the roots it covers, ascending. */
  roots: number[];
  files: Files;
}

/** Reads manifests: docs/storage-format.md, *Manifests*. */
export class ManifestReader {
  constructor(protected readonly database: DatabaseSync) {}

  /** Returns the workspace folders by their numbers. */
  rootPaths(): Map<number, string> {
    const rows = this.database.prepare('SELECT id, path FROM snapshot_roots').all();
    return new Map(rows.map(({ id, path }) => [Number(id), String(path)]));
  }

  /** Returns the last manifest of exactly these roots. */
  latest(roots: readonly number[]): number | null {
    const row = this.database
      .prepare('SELECT id FROM manifests WHERE roots = ? ORDER BY id DESC LIMIT 1')
      .get(JSON.stringify([...roots]));
    return row === undefined ? null : Number(row.id);
  }

  /** Returns the last manifest after `after` that covers a root, whatever others it covers; leaves out imported ones. */
  laterOf(root: number, after: number | null): number | null {
    const row = this.database
      .prepare(
        `SELECT id FROM manifests WHERE id > ? AND (SELECT count(*) FROM json_each(roots) WHERE value = ?) = 1
         ORDER BY id DESC LIMIT 1`,
      )
      .get(after ?? 0, root);
    return row === undefined ? null : Number(row.id);
  }

  /** Throws `SnapshotError` `notFound`. */
  load(id: number): Manifest {
    const { ids, roots } = this.chain(id);
    const files: Files = new Map(roots.map((root) => [root, new Map<string, FileState>()]));
    for (const link of ids.toReversed()) {
      for (const [root, path, state] of this.entries(link)) {
        const inRoot = files.get(root);
        if (state === null) inRoot?.delete(path);
        else inRoot?.set(path, state);
      }
    }
    return { id, roots, files };
  }

  /**
   * Returns the changes that lead from `from` to `to`, by what the two manifests do not have in common: the time grows with the
   * differences
   * and not with the files. Leaves out roots that only one of them covers. Throws `SnapshotError` `notFound`.
   */
  changes(from: number, to: number): Changes {
    const changes: Changes = new Map(this.commonRoots(from, to).map((root) => [root, new Map<string, FileState | null>()]));
    for (const [root, path, , after] of this.differences(from, to)) changes.get(root)?.set(path, after);
    return changes;
  }

  /** Yields what differs, as `changes` does, with what it was in `from` and what it is in `to`. */
  *differences(
    from: number,
    to: number,
  ): Generator<[root: number, path: string, before: FileState | null, after: FileState | null]> {
    const [before, after] = [this.chain(from), this.chain(to)];
    const common = before.ids.find((id) => after.ids.includes(id)) ?? null;
    const shared = common === null ? [] : this.chain(common).ids;
    const [was, is] = [this.since(before.ids, common), this.since(after.ids, common)];
    const find = this.finder();
    for (const root of after.roots.filter((one) => before.roots.includes(one))) {
      const [old, now] = [was.get(root), is.get(root)];
      // What only one of them says is as the common one has it in the other.
      const stateIn = (states: typeof old, path: string) =>
        states?.has(path) ? (states.get(path) as FileState | null) : find(shared, root, path);
      for (const path of new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])) {
        const [one, other] = [stateIn(old, path), stateIn(now, path)];
        const isSame = one === null || other === null ? one === other : isSameState(one, other);
        if (!isSame) yield [root, path, one, other];
      }
    }
  }

  /** Tells whether a manifest has the names of what was left out: those of versions before 16 do not. */
  hasNames(id: number): boolean {
    return this.database.prepare('SELECT has_names FROM manifests WHERE id = ?').get(id)?.has_names === 1;
  }

  /**
   * Gives the manifests after `id`, of those that cover a root, between which names came: the last without and the first with them; null where
   * there are none.
   */
  aroundNames(id: number, root: number): { without: number; first: number } | null {
    const row = this.database
      .prepare(
        `WITH covering AS (SELECT id, has_names FROM manifests
           WHERE id >= :id AND (SELECT count(*) FROM json_each(roots) WHERE value = :root) = 1),
         first AS (SELECT min(id) AS id FROM covering WHERE has_names = 1)
         SELECT max(covering.id) AS without, first.id AS first FROM covering, first WHERE has_names = 0 AND covering.id < first.id`,
      )
      .get({ id, root });
    return row?.without == null ? null : { without: Number(row.without), first: Number(row.first) };
  }

  private commonRoots(from: number, to: number): number[] {
    const before = this.chain(from).roots;
    return this.chain(to).roots.filter((one) => before.includes(one));
  }

  /** Gives one file of a manifest; null where it has none. Throws `SnapshotError` `notFound`. */
  lookup(id: number): (root: number, path: string) => FileState | null {
    const { ids } = this.chain(id);
    const find = this.finder();
    return (root, path) => find(ids, root, path);
  }

  /** Gives the names of what a manifest leaves out, files and folders alike. Throws `SnapshotError` `notFound`. */
  leftOutNames(id: number): [root: number, path: string][] {
    const { ids } = this.chain(id);
    const find = this.finder();
    const list = this.database.prepare(
      "SELECT root_id, path FROM manifest_entries WHERE manifest_id = ? AND flags & ? <> 0 AND path <> ''",
    );
    return ids
      .flatMap((link) => list.all(link, fileFlags.nameOnly))
      .map((row): [number, string] => [Number(row.root_id), String(row.path)])
      .filter(([root, path]) => isNameOnly(find(ids, root, path)));
  }

  /** Returns the files of a manifest that are ignored but kept, and those that could not be read. */
  unusual(id: number): Files {
    const { ids, roots } = this.chain(id);
    const find = this.finder();
    const list = this.database.prepare(
      'SELECT root_id, path FROM manifest_entries WHERE manifest_id = ? AND (kind = 3 OR flags & ? <> 0) AND flags & ? = 0',
    );
    const found: Files = new Map(roots.map((root) => [root, new Map<string, FileState>()]));
    for (const link of ids) {
      for (const { root_id: root, path } of list.all(link, fileFlags.kept, fileFlags.nameOnly)) {
        const state = find(ids, Number(root), String(path));
        if (state !== null && !isNameOnly(state) && (state.kind === 3 || state.flags & fileFlags.kept))
          found.get(Number(root))?.set(String(path), state);
      }
    }
    return found;
  }

  /** Returns a manifest and those it is a delta on, itself first. Throws `SnapshotError` `notFound`. */
  private chain(id: number): { ids: number[]; roots: number[] } {
    const chain = this.database
      .prepare(
        `WITH RECURSIVE chain (id, base_id, roots) AS (
           SELECT id, base_id, roots FROM manifests WHERE id = ?
           UNION ALL SELECT m.id, m.base_id, m.roots FROM manifests m JOIN chain ON m.id = chain.base_id)
         SELECT id, roots FROM chain`,
      )
      .all(id);
    const [own] = chain;
    if (own === undefined) throw new SnapshotError('notFound', `There is no manifest ${id}`);
    return { ids: chain.map((link) => Number(link.id)), roots: JSON.parse(String(own.roots)) as number[] };
  }

  /** Collects the changes of a chain until it comes to `end`. */
  private since(ids: readonly number[], end: number | null): Changes {
    const states: Changes = new Map();
    for (const id of ids) {
      if (id === end) break;
      for (const [root, path, state] of this.entries(id)) {
        let inRoot = states.get(root);
        if (inRoot === undefined) states.set(root, (inRoot = new Map<string, FileState | null>()));
        if (!inRoot.has(path)) inRoot.set(path, state);
      }
    }
    return states;
  }

  private finder(): (ids: readonly number[], root: number, path: string) => FileState | null {
    const find = this.database.prepare(
      `SELECT kind, mode, flags, hash, size FROM manifest_entries
       LEFT JOIN snapshot_objects ON snapshot_objects.id = object_id WHERE manifest_id = ? AND root_id = ? AND path = ?`,
    );
    return (ids, root, path) => {
      for (const id of ids) {
        const row = find.get(id, root, path);
        if (row !== undefined) return stateOf(row);
      }
      return null;
    };
  }

  protected *entries(id: number): Generator<[root: number, path: string, state: FileState | null]> {
    const rows = this.database
      .prepare(
        `SELECT root_id, path, kind, mode, flags, hash, size FROM manifest_entries
         LEFT JOIN snapshot_objects ON snapshot_objects.id = object_id WHERE manifest_id = ?`,
      )
      .all(id);
    for (const row of rows) yield [Number(row.root_id), String(row.path), stateOf(row)];
  }
}

function stateOf({ kind, mode, flags, hash, size }: Record<string, unknown>): FileState | null {
  if (kind === 0) return null;
  return {
    kind: kind as FileKind,
    mode: mode as number,
    hash: hash as string | null,
    size: Number(size),
    flags: flags as number,
  };
}

/** Returns the changes that lead from `from` to `to`. */
export function changesBetween(from: Files, to: Files): Changes {
  const changes: Changes = new Map();
  for (const [root, after] of to) {
    const before = from.get(root);
    const inRoot = new Map<string, FileState | null>();
    for (const [path, state] of after) {
      const old = before?.get(path);
      if (old === undefined || !isSameState(old, state)) inRoot.set(path, state);
    }
    for (const path of before?.keys() ?? []) if (!after.has(path)) inRoot.set(path, null);
    changes.set(root, inRoot);
  }
  return changes;
}
