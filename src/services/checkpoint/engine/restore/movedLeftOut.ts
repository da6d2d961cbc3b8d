import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import type { ManifestReader } from '../manifests/manifestReader';
import type { FileState } from '../scan/scannedFile';
import { foldersOf } from '../scan/seen';
import type { CommandLoss } from './sessionStates';
import { isMissing } from './uncovered';

/** File times come from the kernel's last tick (`ktime_get_coarse_real_ts64`), up to 10 ms before the clock. */
const fileTimeLagMs = 50;

/**
 * Tells whether a file may be a left-out file under another name: no checkpoint file has its content, a left-out name is missing from
 * disk, and the times of the file fit.
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

  /** Returns true if a file that was added after the checkpoint may be such a file: it was created before the checkpoint. */
  mayBe(absolute: string, state: FileState): boolean {
    const born = this.fileSystem.lstat(absolute)?.birthtimeMs;
    return born !== undefined && born < this.target.takenAt && this.isGone() && !this.holds(state.hash);
  }

  /**
   * Returns true if a file created by a command may be a copy of a left-out file: no checkpoint file has its content, a left-out name is
   * missing, and the file is older than the checkpoint or in a folder that the checkpoint does not know.
   */
  mayBeCopy(rootId: number, relative: string, absolute: string, state: FileState): boolean {
    const written = this.fileSystem.lstat(absolute)?.mtimeMs;
    const isOld = written !== undefined && written < this.target.takenAt;
    return (isOld || this.isInNewFolder(rootId, relative)) && this.isGone() && !this.holds(state.hash);
  }

  /**
   * Returns true if a file may be a left-out file that a command moved: no checkpoint file has its content, it is older
   * than the command, and one of the left-out names that disappeared with the command is missing.
   */
  mayBeLost(absolute: string, state: FileState, loss: CommandLoss | null): boolean {
    const written = this.fileSystem.lstat(absolute)?.mtimeMs;
    if (loss === null || written === undefined || this.holds(state.hash)) return false;
    return written < loss.beganAt - fileTimeLagMs && loss.names.some(({ root, name }) => this.isMissing(root, name));
  }

  private isInNewFolder(rootId: number, relative: string): boolean {
    this.folders ??= new Set(
      [...this.manifests.load(this.target.manifestId).files].flatMap(([root, inRoot]) =>
        [...foldersOf(new Set(inRoot.keys()))].map((folder) => `${root}:${folder}`),
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
