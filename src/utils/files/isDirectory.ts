import { stat } from 'node:fs/promises';

/** Tells whether a path leads to a folder; false for one that cannot be looked at. Follows links. */
export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
