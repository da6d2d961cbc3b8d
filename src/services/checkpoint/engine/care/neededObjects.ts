import type { DatabaseSync } from '../../../database/sqlite/sqlite';

/** SQL: manifests that garbage collection does not remove. */
const kept =
  'SELECT manifest_id FROM checkpoints WHERE manifest_id IS NOT NULL UNION SELECT max(id) FROM manifests GROUP BY roots';

/** Returns the ids of objects that will still be referenced after unused manifests are removed. */
export function neededObjects(database: DatabaseSync): Set<number> {
  const direct = database
    .prepare(
      `SELECT object_id AS id FROM manifest_entries WHERE manifest_id IN (${kept}) UNION SELECT object_id FROM staged_files
       UNION SELECT object_id FROM file_snapshots UNION SELECT left_object_id FROM file_snapshots
       UNION SELECT undone_object_id FROM file_snapshots
       UNION SELECT from_object_id FROM hunk_answers UNION SELECT to_object_id FROM hunk_answers`,
    )
    .all();
  const needed = new Set(direct.flatMap(({ id }) => (id === null ? [] : [Number(id)])));
  for (const id of new Inheritance(database).inherited()) needed.add(id);
  return needed;
}

/** Finds the entries that remaining manifests inherit from unused manifests. */
class Inheritance {
  private readonly kept: ReadonlySet<number>;
  private readonly children = new Map<number, number[]>();
  private readonly known = new Map<number, Map<string, number | null>>();

  constructor(private readonly database: DatabaseSync) {
    this.kept = new Set(
      database
        .prepare(kept)
        .all()
        .map(({ manifest_id: id }) => Number(id)),
    );
    for (const { id, base_id: base } of database.prepare('SELECT id, base_id FROM manifests WHERE base_id IS NOT NULL').all())
      this.children.set(Number(base), [...(this.children.get(Number(base)) ?? []), Number(id)]);
  }

  *inherited(): Generator<number> {
    for (const id of this.children.keys()) {
      if (this.kept.has(id)) continue;
      const entries = this.readEntries(id);
      for (const key of this.reaching(id, [...entries.keys()])) {
        const object = entries.get(key);
        if (object != null) yield object;
      }
    }
  }

  /** Returns the keys that a remaining manifest inherits from manifest `id`. */
  private reaching(id: number, keys: readonly string[]): Set<string> {
    const reached = new Set<string>();
    for (const child of this.children.get(id) ?? []) {
      const own = this.readEntries(child);
      const rest = keys.filter((key) => !own.has(key));
      for (const key of this.kept.has(child) ? rest : this.reaching(child, rest)) reached.add(key);
    }
    return reached;
  }

  private readEntries(id: number): Map<string, number | null> {
    const known = this.known.get(id);
    if (known !== undefined) return known;
    const rows = this.database.prepare('SELECT root_id, path, object_id FROM manifest_entries WHERE manifest_id = ?').all(id);
    const entries = new Map(
      rows.map(({ root_id: root, path, object_id: object }): [string, number | null] => [
        `${Number(root)}:${String(path)}`,
        object === null ? null : Number(object),
      ]),
    );
    this.known.set(id, entries);
    return entries;
  }
}
