import type { FileState } from '../scan/scannedFile';

/** State of a file in two manifests. */
export type Difference = [root: number, path: string, before: FileState | null, after: FileState | null];

/** Checkpoint with its manifest. */
interface Taken {
  checkpointId: string;
  manifestId: number;
}

/** Largest number of differences to remember. */
const mostDifferences = 20_000;

/** Remembers the differences between pairs of checkpoints, which never change. Keeps the pairs that were used last. */
export class PairDifferences {
  private readonly known = new Map<string, readonly Difference[]>();
  private count = 0;

  constructor(private readonly manifests: { differences: (from: number, to: number) => Difference[] }) {}

  /** Returns the differences; do not change them. Throws as `ManifestReader.differences` does. */
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
