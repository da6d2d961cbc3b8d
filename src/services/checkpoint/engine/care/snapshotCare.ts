import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { CheckpointRemoval, CheckpointsToRemove } from '../checkpointRemoval';
import type { SnapshotTaker, Workspace } from '../manifests/snapshotTaker';
import type { Damage } from '../objects/objectDamage';
import type { ObjectStore } from '../objects/objectStore';
import { KeptOriginals } from './keptOriginals';
import type { CollectedGarbage, Garbage, StorageUsage, VerifiedStorage, CollectionMode } from './garbage';
import { StorageAccount, type SessionUsage } from './storageAccount';
import { StorageReducer, type ReducedStorage } from './storageReducer';

export interface SnapshotCareParts {
  database: DatabaseSync;
  objects: ObjectStore;
  taker: SnapshotTaker;
  removal: CheckpointRemoval;
  garbage: Garbage;
  isCancelled: () => boolean;
}

/** Maintains the stored snapshots of all sessions. */
export class SnapshotCare {
  private readonly originals: KeptOriginals;

  constructor(private readonly parts: SnapshotCareParts) {
    this.originals = new KeptOriginals(parts.database);
  }

  /** Removes checkpoints older than `time`, except approved states. Returns the number of removed checkpoints. */
  removeOlder(time: number): number {
    return this.parts.removal.removeOlderOfAll(time);
  }

  countOlder(time: number): number {
    return this.parts.removal.countOlder(time);
  }

  /** See `CheckpointRemoval.historiesIn`. */
  historiesIn(which: CheckpointsToRemove): string[] {
    return this.parts.removal.historiesIn(which);
  }

  countOriginals(time: number): number {
    return this.originals.count(time);
  }

  /** See `KeptOriginals.release`. Call it only on the user's request. */
  releaseOlder(time: number): number {
    return this.originals.release(time);
  }

  /** See `Garbage.collect`. */
  collectGarbage(worth?: CollectionMode): CollectedGarbage {
    return this.parts.garbage.collect(worth);
  }

  /** See `StorageReducer.reduce`. */
  makeRoom(limit: number): ReducedStorage {
    const { database, garbage, removal } = this.parts;
    return new StorageReducer(database, garbage, removal, this.originals).reduce(limit);
  }

  /**
   * Returns the disk usage in total and by session, and the numbers of removable approved checkpoints and originals. Also returns
   * the bytes that garbage collection would free.
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

  /** See `Garbage.usage`. */
  usage(): StorageUsage {
    return this.parts.garbage.usage();
  }

  /** See `ObjectDamage.sum`. */
  damage(): Damage {
    return this.parts.objects.damage.sum();
  }

  /** Stores damaged content again if a workspace file still has it. Returns the numbers of repaired and lost contents. */
  heal(workspace: Workspace): Damage {
    const { objects, taker, garbage, isCancelled } = this.parts;
    const before = objects.damage.healed;
    taker.take(workspace, isCancelled, () => undefined, { isDry: true });
    garbage.healHeaders();
    const { healed, left } = this.damage();
    return { healed: healed - before, left };
  }
}
