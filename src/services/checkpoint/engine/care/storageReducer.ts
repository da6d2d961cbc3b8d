import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { CheckpointRemoval } from '../checkpointRemoval';
import type { Garbage } from './garbage';
import type { KeptOriginals } from './keptOriginals';

export interface ReducedStorage {
  /** Number of removed checkpoints. */
  removed: number;
  /** Number of files whose keep decision can no longer be undone. */
  originals: number;
  /** Freed bytes of packs. The database file keeps its size. */
  bytes: number;
  /** True if the remaining data is within the limit. */
  isEnough: boolean;
}

/** Number of steps into which the removal is divided. */
const steps = 16;
/**
 * Number of steps without gain after which removal stops. A single step
 * may free nothing: pages may be split, or a later step frees the space.
 */
const maxStepsWithoutGain = 2;

/**
 * Reduces the storage below a limit. Removes garbage first, then checkpoints of approved
 * work, then originals of kept files. Removes the oldest data of each kind first.
 */
export class StorageReducer {
  constructor(
    private readonly database: DatabaseSync,
    private readonly garbage: Garbage,
    private readonly removal: CheckpointRemoval,
    private readonly originals: KeptOriginals,
  ) {}

  /** Reduces storage below `limit` bytes on disk. Call it only on the user's request. */
  reduce(limit: number): ReducedStorage {
    const { packs: before } = this.garbage.usage();
    this.garbage.collect('tight');
    let removed = 0;
    let originals = 0;
    const { bytes, packs } = this.garbage.usage(true);
    if (bytes > limit) {
      // Packs shrink only when they are rewritten. Until then, estimate
      // their size from the needed contents and the average compression.
      const compression = packs / Math.max(1, this.stored());
      removed = this.removeApproved(limit, compression);
      originals = this.releaseOriginals(limit, compression);
      this.garbage.collect('tight');
    }
    const after = this.garbage.usage(true);
    return { removed, originals, bytes: Math.max(0, before - after.packs), isEnough: after.bytes <= limit };
  }

  private removeApproved(limit: number, compression: number): number {
    const approved = this.removal.approved();
    const manifests = [...new Set(approved.map(({ manifest }) => manifest))];
    const size = Math.max(1, Math.ceil(manifests.length / steps));
    let removed = 0;
    let stepsWithoutGain = 0;
    let now = this.expected(compression);
    // Removing checkpoints does not shrink the scan caches.
    for (
      let from = 0;
      from < manifests.length && now.bytes > limit && now.seen <= limit && stepsWithoutGain < maxStepsWithoutGain;
      from += size
    ) {
      const step = new Set(manifests.slice(from, from + size));
      removed += this.removal.removeInSteps(approved.filter(({ manifest }) => step.has(manifest)).map(({ id }) => id));
      const next = this.expected(compression);
      stepsWithoutGain = next.bytes < now.bytes ? 0 : stepsWithoutGain + 1;
      now = next;
    }
    return removed;
  }

  private releaseOriginals(limit: number, compression: number): number {
    const moments = this.originals.moments();
    const size = Math.max(1, Math.ceil(moments.length / steps));
    let released = 0;
    for (let from = 0, now = this.expected(compression); from < moments.length && now.bytes > limit && now.seen <= limit;) {
      from += size;
      released += this.originals.release((moments[Math.min(from, moments.length) - 1] ?? 0) + 1);
      now = this.expected(compression);
    }
    return released;
  }

  /** Returns the expected size after packs are rewritten. */
  private expected(compression: number): { bytes: number; seen: number } {
    const { bytes, packs, seen } = this.garbage.usage(true);
    return { bytes: bytes - packs + this.needed() * compression, seen };
  }

  private stored(): number {
    return this.sizeWhere('');
  }

  private needed(): number {
    return this.sizeWhere('AND ref_count > 0');
  }

  private sizeWhere(more: string): number {
    const row = this.database.prepare(`SELECT sum(size) AS size FROM snapshot_objects WHERE pack_id IS NOT NULL ${more}`).get();
    return Number(row?.size ?? 0);
  }
}
