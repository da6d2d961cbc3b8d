import path from 'node:path';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { isSystemError } from '../../../../utils/errors';

/** Thrown if a file, a link or a folder that is not empty is in the place of a folder or file, or a file that nobody can compare. */
export class BlockedError extends Error {}

/** Obstacle on the way to a path, in place of a folder. */
export interface Obstacle {
  /** Absolute. */
  at: string;
  isLink: boolean;
}

/** `missing`: a folder on the way is not there, so nothing is at its end. */
export type Way = 'clear' | 'missing' | Obstacle;

/**
 * Looks at each folder from a workspace folder down to the one that holds `file`, and follows no link: what a link on the way leads to is
 * no part of the workspace. Whoever is about to touch a path asks right before.
 */
export function wayTo(fileSystem: Pick<FileSystem, 'lstat'>, root: string, file: string): Way {
  const names = path.relative(root, path.dirname(file)).split(path.sep);
  let folder = root;
  for (const name of ['', ...names.filter((one) => one !== '')]) {
    folder = path.join(folder, name);
    const found = lookAt(fileSystem, folder);
    if (found === undefined) return 'missing';
    if (!found.isDirectory()) return { at: folder, isLink: found.isSymbolicLink() };
  }
  return 'clear';
}

/** Tells whether a path can hold anything: no link and no file is on the way to it. */
export function isClear(fileSystem: Pick<FileSystem, 'lstat'>, root: string, file: string): boolean {
  return wayTo(fileSystem, root, file) === 'clear';
}

export function blockedBy({ at, isLink }: Obstacle): BlockedError {
  return new BlockedError(isLink ? `${at} is a link` : `${at} is not a folder`);
}

/** Gives what is at a path; undefined where nothing is, or where a file or a link to itself came in its way meanwhile. */
export function lookAt({ lstat }: Pick<FileSystem, 'lstat'>, file: string): ReturnType<FileSystem['lstat']> {
  try {
    return lstat(file);
  } catch (error) {
    if (isSystemError(error, 'ENOTDIR', 'ELOOP')) return undefined;
    throw error;
  }
}
