import { stat } from 'node:fs/promises';

/** Returns whether a path is a folder, following links. False if it cannot be read. */
export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
