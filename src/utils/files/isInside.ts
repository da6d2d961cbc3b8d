import { isAbsolute, relative, sep } from 'node:path';

/** Tells whether an absolute path is the folder itself or leads into it, by its text alone: no link is followed. */
export function isInside(path: string, folder: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}

/** Tells whether an absolute path leads into the folder and is not the folder itself, by its text alone. */
export function isBelow(path: string, folder: string): boolean {
  return path !== folder && isInside(path, folder);
}
