import type { DatabaseSync } from '../../../database/sqlite/sqlite';
import type { CheckpointRemoval } from '../checkpointRemoval';
import type { Garbage } from './garbage';
import type { KeptOriginals } from './keptOriginals';

export interface MadeRoom {
  /** Checkpoints. */
  removed: number;
  /** Files whose keeping cannot be undone any more. */
  originals: number;
  /** Bytes that are free again on the disk: of packs, as the file of the database keeps its size. */
  bytes: number;
  /** True if the rest fits. */
  isEnough: boolean;
}

/** Number of steps in which all that may go is removed. */
const steps = 16;
/**
 * Number of steps without a gain after which no more is removed. A single one may have none: the next frees its room, or pages are split
 * for it.
 */
const maxVain = 2;

/** Brings what is stored under a limit: first what nothing needs goes, then, oldest first, checkpoints of approved work, then originals of kept files. */
export class StorageRoom {
  constructor(
    private readonly database: DatabaseSync,
    private readonly garbage: Garbage,
    private readonly removal: CheckpointRemoval,
    private readonly originals: KeptOriginals,
  ) {}

  /** Brings the storage under `limit`, in bytes on the disk. Call it only when a person asked for it. */
  make(limit: number): MadeRoom {
    const { packs: before } = this.garbage.usage();
    this.garbage.collect('tight');
    let [removed, originals] = [0, 0];
    const { bytes, packs } = this.garbage.usage(true);
    if (bytes > limit) {
      // Packs shrink only when they are written anew, so what is needed tells when it is enough, as compressed as all of it is.
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
    let vain = 0;
    let now = this.expected(compression);
    // No checkpoint changes what scanners remember.
    for (let from = 0; from < manifests.length && now.bytes > limit && now.seen <= limit && vain < maxVain; from += size) {
      const step = new Set(manifests.slice(from, from + size));
      removed += this.removal.removeInSteps(approved.filter(({ manifest }) => step.has(manifest)).map(({ id }) => id));
      const next = this.expected(compression);
      vain = next.bytes < now.bytes ? 0 : vain + 1;
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

  /** Returns the size to expect once packs are written anew. */
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
