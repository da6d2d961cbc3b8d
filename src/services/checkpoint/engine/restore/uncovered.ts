import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { LeftOutFolders } from '../manifests/leftOutFolders';
import type { ManifestReader } from '../manifests/manifestReader';
import { isNameOnly } from '../scan/scannedFile';
import { isClear, lookAt } from './way';
import { isSystemError } from '../../../../utils/errors';

/** A place in a workspace folder. */
export interface UncoveredPlace {
  /** Absolute path of the workspace folder. */
  root: string;
  /** Path from the workspace folder, with `/`; empty for the folder itself. */
  path: string;
}

/** Names of what a checkpoint does not hold. */
export interface Uncovered {
  /** Folders that have a Git history, or had one that is gone. */
  histories: (UncoveredPlace & { isGone: boolean })[];
  /** The first files and folders that were left out and are gone; `goneCount` has them all. */
  gone: UncoveredPlace[];
  goneCount: number;
}

type Name = [root: number, path: string];

/** Finds what a checkpoint names without holding it. */
export class UncoveredReader {
  constructor(
    private readonly manifests: ManifestReader,
    private readonly fileSystem: FileSystem,
  ) {}

  /** Returns the Git histories of a manifest, and which names in it are gone from the disk by now. Throws `SnapshotError` `notFound`. */
  of(manifestId: number, limit: number): Uncovered {
    return this.told(this.manifests.leftOutNames(manifestId), limit, () => true);
  }

  /** Returns only what is gone that was there in `before` and not in `after`. Throws `SnapshotError` `notFound`. */
  between(before: number, after: number, limit: number): Uncovered {
    const folders = new LeftOutFolders(this.manifests.lookup(after));
    const names: Name[] = [];
    for (const [root, relative, was, is] of this.manifests.differences(before, after)) {
      if (isNameOnly(was) && is === null && relative !== '' && !folders.holds(root, relative)) names.push([root, relative]);
    }
    return this.told(names, limit, (isGone) => isGone);
  }

  private told(names: readonly Name[], limit: number, isWanted: (isGone: boolean) => boolean): Uncovered {
    const roots = this.manifests.rootPaths();
    const histories: Uncovered['histories'] = [];
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

/** Returns the folder of which a path is the Git history; null for any other path. */
function historyFolder(relative: string): string | null {
  if (relative === '.git') return '';
  return relative.endsWith('/.git') ? relative.slice(0, -'/.git'.length) : null;
}

/** Tells whether nothing is at a path, or only behind a link. What cannot be looked at is not missing. */
export function isMissing(fileSystem: FileSystem, root: string, file: string): boolean {
  try {
    return !isClear(fileSystem, root, file) || lookAt(fileSystem, file) === undefined;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}
