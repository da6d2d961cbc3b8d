import type { DatabaseSync } from '../database/sqlite';
import type { CheckpointRemoval } from './checkpointRemoval';
import type { Garbage } from './garbage';

export interface MadeRoom {
  /** Checkpoints. */
  removed: number;
  /** Bytes that are free again on the disk. */
  bytes: number;
  /** Whether what is left fits. */
  isEnough: boolean;
}

/** In so many steps all that may go is gone. */
const steps = 16;

/** Brings what is stored under a limit: first what nothing needs goes, then, oldest first, checkpoints of approved work. */
export class StorageRoom {
  constructor(
    private readonly database: DatabaseSync,
    private readonly garbage: Garbage,
    private readonly removal: CheckpointRemoval,
  ) {}

  /** `limit` in bytes on the disk. Only on a person's word. */
  make(limit: number): MadeRoom {
    const { bytes: before } = this.garbage.usage();
    this.garbage.collect(true);
    let removed = 0;
    const { bytes, packs } = this.garbage.usage();
    if (bytes > limit) {
      const approved = this.removal.approved().map(({ id }) => id);
      const size = Math.max(1, Math.ceil(approved.length / steps));
      // Packs shrink only when they are written anew, so what is needed tells when it is enough, as compressed as all of it is.
      const compression = packs / Math.max(1, this.stored());
      const isTooMuch = () => this.needed() * compression + bytes - packs > limit;
      for (let from = 0; from < approved.length && isTooMuch(); from += size) {
        removed += this.removal.removeInSteps(approved.slice(from, from + size));
      }
      this.garbage.collect(true);
    }
    const { bytes: after } = this.garbage.usage();
    return { removed, bytes: Math.max(0, before - after), isEnough: after <= limit };
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
