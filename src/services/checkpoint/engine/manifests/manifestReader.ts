import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import { fileFlags, isNameOnly, isSameState, type FileKind, type FileState } from '../scan/scannedFile';
import { SnapshotError } from '../../snapshotError';
import { PairDifferences, type Difference } from './pairDifferences';

/** Files by path, grouped by root number. */
export type Files = Map<number, Map<string, FileState>>;
/** Changed files by path, grouped by root number. Null means deleted. */
export type Changes = Map<number, Map<string, FileState | null>>;

export interface Manifest {
  id: number;
  /** Numbers of the covered roots, ascending. */
  roots: number[];
  files: Files;
}

/** Reads manifests. See docs/storage/snapshots.md, *Manifests*. */
export class ManifestReader {
  readonly pairs = new PairDifferences(this);

  constructor(protected readonly database: DatabaseSync) {}

  /** Returns the workspace folders by root number. */
  rootPaths(): Map<number, string> {
    const rows = this.database.prepare('SELECT id, path FROM snapshot_roots').all();
    return new Map(rows.map(({ id, path }) => [Number(id), String(path)]));
  }

  /** Returns the absolute paths of the folders that a manifest covers. Throws `SnapshotError` `notFound`. */
  listFolders(id: number): string[] {
    const paths = this.rootPaths();
    return this.chain(id).roots.flatMap((root) => paths.get(root) ?? []);
  }

  /** Returns the newest manifest that covers exactly these roots. */
  latest(roots: readonly number[]): number | null {
    const row = this.database
      .prepare('SELECT id FROM manifests WHERE roots = ? ORDER BY id DESC LIMIT 1')
      .get(JSON.stringify([...roots]));
    return row === undefined ? null : Number(row.id);
  }

  /** Returns the newest manifest after `after` that covers a root, alone or with other roots. Skips imported manifests. */
  findLater(root: number, after: number | null): number | null {
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

  /** Returns the changes that lead from `from` to `to`. Throws the same errors as `compared`. */
  changes(from: number, to: number): Changes {
    const { roots, differences } = this.compared(from, to);
    const changes: Changes = new Map(roots.map((root) => [root, new Map<string, FileState | null>()]));
    for (const [root, path, , after] of differences) changes.get(root)?.set(path, after);
    return changes;
  }

  /** Returns each difference with its states in `from` and `to`. Throws the same errors as `compared`. */
  differences(from: number, to: number): Difference[] {
    return this.compared(from, to).differences;
  }

  /**
   * Returns the differences in the roots that both manifests cover. Skips the data that both manifests share, so the time depends
   * on the number of differences. Throws `SnapshotError` `notFound`.
   */
  compared(from: number, to: number): { roots: number[]; differences: Difference[] } {
    const before = this.chain(from);
    const after = this.chain(to);
    const common = before.ids.find((id) => after.ids.includes(id)) ?? null;
    const shared = common === null ? [] : this.chain(common).ids;
    const was = this.since(before.ids, common);
    const is = this.since(after.ids, common);
    const differences: Difference[] = [];
    const roots = after.roots.filter((one) => before.roots.includes(one));
    for (const root of roots) {
      const old = was.get(root) ?? new Map<string, FileState | null>();
      const now = is.get(root) ?? new Map<string, FileState | null>();
      const paths = new Set([...old.keys(), ...now.keys()]);
      // A path that one side does not mention has the state from the common base on that side.
      const unmentioned = [...paths].filter((path) => !old.has(path) || !now.has(path));
      const base = this.find(shared, root, unmentioned);
      for (const path of paths) {
        const stateIn = (states: typeof old) => (states.has(path) ? states.get(path) : base.get(path)) ?? null;
        const one = stateIn(old);
        const other = stateIn(now);
        const isSame = one === null || other === null ? one === other : isSameState(one, other);
        if (!isSame) differences.push([root, path, one, other]);
      }
    }
    return { roots, differences };
  }

  /** Returns false for manifests from before version 16, which do not contain the names of excluded files. */
  hasNames(id: number): boolean {
    return this.database.prepare('SELECT has_names FROM manifests WHERE id = ?').get(id)?.has_names === 1;
  }

  /**
   * Finds the point where names were introduced: the last manifest without names and the first manifest with names. Considers
   * only manifests from `id` on that cover `root`. Returns null if there is no such pair.
   */
  namesBoundary(id: number, root: number): { without: number; first: number } | null {
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

  /**
   * Returns a function that looks up a file's state in a manifest. A
   * missing file has the state null. Throws `SnapshotError` `notFound`.
   */
  lookup(id: number): (root: number, path: string) => FileState | null {
    const { ids } = this.chain(id);
    const find = this.finder();
    return (root, path) => find(ids, root, path);
  }

  /** Returns the states of files in a manifest. Throws `SnapshotError` `notFound`. */
  states(id: number, root: number, paths: readonly string[]): Map<string, FileState | null> {
    return this.find(this.chain(id).ids, root, paths);
  }

  /** Returns the names of excluded files and folders. Throws `SnapshotError` `notFound`. */
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

  /** Returns the files of a manifest that are stored although they are ignored, or that could not be read. */
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

  /** Returns a manifest, followed by its bases in order. Throws `SnapshotError` `notFound`. */
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

  /** Collects the changes of a chain, from its newest manifest back to `end`, without `end` itself. */
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

  /** Finds the newest entries for these paths in a chain, with one SQL statement. Null means deleted. */
  private find(ids: readonly number[], root: number, paths: readonly string[]): Map<string, FileState | null> {
    const found = new Map<string, { state: FileState | null; at: number }>();
    if (ids.length === 0 || paths.length === 0) return new Map();
    const rows = this.database
      .prepare(
        `SELECT link.key AS at, entry.path AS path, kind, mode, flags, hash, size FROM json_each(?) AS link CROSS JOIN json_each(?) AS wanted
         CROSS JOIN manifest_entries AS entry ON manifest_id = link.value AND root_id = ? AND entry.path = wanted.value
         LEFT JOIN snapshot_objects ON snapshot_objects.id = object_id`,
      )
      .all(JSON.stringify(ids), JSON.stringify(paths), root);
    for (const row of rows) {
      const path = String(row.path);
      const at = Number(row.at);
      if (at < (found.get(path)?.at ?? ids.length)) found.set(path, { state: toFileState(row), at });
    }
    return new Map([...found].map(([path, { state }]) => [path, state]));
  }

  private finder(): (ids: readonly number[], root: number, path: string) => FileState | null {
    const find = this.database.prepare(
      `SELECT kind, mode, flags, hash, size FROM manifest_entries
       LEFT JOIN snapshot_objects ON snapshot_objects.id = object_id WHERE manifest_id = ? AND root_id = ? AND path = ?`,
    );
    return (ids, root, path) => {
      for (const id of ids) {
        const row = find.get(id, root, path);
        if (row !== undefined) return toFileState(row);
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
    for (const row of rows) yield [Number(row.root_id), String(row.path), toFileState(row)];
  }
}

function toFileState({ kind, mode, flags, hash, size }: Record<string, unknown>): FileState | null {
  if (kind === 0) return null;
  return {
    kind: kind as FileKind,
    mode: mode as number,
    hash: hash as string | null,
    size: Number(size),
    flags: flags as number,
  };
}

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
