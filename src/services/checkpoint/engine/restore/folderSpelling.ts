import path from 'node:path';
import { isSystemError } from '../../../../utils/errors';
import type { FileSystem } from '../../../../utils/files/fileSystem';
import { foldedName, mayBeSameName } from '../../../../utils/files/foldedName';
import { isClear, statsAt } from './pathState';
import type { RestoreStep } from './restoreStep';

/**
 * Renames folders to their spelling in the target, outer folders first. Applies to folders without files, and to folders whose
 * files the steps move to another spelling. Other files in such a folder move with it. Does not rename a folder that contains
 * only other files. Does nothing if the file system has separate folders for both spellings. Returns the renamed folders.
 */
export function respellFolders(
  fileSystem: FileSystem,
  leaving: readonly RestoreStep[],
  coming: readonly RestoreStep[],
): { root: string; folder: string }[] {
  const left = new Set(leaving.flatMap((step) => foldersAbove(step.path).map((folder) => createKey(step, folder))));
  const wanted = new Map<string, { root: string; isLeft: boolean }>();
  for (const step of coming.filter(({ from }) => from === null)) {
    for (const name of foldersAbove(step.path))
      wanted.set(path.join(step.root, name), { root: step.root, isLeft: left.has(createKey(step, name)) });
  }
  const outerFirst = [...wanted].sort(([one], [other]) => one.length - other.length);
  return outerFirst.flatMap(([folder, { root, isLeft }]) => {
    try {
      const present = findOtherName(fileSystem, root, folder);
      if (present === null || !(isLeft || hasNoFiles(fileSystem, folder))) return [];
      fileSystem.rename(present, folder);
      return [{ root, folder }];
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return [];
    }
  });
}

/** Returns the path under which the file system lists a folder. Returns null if it lists `folder` itself or nothing similar. */
function findOtherName(fileSystem: FileSystem, root: string, folder: string): string | null {
  if (!isClear(fileSystem, root, folder) || statsAt(fileSystem, folder)?.isDirectory() !== true) return null;
  const outer = path.dirname(folder);
  const wanted = path.basename(folder);
  const names = fileSystem.list(outer).map(({ name }) => name);
  const present = names.includes(wanted) ? undefined : names.find((name) => mayBeSameName(name, wanted));
  return present === undefined ? null : path.join(outer, present);
}

function hasNoFiles(fileSystem: FileSystem, folder: string): boolean {
  return fileSystem.list(folder).every((entry) => entry.isDirectory() && hasNoFiles(fileSystem, path.join(folder, entry.name)));
}

/** Returns true if every folder lists the next part of the path in exactly this spelling. */
export function isSpelled(fileSystem: Pick<FileSystem, 'list'>, root: string, relative: string): boolean {
  let folder = root;
  return relative.split('/').every((name) => {
    const isListed = fileSystem.list(folder).some((entry) => entry.name === name);
    folder = path.join(folder, name);
    return isListed;
  });
}

/** Returns the parent folders of a path with `/`, inner folders first. */
export function foldersAbove(name: string): string[] {
  const folders: string[] = [];
  for (let slash = name.lastIndexOf('/'); slash > 0; slash = name.lastIndexOf('/', slash - 1)) folders.push(name.slice(0, slash));
  return folders;
}

function createKey({ rootId }: RestoreStep, folder: string): string {
  return `${rootId}:${foldedName(folder)}`;
}
