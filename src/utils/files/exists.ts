import { lstat } from 'node:fs/promises';

/**
 * Returns true if a file or folder exists at a path. Does not follow a symbolic link.
 * Returns false if the path cannot be read.
 */
export function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
