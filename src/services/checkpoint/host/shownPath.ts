import path from 'node:path';
import { isInside } from '../../../utils/files/isInside';
import type { Uncovered as ShownUncovered } from '../../../protocol/restore';
import type { UncoveredPaths } from '../engine/restore/uncovered';

/**
 * Returns the name of a path in the conversation. It is relative to its workspace folder. If there are several folders, the
 * folder's name comes first. The path is absolute if the folder is not open.
 */
export function shownPath(folders: readonly { name: string; path: string }[], file: { root: string; path: string }): string {
  const folder = folders.find(({ path: root }) => root === file.root);
  if (folder === undefined) return joinRoot(file);
  return folders.length > 1 ? `${folder.name}/${file.path}` : file.path;
}

/** Returns an absolute path. */
export function joinRoot(file: { root: string; path: string }): string {
  return path.join(file.root, file.path);
}

/** Returns the entries that are recorded by name only, with their names in the conversation. */
export function shownUncovered(
  folders: readonly { name: string; path: string }[],
  { histories, gone, goneCount }: UncoveredPaths,
): ShownUncovered {
  const findFolder = (place: { root: string; path: string }) => shownFolder(folders, joinRoot(place));
  return {
    histories: histories.map(({ isGone, ...place }) => ({ folder: findFolder(place), isGone })),
    gone: gone.map((place) => shownPath(folders, place)),
    goneCount,
  };
}

/** Returns the name of an absolute folder path. A workspace folder is `.`, or its name if there are several. */
export function shownFolder(folders: readonly { name: string; path: string }[], folder: string): string {
  const root = folders.find((one) => isInside(folder, one.path));
  if (root === undefined) return folder;
  const inside = path.relative(root.path, folder).split(path.sep).join('/');
  return shownPath(folders, { root: root.path, path: inside }).replace(/\/$/, '') || '.';
}

/** Returns true if no entry is recorded by name only. */
export function isAllCovered({ histories, goneCount }: { histories: readonly unknown[]; goneCount: number }): boolean {
  return histories.length === 0 && goneCount === 0;
}
