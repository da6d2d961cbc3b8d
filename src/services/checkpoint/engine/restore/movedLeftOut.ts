import path from 'node:path';
import type { FileSystem } from '../../fileSystem';
import type { ManifestReader } from '../manifests/manifestReader';
import type { FileState } from '../scan/scannedFile';
import { isMissing } from './uncovered';

/**
 * Tells of files that came after a checkpoint whether they may be what it left out, under another name: a rename keeps the time of birth, nothing of
 * the checkpoint has the same content, and a name that was left out is gone from the disk.
 */
export class MovedLeftOut {
  private isAnyGone: boolean | null = null;
  private hashes: Set<string> | null = null;

  constructor(
    private readonly manifests: ManifestReader,
    private readonly fileSystem: FileSystem,
    private readonly target: { manifestId: number; takenAt: number },
  ) {}

  mayBe(absolute: string, state: FileState): boolean {
    const born = this.fileSystem.lstat(absolute)?.birthtimeMs;
    return born !== undefined && born < this.target.takenAt && this.isGone() && !this.holds(state.hash);
  }

  private isGone(): boolean {
    const roots = this.manifests.rootPaths();
    this.isAnyGone ??= this.manifests.leftOutNames(this.target.manifestId).some(([root, relative]) => {
      const folder = roots.get(root);
      return folder !== undefined && isMissing(this.fileSystem, folder, path.join(folder, relative));
    });
    return this.isAnyGone;
  }

  private holds(hash: string | null): boolean {
    this.hashes ??= new Set(
      [...this.manifests.load(this.target.manifestId).files.values()].flatMap((inRoot) =>
        [...inRoot.values()].flatMap((state) => state.hash ?? []),
      ),
    );
    return hash !== null && this.hashes.has(hash);
  }
}
