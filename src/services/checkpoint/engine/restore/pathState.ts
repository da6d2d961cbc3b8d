import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { isSystemError } from '../../../../utils/errors';

/** Thrown if a path is blocked by a file, link or non-empty folder, or a file cannot be compared. */
export class BlockedError extends Error {}

/** Obstacle in place of a parent folder. */
export interface Obstacle {
  /** Absolute path. */
  at: string;
  isLink: boolean;
}

/** `missing`: a parent folder does not exist, so neither does the path. */
export type PathState = 'clear' | 'missing' | Obstacle;

/**
 * Checks each parent folder of `file` from the workspace folder on, without following links, whose targets are outside the workspace. Call
 * it immediately before touching a path.
 */
export function pathStateOf(fileSystem: Pick<FileSystem, 'lstat'>, root: string, file: string): PathState {
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

/** Returns a `pathStateOf` for planning, which checks each folder only once. Check the folders again before a path is changed. */
export function plannedPathStates(fileSystem: Pick<FileSystem, 'lstat'>): (root: string, file: string) => PathState {
  const known = new Map<string, PathState>();
  const stateIn = (root: string, folder: string): PathState => {
    // Workspace folders may be nested, and count as such only for their own files.
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
  return pathStateOf(fileSystem, root, file) === 'clear';
}

export function blockedBy({ at, isLink }: Obstacle): BlockedError {
  return new BlockedError(isLink ? `${at} is a link` : `${at} is not a folder`);
}

/** Returns the stats of a path; undefined if nothing exists, or a parent is a file or a link to itself. */
export function statsAt({ lstat }: Pick<FileSystem, 'lstat'>, file: string): ReturnType<FileSystem['lstat']> {
  try {
    return lstat(file);
  } catch (error) {
    if (isSystemError(error, 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}
