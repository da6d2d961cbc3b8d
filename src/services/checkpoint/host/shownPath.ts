import path from 'node:path';
import { isInside } from '../../../utils/files/isInside';
import type { Uncovered as ShownUncovered } from '../../../protocol/restore';
import type { Uncovered } from '../engine/restore/uncovered';

/**
 * Returns a path as the conversation names it: relative to its workspace folder, preceded by the folder's name if there are several.
 * Absolute if the folder is not open.
 */
export function shownPath(folders: readonly { name: string; path: string }[], file: { root: string; path: string }): string {
  const folder = folders.find(({ path: root }) => root === file.root);
  if (folder === undefined) return fileOf(file);
  return folders.length > 1 ? `${folder.name}/${file.path}` : file.path;
}

/** Returns an absolute path. */
export function fileOf(file: { root: string; path: string }): string {
  return path.join(file.root, file.path);
}

/** Returns the entries held by name only, named as in the conversation. */
export function shownUncovered(
  folders: readonly { name: string; path: string }[],
  { histories, gone, goneCount }: Uncovered,
): ShownUncovered {
  const folderOf = (place: { root: string; path: string }) => shownFolder(folders, fileOf(place));
  return {
    histories: histories.map(({ isGone, ...place }) => ({ folder: folderOf(place), isGone })),
    gone: gone.map((place) => shownPath(folders, place)),
    goneCount,
  };
}

/** Returns the name of an absolute folder. The workspace folder itself is `.`, or its name if there are several. */
export function shownFolder(folders: readonly { name: string; path: string }[], folder: string): string {
  const root = folders.find((one) => isInside(folder, one.path));
  if (root === undefined) return folder;
  const inside = path.relative(root.path, folder).split(path.sep).join('/');
  return shownPath(folders, { root: root.path, path: inside }).replace(/\/$/, '') || '.';
}

/** Returns true if nothing is held by name only. */
export function isAllCovered({ histories, goneCount }: { histories: readonly unknown[]; goneCount: number }): boolean {
  return histories.length === 0 && goneCount === 0;
}
