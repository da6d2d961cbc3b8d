import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { isSystemError } from '../../../../utils/errors';

/** Thrown if a file, link or non-empty folder blocks a path, or if a file cannot be compared. */
export class BlockedError extends Error {}

/** File or link in place of a parent folder. */
export interface Obstacle {
  /** Absolute path. */
  at: string;
  isLink: boolean;
}

/** State of the parent folders. `missing` means that a parent does not exist, so the path does not exist either. */
export type PathState = 'clear' | 'missing' | Obstacle;

/**
 * Checks each parent folder of `file`, starting at the workspace folder. Does not follow links, because their targets are outside
 * the workspace. Call this immediately before a change to the path.
 */
export function readPathState(fileSystem: Pick<FileSystem, 'lstat'>, root: string, file: string): PathState {
  const names = path.relative(root, path.dirname(file)).split(path.sep);
  let folder = root;
  for (const name of ['', ...names.filter((one) => one !== '')]) {
    folder = path.join(folder, name);
    const found = statsAt(fileSystem, folder);
    if (found === undefined) return 'missing';
    if (!found.isDirectory()) return { at: folder, isLink: found.isSymbolicLink() };
  }
  return 'clear';
}

/** Returns a faster `readPathState` for planning: it checks each folder only once. Check again before you change a path. */
export function plannedPathStates(fileSystem: Pick<FileSystem, 'lstat'>): (root: string, file: string) => PathState {
  const known = new Map<string, PathState>();
  const stateIn = (root: string, folder: string): PathState => {
    // Workspace folders may be nested. Each folder counts as the workspace folder only for its own files.
    const key = `${root}\0${folder}`;
    let state = known.get(key);
    if (state !== undefined) return state;
    state = folder === root ? 'clear' : stateIn(root, path.dirname(folder));
    if (state === 'clear') {
      const found = statsAt(fileSystem, folder);
      if (found === undefined) state = 'missing';
      else if (!found.isDirectory()) state = { at: folder, isLink: found.isSymbolicLink() };
    }
    known.set(key, state);
    return state;
  };
  return (root, file) => stateIn(root, path.dirname(file));
}

/** Returns true if all parents are real folders. */
export function isClear(fileSystem: Pick<FileSystem, 'lstat'>, root: string, file: string): boolean {
  return readPathState(fileSystem, root, file) === 'clear';
}

export function blockedBy({ at, isLink }: Obstacle): BlockedError {
  return new BlockedError(isLink ? `${at} is a link` : `${at} is not a folder`);
}

/** Returns the stats of a path. Returns undefined if nothing exists, or if a parent is a file or a link to itself. */
export function statsAt({ lstat }: Pick<FileSystem, 'lstat'>, file: string): ReturnType<FileSystem['lstat']> {
  try {
    return lstat(file);
  } catch (error) {
    if (isSystemError(error, 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}
