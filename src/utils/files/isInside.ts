import { isAbsolute, relative, sep } from 'node:path';

/** Returns whether an absolute path is the folder or inside it. Compares text only; links are not resolved. */
export function isInside(path: string, folder: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}

/** Returns whether an absolute path is inside the folder, excluding the folder itself. Compares text only. */
export function isBelow(path: string, folder: string): boolean {
  return relative(folder, path) !== '' && isInside(path, folder);
}
