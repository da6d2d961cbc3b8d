import { isAbsolute, relative, sep } from 'node:path';

/** Returns true if an absolute path is the folder or inside it. Only compares text and does not resolve links. */
export function isInside(path: string, folder: string): boolean {
  const fromFolder = relative(folder, path);
  return fromFolder !== '..' && !fromFolder.startsWith(`..${sep}`) && !isAbsolute(fromFolder);
}

/** Returns true if an absolute path is inside the folder. The folder itself is not inside. Only compares text. */
export function isBelow(path: string, folder: string): boolean {
  return relative(folder, path) !== '' && isInside(path, folder);
}
