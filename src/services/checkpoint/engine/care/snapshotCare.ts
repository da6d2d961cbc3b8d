import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { CheckpointRemoval } from '../checkpointRemoval';
import type { SnapshotTaker, Workspace } from '../manifests/snapshotTaker';
import type { Damage } from '../objects/objectDamage';
import type { ObjectStore } from '../objects/objectStore';
import { KeptOriginals } from './keptOriginals';
import type { CollectedGarbage, Garbage, StorageUsage, VerifiedStorage, Worth } from './garbage';
import { StorageAccount, type SessionUsage } from './storageAccount';
import { StorageRoom, type MadeRoom } from './storageRoom';

export interface SnapshotCareParts {
  database: DatabaseSync;
  objects: ObjectStore;
  taker: SnapshotTaker;
  removal: CheckpointRemoval;
  garbage: Garbage;
  isCancelled: () => boolean;
}

/** Counts, checks, mends and frees what is stored, of all sessions. */
export class SnapshotCare {
  private readonly originals: KeptOriginals;

  constructor(private readonly parts: SnapshotCareParts) {
    this.originals = new KeptOriginals(parts.database);
  }

  /** Removes checkpoints from before `time`, approved states left out; returns how many. */
  removeOlder(time: number): number {
    return this.parts.removal.removeOlderOfAll(time);
  }

  /** Returns how many checkpoints `removeOlder` would remove. */
  countOlder(time: number): number {
    return this.parts.removal.countOlder(time);
  }

  /** Returns how many files `releaseOlder` would release. */
  countOriginals(time: number): number {
    return this.originals.count(time);
  }

  /** See `KeptOriginals.release`. Call it only when a person asked for it. */
  releaseOlder(time: number): number {
    return this.originals.release(time);
  }

  /** See `Garbage.collect`. */
  collectGarbage(worth?: Worth): CollectedGarbage {
    return this.parts.garbage.collect(worth);
  }

  /** See `StorageRoom.make`. */
  makeRoom(limit: number): MadeRoom {
    const { database, garbage, removal } = this.parts;
    return new StorageRoom(database, garbage, removal, this.originals).make(limit);
  }

  /**
   * Returns what is stored, for whom, which checkpoints of approved work and how many originals of kept files could go, and what
   * collecting garbage would free.
   */
  account(): StorageUsage & {
    sessions: SessionUsage[];
    approved: { count: number; oldest: number | null };
    originals: number;
    freeable: number;
  } {
    const { database, garbage, removal } = this.parts;
    const approved = removal.approved();
    const sessions = new StorageAccount(database).sessions();
    const old = { count: approved.length, oldest: approved[0]?.createdAt ?? null };
    return { ...this.usage(), sessions, approved: old, originals: this.originals.count(), freeable: garbage.freeable() };
  }

  /** See `Garbage.verify`. */
  verify(): VerifiedStorage {
    return this.parts.garbage.verify();
  }

  /** Returns counts, and bytes on the disk: see `Garbage.usage`. */
  usage(): StorageUsage {
    return this.parts.garbage.usage();
  }

  /** See `ObjectDamage.sum`. */
  damage(): Damage {
    return this.parts.objects.damage.sum();
  }

  /** Stores anew what is damaged and lies in the workspace. Returns what became of it, and what nobody has any more. */
  heal(workspace: Workspace): Damage {
    const { objects, taker, garbage, isCancelled } = this.parts;
    const before = objects.damage.healed;
    taker.take(workspace, isCancelled, () => undefined, { isDry: true });
    garbage.healHeaders();
    const { healed, left } = this.damage();
    return { healed: healed - before, left };
  }
}
