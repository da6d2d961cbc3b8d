import type { FileState } from '../scan/scannedFile';

/** Path with the file's states in two manifests. */
export type Difference = [root: number, path: string, before: FileState | null, after: FileState | null];

/** Checkpoint with its manifest. */
interface Taken {
  checkpointId: string;
  manifestId: number;
}

/** Maximum number of differences to cache. */
const mostDifferences = 20_000;

/** Caches the differences between pairs of checkpoints, which never change. Evicts the least recently used pairs. */
export class PairDifferences {
  private readonly known = new Map<string, readonly Difference[]>();
  private count = 0;

  constructor(private readonly manifests: { differences: (from: number, to: number) => Difference[] }) {}

  /** Returns the differences. Do not modify the result. Throws the same errors as `ManifestReader.differences`. */
  of(before: Taken, after: Taken): readonly Difference[] {
    const key = [before, after].map(({ checkpointId, manifestId }) => `${checkpointId}:${manifestId}`).join(' ');
    const known = this.known.get(key);
    const differences = known ?? this.manifests.differences(before.manifestId, after.manifestId);
    if (known === undefined) this.count += differences.length;
    else this.known.delete(key);
    this.known.set(key, differences);
    for (const [oldest, { length }] of this.known) {
      if (this.count <= mostDifferences) break;
      this.known.delete(oldest);
      this.count -= length;
    }
    return differences;
  }
}
