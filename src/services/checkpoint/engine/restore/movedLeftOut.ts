import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { ManifestReader } from '../manifests/manifestReader';
import type { FileState } from '../scan/scannedFile';
import { collectFolders } from '../scan/seen';
import type { CommandLoss } from './sessionStates';
import { isMissing } from './uncovered';

/** Milliseconds that file times can lag behind the clock. File times use the kernel's last tick (`ktime_get_coarse_real_ts64`). */
const fileTimeLagMs = 50;

/**
 * Checks whether a file may be an excluded file that was renamed. This is possible if no checkpoint file has its content, an
 * excluded name is missing on disk, and the file's times are consistent with a rename.
 */
export class MovedLeftOut {
  private isAnyGone: boolean | null = null;
  private hashes: Set<string> | null = null;
  private folders: Set<string> | null = null;
  private roots: ReadonlyMap<number, string> | null = null;

  constructor(
    private readonly manifests: ManifestReader,
    private readonly fileSystem: FileSystem,
    private readonly target: { manifestId: number; takenAt: number },
  ) {}

  /** Returns true if a file added after the checkpoint may be a renamed excluded file: it was created before the checkpoint. */
  mayBe(absolute: string, state: FileState): boolean {
    const born = this.fileSystem.lstat(absolute)?.birthtimeMs;
    return born !== undefined && born < this.target.takenAt && this.isGone() && !this.holds(state.hash);
  }

  /**
   * Returns true if a file created by a command may be a copy of an excluded file. This
   * requires that no checkpoint file has its content and that an excluded name is missing.
   * Also, the file is older than the checkpoint, or its folder is not in the checkpoint.
   */
  mayBeCopy(rootId: number, relative: string, absolute: string, state: FileState): boolean {
    const written = this.fileSystem.lstat(absolute)?.mtimeMs;
    const isOld = written !== undefined && written < this.target.takenAt;
    return (isOld || this.isInNewFolder(rootId, relative)) && this.isGone() && !this.holds(state.hash);
  }

  /**
   * Returns true if a file may be an excluded file that a command moved. This requires that
   * no checkpoint file has its content and that the file is older than the command. Also,
   * one of the excluded names that disappeared with the command must still be missing.
   */
  mayBeLost(absolute: string, state: FileState, loss: CommandLoss | null): boolean {
    const written = this.fileSystem.lstat(absolute)?.mtimeMs;
    if (loss === null || written === undefined || this.holds(state.hash)) return false;
    return written < loss.beganAt - fileTimeLagMs && loss.names.some(({ root, name }) => this.isMissing(root, name));
  }

  private isInNewFolder(rootId: number, relative: string): boolean {
    this.folders ??= new Set(
      [...this.manifests.load(this.target.manifestId).files].flatMap(([root, inRoot]) =>
        [...collectFolders(new Set(inRoot.keys()))].map((folder) => `${root}:${folder}`),
      ),
    );
    const folder = relative.slice(0, Math.max(0, relative.lastIndexOf('/')));
    return folder !== '' && !this.folders.has(`${rootId}:${folder}`);
  }

  private isGone(): boolean {
    this.isAnyGone ??= this.manifests
      .leftOutNames(this.target.manifestId)
      .some(([root, relative]) => this.isMissing(root, relative));
    return this.isAnyGone;
  }

  private isMissing(root: number, relative: string): boolean {
    this.roots ??= this.manifests.rootPaths();
    const folder = this.roots.get(root);
    return folder !== undefined && isMissing(this.fileSystem, folder, path.join(folder, relative));
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
