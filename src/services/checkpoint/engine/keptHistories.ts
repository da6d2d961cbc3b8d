import type { LostPart } from '../../../protocol/toolFacts';
import type { DatabaseSync } from '../../database/sqlite/sqlite';
import type { Clock } from '../../../utils/clock';
import { readBeginning, writeAll, type FileSystem } from '../../../utils/files/fileSystem';
import { SnapshotError } from '../snapshotError';
import { isIntact } from './objects/objectDamage';
import type { ObjectStore } from './objects/objectStore';
import { sha256Hex } from '../../../utils/sha256';

/** Saved Git history of a folder, from before a command. */
export interface KeptHistory {
  id: number;
  /** Absolute path. */
  folder: string;
  /** Part that could not be saved. */
  part?: LostPart;
}

/** Data that a restore needs in addition to the content. */
export type HistoryFacts = { part?: LostPart } & (
  | {
      /** Name of the copied file or folder in `folder`; empty for `folder` itself. */
      entry: string;
    }
  | {
      /** Contents of `HEAD` and `config` in the bundled repository. */
      head: string;
      config: string;
      objectFormat: string;
      isBare?: boolean;
    }
);

/** History to save with a checkpoint. Equal content has an equal `key`. */
export interface NewHistory {
  checkpointId: string;
  folder: string;
  /** True if the whole history is saved. */
  isWhole: boolean;
  key: string;
  facts: HistoryFacts;
}

/** Stores Git histories as bundles and copies. See docs/storage/snapshots.md, *Git history*. */
export class KeptHistories {
  constructor(
    private readonly database: DatabaseSync,
    private readonly objects: ObjectStore,
    private readonly deps: { fileSystem: FileSystem; clock: Clock },
  ) {}

  /** Links a stored history to another checkpoint. Returns false if the history is not stored or not readable. */
  keepAgain(history: NewHistory): boolean {
    const row = this.database
      .prepare(
        `SELECT hash FROM kept_histories JOIN snapshot_objects ON snapshot_objects.id = object_id
         WHERE folder = ? AND key = ? AND is_whole >= ? AND ${isIntact} LIMIT 1`,
      )
      .get(history.folder, history.key, Number(history.isWhole));
    if (row === undefined) return false;
    this.objects.inBatch(
      () => undefined,
      () => this.insert(history, String(row.hash)),
    );
    return true;
  }

  /** Stores a bundle or copy with the checkpoint. The file is tens of megabytes at most. */
  keep(history: NewHistory, file: string): void {
    const { fileSystem } = this.deps;
    const content = readBeginning(fileSystem, file, fileSystem.lstat(file)?.size ?? 0);
    const hash = sha256Hex(content);
    this.objects.inBatch(
      (batch) => batch.add(hash, content),
      () => this.insert(history, hash),
    );
  }

  of(checkpointId: string): KeptHistory[] {
    return this.database
      .prepare('SELECT id, folder, data FROM kept_histories WHERE checkpoint_id = ? ORDER BY folder')
      .all(checkpointId)
      .map((row) => {
        const { part } = JSON.parse(String(row.data)) as HistoryFacts;
        return { id: Number(row.id), folder: String(row.folder), ...(part && { part }) };
      });
  }

  /**
   * Writes a bundle or copy that belongs to the session to a new file. Throws `SnapshotError` `notFound` (also if it belongs to
   * another session), `missing` or `damaged`.
   */
  write(sessionId: string, id: number, file: string): KeptHistory & { facts: HistoryFacts } {
    const row = this.database
      .prepare(
        `SELECT folder, data, hash FROM kept_histories JOIN snapshot_objects ON snapshot_objects.id = object_id
         JOIN checkpoints ON checkpoints.id = checkpoint_id WHERE kept_histories.id = ? AND session_id = ?`,
      )
      .get(id, sessionId);
    if (row === undefined) throw new SnapshotError('notFound', `Session ${sessionId} has no kept history ${id}`);
    const content = this.objects.copyContent(String(row.hash));
    const { fileSystem } = this.deps;
    const opened = fileSystem.open(file, 'wx', 0o600);
    try {
      writeAll(fileSystem, opened, content, 0);
    } finally {
      fileSystem.close(opened);
    }
    return { id, folder: String(row.folder), facts: JSON.parse(String(row.data)) as HistoryFacts };
  }

  private insert({ checkpointId, folder, isWhole, key, facts }: NewHistory, hash: string): void {
    this.database
      .prepare(
        `INSERT INTO kept_histories (checkpoint_id, folder, is_whole, key, data, object_id, created_at)
         VALUES (?, ?, ?, ?, ?, (SELECT id FROM snapshot_objects WHERE hash = ?), ?)`,
      )
      .run(checkpointId, folder, Number(isWhole), key, JSON.stringify(facts), hash, this.deps.clock.now());
  }
}
