import { lstat } from 'node:fs/promises';

/** Returns whether something exists at a path, without following a link. False if it cannot be read. */
export function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
