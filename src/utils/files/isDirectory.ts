import { stat } from 'node:fs/promises';

/** Returns true if a path is a folder. Follows symbolic links. Returns false if the path cannot be read. */
export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
