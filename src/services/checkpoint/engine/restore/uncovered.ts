import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { LeftOutFolders } from '../manifests/leftOutFolders';
import type { ManifestReader } from '../manifests/manifestReader';
import { isNameOnly } from '../scan/scannedFile';
import { isClear, statsAt } from './pathState';
import { isSystemError } from '../../../../utils/errors';

export interface UncoveredPlace {
  /** Absolute path of the workspace folder. */
  root: string;
  /** Path relative to the workspace folder, with `/`. Empty for the folder itself. */
  path: string;
}

/** Paths for which a checkpoint stores the name but no content. */
export interface UncoveredPaths {
  /** Folders with a Git history, whether they exist or were deleted. */
  histories: (UncoveredPlace & { isGone: boolean })[];
  /** First excluded files and folders that were deleted. `goneCount` is their total number. */
  gone: UncoveredPlace[];
  goneCount: number;
}

type Name = [root: number, path: string];

/** Finds the paths for which a checkpoint stores the name but no content. */
export class UncoveredReader {
  constructor(
    private readonly manifests: ManifestReader,
    private readonly fileSystem: FileSystem,
  ) {}

  /** Returns a manifest's Git histories, and its names that no longer exist on disk. Throws `SnapshotError` `notFound`. */
  of(manifestId: number, limit: number): UncoveredPaths {
    return this.summarize(this.manifests.leftOutNames(manifestId), limit, () => true);
  }

  /** Returns only paths that were deleted between `before` and `after`. Throws `SnapshotError` `notFound`. */
  between(before: number, after: number, limit: number): UncoveredPaths {
    const folders = new LeftOutFolders(this.manifests.lookup(after));
    const names: Name[] = [];
    for (const [root, relative, was, is] of this.manifests.differences(before, after)) {
      if (isNameOnly(was) && is === null && relative !== '' && !folders.holds(root, relative)) names.push([root, relative]);
    }
    return this.summarize(names, limit, (isGone) => isGone);
  }

  /** Returns the folders that a manifest covers but that are not in `open`. Throws `SnapshotError` `notFound`. */
  closedFolders(manifestId: number, open: readonly string[]): string[] {
    return this.manifests.listFolders(manifestId).filter((folder) => !open.includes(folder));
  }

  private summarize(names: readonly Name[], limit: number, isWanted: (isGone: boolean) => boolean): UncoveredPaths {
    const roots = this.manifests.rootPaths();
    const histories: UncoveredPaths['histories'] = [];
    const gone: UncoveredPlace[] = [];
    for (const [number, relative] of names) {
      const root = roots.get(number);
      if (root === undefined) continue;
      const folder = historyFolder(relative);
      const isGone = isMissing(this.fileSystem, root, path.join(root, relative));
      if (folder !== null) {
        if (isWanted(isGone)) histories.push({ root, path: folder, isGone });
      } else if (isGone) gone.push({ root, path: relative });
    }
    for (const list of [histories, gone]) list.sort((one, other) => (one.root + one.path < other.root + other.path ? -1 : 1));
    return { histories, gone: gone.slice(0, limit), goneCount: gone.length };
  }
}

/** Returns the folder whose Git history is at this path, or null. */
function historyFolder(relative: string): string | null {
  if (relative === '.git') return '';
  return relative.endsWith('/.git') ? relative.slice(0, -'/.git'.length) : null;
}

/** Returns true if nothing exists at a path. Does not follow links. Returns false if the path cannot be checked. */
export function isMissing(fileSystem: FileSystem, root: string, file: string): boolean {
  try {
    return !isClear(fileSystem, root, file) || statsAt(fileSystem, file) === undefined;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}
