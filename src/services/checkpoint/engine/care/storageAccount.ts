import type { DatabaseSync } from '../../../database/sqlite/sqlite';

/** Storage that a session uses. */
export interface SessionUsage {
  sessionId: string;
  title: string;
  checkpoints: number;
  /** Uncompressed bytes of the contents that the session refers to. Each content is counted once. */
  bytes: number;
  /** Bytes of contents that no other session refers to. */
  ownBytes: number;
}

/** Calculates the storage that each session uses. Reads each table once, regardless of the number of sessions. */
export class StorageAccount {
  constructor(private readonly database: DatabaseSync) {}

  /** Lists the sessions with checkpoints, largest first. */
  sessions(): SessionUsage[] {
    const rows = this.database
      .prepare(
        `SELECT id, title, (SELECT count(*) FROM checkpoints WHERE session_id = sessions.id AND state = 'taken') AS n FROM sessions
         WHERE EXISTS (SELECT 1 FROM checkpoints WHERE session_id = sessions.id AND state = 'taken')`,
      )
      .all();
    const users = rows.map(({ id, title, n }) => ({
      sessionId: String(id),
      title: String(title),
      checkpoints: Number(n),
      bytes: 0,
      ownBytes: 0,
    }));
    const sets = new UserSets();
    const usersOf = this.usersOfObjects(new Map(users.map(({ sessionId }, index) => [sessionId, index])), sets);
    const sizes = new Map<number, number>();
    for (const { id, size } of this.database
      .prepare('SELECT id, size FROM snapshot_objects WHERE pack_id IS NOT NULL')
      .iterate()) {
      const set = usersOf.get(Number(id));
      if (set !== undefined) sizes.set(set, (sizes.get(set) ?? 0) + Number(size));
    }
    for (const [set, size] of sizes) {
      const members = sets.members(set);
      for (const member of members) {
        const user = users[member];
        if (user === undefined) continue;
        user.bytes += size;
        if (members.length === 1) user.ownBytes += size;
      }
    }
    return users.sort((one, other) => other.bytes - one.bytes || (one.sessionId < other.sessionId ? -1 : 1));
  }

  /** Returns the sessions that refer to each object, by object id. */
  private usersOfObjects(sessions: ReadonlyMap<string, number>, sets: UserSets): Map<number, number> {
    const users = new Map<number, number>();
    const add = (object: unknown, set: number | undefined) => {
      if (object === null || set === undefined) return;
      const before = users.get(Number(object));
      users.set(Number(object), before === undefined ? set : sets.union(before, set));
    };
    const manifests = this.usersOfManifests(sessions, sets);
    const entries = this.database.prepare('SELECT manifest_id, object_id FROM manifest_entries WHERE object_id IS NOT NULL');
    for (const { manifest_id: manifest, object_id: object } of entries.iterate()) add(object, manifests.get(Number(manifest)));
    const others = this.database.prepare(
      `SELECT session_id, object_id FROM staged_files JOIN checkpoints ON checkpoints.id = checkpoint_id
       UNION ALL SELECT session_id, object_id FROM file_snapshots
       UNION ALL SELECT session_id, left_object_id FROM file_snapshots
       UNION ALL SELECT session_id, undone_object_id FROM file_snapshots
       UNION ALL SELECT session_id, from_object_id FROM hunk_answers
       UNION ALL SELECT session_id, to_object_id FROM hunk_answers`,
    );
    for (const { session_id: session, object_id: object } of others.iterate()) {
      const index = sessions.get(String(session));
      add(object, index === undefined ? undefined : sets.of(index));
    }
    return users;
  }

  /** Returns the sessions that use each manifest. A session that uses a manifest also uses its bases. */
  private usersOfManifests(sessions: ReadonlyMap<string, number>, sets: UserSets): Map<number, number> {
    const users = new Map<number, number>();
    const add = (manifest: number, set: number) => {
      const before = users.get(manifest);
      users.set(manifest, before === undefined ? set : sets.union(before, set));
    };
    const direct = this.database
      .prepare('SELECT DISTINCT session_id, manifest_id FROM checkpoints WHERE manifest_id IS NOT NULL')
      .all();
    for (const { session_id: session, manifest_id: manifest } of direct) {
      const index = sessions.get(String(session));
      if (index !== undefined) add(Number(manifest), sets.of(index));
    }
    const based = this.database
      .prepare('SELECT id, base_id FROM manifests WHERE base_id IS NOT NULL ORDER BY position DESC')
      .all();
    for (const { id, base_id: base } of based) {
      const set = users.get(Number(id));
      if (set !== undefined) add(Number(base), set);
    }
    return users;
  }
}

/** Sets of session indexes. Equal sets share one number, because many objects have the same few sets. */
class UserSets {
  private readonly numbers = new Map<string, number>();
  private readonly sets: (readonly number[])[] = [];
  private readonly unions = new Map<string, number>();

  of(...members: number[]): number {
    const key = members.join();
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.sets.length);
    return this.sets.push(members) - 1;
  }

  members(set: number): readonly number[] {
    return this.sets[set] ?? [];
  }

  union(one: number, other: number): number {
    if (one === other) return one;
    const key = `${one} ${other}`;
    const known = this.unions.get(key);
    if (known !== undefined) return known;
    const all = [...new Set([...this.members(one), ...this.members(other)])].sort((a, b) => a - b);
    const union = this.of(...all);
    this.unions.set(key, union);
    return union;
  }
}
